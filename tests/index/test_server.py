"""The client for a server: tried again where that helps, a sentence where it does not."""

import http.server
import json
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from qdrant_client import QdrantClient

from selfrag.errors import UserError
from selfrag.index import server as server_module
from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.fingerprint import KEY
from selfrag.index.reach import reachable
from selfrag.index.server import ServerClient, server_health
from selfrag.index.store import DOCUMENTS, Index
from tests.index.conftest import make, random_points
from tests.index.test_store import FINGERPRINT, WordEmbeddings, open_index
from tests.support.trickling import trickling


class Wire:
    """A server that answers with what ``answers`` holds, one after another, the last for good."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, Any]] = []
        self.seconds = 0.0
        wire = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def _answer(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(length)
                wire.asked.append((self.path, json.loads(body) if body else None))
                time.sleep(wire.seconds)
                status, content = wire.answers.pop(0) if len(wire.answers) > 1 else wire.answers[0]
                # Bytes are sent as they are: something else than a Qdrant server answers.
                text = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("retry-after", "0")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wire]:
    monkeypatch.setattr(server_module, "PAUSES", (0.0, 0.0, 0.0))
    made = Wire()
    yield made
    made.close()


DONE = {"result": {"operation_id": 1, "status": "completed"}, "status": "ok", "time": 0.0}
BUSY = {"status": {"error": "starting"}, "time": 0.0}


def test_write_is_tried_again_while_the_server_starts_and_waits_to_be_applied(wire: Wire) -> None:
    wire.answers = [(503, BUSY), (429, BUSY), (503, BUSY), (200, DONE)]
    ServerClient(wire.url).upsert("c", random_points(count=2))
    assert len(wire.asked) == 4
    assert all("wait=true" in path for path, _ in wire.asked)
    assert len({json.dumps(body) for _, body in wire.asked}) == 1


def test_server_that_stays_busy_is_told_after_the_last_attempt(wire: Wire) -> None:
    wire.answers = [(503, BUSY)]
    with pytest.raises(UserError, match=r"503: .*starting.*try again"), reachable():
        ServerClient(wire.url).count("c")
    assert len(wire.asked) == 4


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "QDRANT_API_KEY"),
        (404, "no longer has the collection"),
        (500, "fault of its own"),
        (507, "disk space"),
    ],
)
def test_refusal_is_not_tried_again_and_says_what_to_do(wire: Wire, status: int, said: str) -> None:
    wire.answers = [(status, {"status": {"error": "no"}})]
    with pytest.raises(UserError, match=said), reachable():
        ServerClient(wire.url).count("c")
    assert len(wire.asked) == 1


def test_request_that_the_server_calls_wrong_is_a_bug_not_a_sentence(wire: Wire) -> None:
    wire.answers = [(400, {"status": {"error": "bad"}})]
    with pytest.raises(Exception, match="400") as caught, reachable():
        ServerClient(wire.url).count("c")
    assert not isinstance(caught.value, UserError)


def test_slow_server_is_told_apart_from_one_that_is_down(wire: Wire) -> None:
    wire.answers, wire.seconds = [(200, DONE)], 2.0
    with pytest.raises(UserError, match="too long to answer"), reachable():
        ServerClient(wire.url, timeout=1).count("c")
    with pytest.raises(UserError, match="does not answer"), reachable():
        ServerClient("http://127.0.0.1:9").count("c")


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nX-Padding: ", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"],
    ids=["silent", "headers", "body"],
)
def test_server_that_never_comes_to_an_end_is_told_in_time_with_its_address(
    beginning: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_module, "TOLD_AFTER", 0.2)
    with trickling(beginning, every=0.02 if beginning else 60.0) as url:
        client = ServerClient(url, timeout=1)
        for ask in (lambda: client.count("c"), client.info):
            caplog.clear()
            began = time.monotonic()
            with pytest.raises(UserError, match=f"{url} takes too long.*QDRANT_URL"), reachable():
                ask()
            assert 0.9 < time.monotonic() - began < 5
            assert f"server at {url} has not answered for 0.2 s" in caplog.text
            assert "up to 1 s" in caplog.text


def test_first_request_has_less_time_than_those_to_a_server_that_is_known(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "FIRST_TIMEOUT", 1.0)
    wire.answers = [(200, {"result": {"count": 3}, "status": "ok", "time": 0.0})]
    client = ServerClient(wire.url, timeout=5)
    wire.seconds = 1.6
    with pytest.raises(UserError, match="too long to answer"), reachable():
        client.count("c")
    wire.seconds = 0.0
    assert client.count("c").count == 3
    wire.seconds = 1.6
    assert client.count("c").count == 3


def test_tries_of_a_request_share_its_time(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "FIRST_TIMEOUT", 2.0)
    wire.answers, wire.seconds = [(503, BUSY)], 0.9
    client = ServerClient(wire.url)
    with pytest.raises(UserError, match="503"), reachable():
        client.count("c")
    assert len(wire.asked) < 4


def test_something_else_that_answers_is_no_qdrant_server(wire: Wire) -> None:
    wire.answers = [(200, "hello")]
    with pytest.raises(UserError, match="does not speak as a Qdrant server"), reachable():
        ServerClient(wire.url).count("c")


def test_page_of_a_web_server_is_no_qdrant_server(wire: Wire) -> None:
    wire.answers = [(200, b"<html>It works!</html>")]
    client = ServerClient(wire.url)
    for ask in (lambda: client.count("c"), client.info, lambda: client.scroll("c")):
        with pytest.raises(UserError, match="no Qdrant server: its answer is not JSON"):
            with reachable():
                ask()


def test_health_names_the_version_and_whether_it_fits(wire: Wire) -> None:
    wire.answers = [(200, {"title": "qdrant", "version": "1.2.0"})]
    found = server_health(ServerClient(wire.url))
    assert (found.version, found.compatible) == ("1.2.0", False)
    wire.answers = [(200, {"title": "qdrant", "version": found.client_version})]
    assert server_health(ServerClient(wire.url)).compatible


def test_cluster_collections_are_made_so_that_a_write_reaches_every_replica() -> None:
    made: dict[str, dict[str, Any]] = {}

    class Recorder(QdrantClient):
        def create_collection(self, name: str, **given: Any) -> bool:
            made[name] = given
            kept = {"vectors_config", "sparse_vectors_config", "metadata"}
            return super().create_collection(name, **{k: given[k] for k in kept})

    with warnings.catch_warnings():  # the in-memory client says that it needs no index
        warnings.simplefilter("ignore", UserWarning)
        Index.open(
            Recorder(":memory:"),
            embeddings=WordEmbeddings(),
            sparse=Bm25Embeddings(),
            fingerprint=FINGERPRINT,
            shards=6,
            replicas=2,
        )
    for given in made.values():
        assert (given["shard_number"], given["replication_factor"]) == (6, 2)
        assert given["write_consistency_factor"] == 2
    assert len(made) == 2


def test_collection_of_another_dimension_is_named_with_both_sides(edge: Any) -> None:
    make(edge, random_points(count=3), DOCUMENTS)
    edge.update_collection(DOCUMENTS, metadata={KEY: FINGERPRINT})
    with pytest.raises(UserError, match=r"24 dimensions.*makes 16"):
        open_index(edge)
    assert edge.count(DOCUMENTS).count == 3
