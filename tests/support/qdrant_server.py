"""A Qdrant server on loopback: its REST interface over qdrant-client's own local mode.

Speaks what the application asks, in the paths, bodies and answers of Qdrant's OpenAPI
specification, so that the real client, its retries and its time limits are exercised over HTTP.
"""

import json
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from typing import Any, ClassVar

from pydantic import BaseModel, TypeAdapter
from qdrant_client import QdrantClient, models


class QdrantServer:
    """The server; ``url`` is its address, ``memory`` what it holds.

    Attributes:
        version: what it says it is.
        key: refuses requests without this key, where set.
    """

    def __init__(self) -> None:
        self.version = version("qdrant-client")
        self.key: str | None = None
        self.memory = QdrantClient(":memory:")
        self.lock = threading.Lock()  # the local mode is not made for threads
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                if server.key is not None and self.headers.get("api-key") != server.key:
                    return self.send(403, {"status": {"error": "forbidden"}})
                try:
                    with server.lock, warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        path = self.path.split("?")[0].strip("/").split("/")
                        found = server.handle(self.command, path, json.loads(body or b"{}"))
                except ValueError as error:
                    status = 404 if "not found" in str(error) else 400
                    return self.send(status, {"status": {"error": str(error)}})
                if path == [""]:
                    return self.send(200, found)
                return self.send(200, {"result": plain(found), "status": "ok", "time": 0.0})

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def send(self, status: int, content: Any) -> None:
                text = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self.memory.close()

    def handle(self, method: str, path: list[str], body: dict[str, Any]) -> Any:
        """What the request asks for; ValueError where it is wrong."""
        if path == [""]:
            return {"title": "qdrant - vector search engine", "version": self.version}
        name = path[1]
        if method == "GET" and path[2:] == ["exists"]:
            return {"exists": self.memory.collection_exists(name)}
        if method == "PUT" and len(path) == 2:
            return self._create(name, body)
        if not self.memory.collection_exists(name):
            raise ValueError(f"Collection `{name}` not found")
        return self._routes[method, "/".join(path[2:])](self, name, body)

    def _create(self, name: str, body: dict[str, Any]) -> bool:
        asked = models.CreateCollection.model_validate(body)
        return self.memory.create_collection(
            name,
            vectors_config=asked.vectors or {},
            sparse_vectors_config=asked.sparse_vectors or {},
            metadata=asked.metadata,
        )

    def _update(self, name: str, body: dict[str, Any]) -> bool:
        return self.memory.update_collection(name, metadata=body.get("metadata"))

    def _upsert(self, name: str, body: dict[str, Any]) -> models.UpdateResult:
        return self.memory.upsert(name, models.PointsList.model_validate(body).points)

    def _retrieve(self, name: str, body: dict[str, Any]) -> list[models.Record]:
        asked = models.PointRequest.model_validate(body)
        return self.memory.retrieve(
            name, asked.ids, asked.with_payload or False, asked.with_vector or False
        )

    def _scroll(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        asked = models.ScrollRequest.model_validate(body)
        points, offset = self.memory.scroll(
            name,
            asked.filter,
            asked.limit or 10,
            offset=asked.offset,
            with_payload=asked.with_payload or False,
            with_vectors=asked.with_vector or False,
        )
        return {"points": points, "next_page_offset": offset}

    def _query(self, name: str, body: dict[str, Any]) -> list[Any]:
        asked = models.QueryRequestBatch.model_validate(body)
        return self.memory.query_batch_points(name, asked.searches)

    def _count(self, name: str, body: dict[str, Any]) -> models.CountResult:
        asked = models.CountRequest.model_validate(body)
        return self.memory.count(name, asked.filter)

    def _facet(self, name: str, body: dict[str, Any]) -> models.FacetResponse:
        asked = models.FacetRequest.model_validate(body)
        return self.memory.facet(name, asked.key, asked.filter, asked.limit or 10)

    def _delete(self, name: str, body: dict[str, Any]) -> models.UpdateResult:
        return self.memory.delete(name, TypeAdapter(models.PointsSelector).validate_python(body))

    def _payload(self, name: str, body: dict[str, Any]) -> models.UpdateResult:
        asked = models.SetPayload.model_validate(body)
        points: Any = asked.points or asked.filter
        return self.memory.set_payload(name, asked.payload, points, key=asked.key)

    _routes: ClassVar[
        dict[tuple[str, str], Callable[["QdrantServer", str, dict[str, Any]], Any]]
    ] = {
        ("GET", ""): lambda self, name, _: self.memory.get_collection(name),
        ("DELETE", ""): lambda self, name, _: self.memory.delete_collection(name),
        ("PATCH", ""): _update,
        ("PUT", "index"): lambda *_: {"operation_id": 0, "status": "completed"},
        ("PUT", "points"): _upsert,
        ("POST", "points"): _retrieve,
        ("POST", "points/scroll"): _scroll,
        ("POST", "points/query/batch"): _query,
        ("POST", "points/count"): _count,
        ("POST", "points/delete"): _delete,
        ("POST", "points/payload"): _payload,
        ("POST", "facet"): _facet,
    }


def plain(found: Any) -> Any:
    """The answer as JSON has it."""
    if isinstance(found, BaseModel):
        return found.model_dump(mode="json")
    if isinstance(found, dict):
        return {key: plain(value) for key, value in found.items()}
    return [plain(each) for each in found] if isinstance(found, list) else found


@contextmanager
def qdrant_server() -> Iterator[QdrantServer]:
    """A running server, closed afterwards."""
    server = QdrantServer()
    try:
        yield server
    finally:
        server.close()
