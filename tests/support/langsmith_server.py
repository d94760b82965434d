"""A real HTTP server that takes in traces as LangSmith's API does.

Answers ``/info`` (which batches it takes), ``/sessions`` (makes the project) and
``/runs/batch``; everything that came in stands in ``runs``.
"""

import json
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TENANT = "11111111-1111-4111-8111-111111111111"
PROJECT = "22222222-2222-4222-8222-222222222222"
_WAIT = 20.0  #: seconds that a test waits for a trace on a busy machine


class LangSmithServer:
    """The endpoint; a context manager.

    Attributes:
        url: of the API.
        runs: id -> what was posted and patched of a run.
        keys: those that requests came with.
        status: of every answer but 200, where it is set.
        moved_to: the origin that every request is redirected to (307), where it is set.
        multipart: whether runs are taken in as multipart, which is read and thrown away.
        paths: that were posted to.
    """

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, Any]] = {}
        self.keys: set[str | None] = set()
        self.status: int | None = None
        self.moved_to: str | None = None
        self.multipart = False
        self.paths: set[str] = set()
        self.changed = threading.Condition()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> "LangSmithServer":
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def wait_for(self, name: str, **metadata: str) -> dict[str, Any]:
        """The first run of this name, and with these metadata, that has ended."""
        until = time.monotonic() + _WAIT
        with self.changed:
            while True:
                for run in self.runs.values():
                    about = (run.get("extra") or {}).get("metadata") or {}
                    ended = run.get("name") == name and run.get("end_time")
                    if ended and metadata.items() <= about.items():
                        return run
                left = until - time.monotonic()
                if left <= 0:
                    there = sorted(str(run.get("name")) for run in self.runs.values())
                    raise AssertionError(f"no ended trace {name!r} among {there}")
                self.changed.wait(left)

    def take(self, body: dict[str, Any]) -> None:
        """What a batch brings."""
        with self.changed:
            for run in (*body.get("post", ()), *body.get("patch", ())):
                there = self.runs.setdefault(run["id"], {})
                there.update({key: value for key, value in run.items() if value is not None})
            self.changed.notify_all()


def _handler(owner: LangSmithServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            limits = {"size_limit": 100, "size_limit_bytes": 20_000_000}
            config = {
                **limits,
                "use_multipart_endpoint": owner.multipart,
                "scale_up_nthreads_limit": 1,
                "scale_up_qsize_trigger": 1000,
                "scale_down_nempty_trigger": 4,
            }
            self._say({"version": "0.1", "batch_ingest_config": config})

        def do_POST(self) -> None:
            owner.keys.add(self.headers.get("x-api-key"))
            owner.paths.add(self.path)
            if self.path == "/runs/multipart":
                self._drain()
                self._say({})
                return
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            if self.path.startswith("/sessions"):
                self._say(
                    {
                        "id": PROJECT,
                        "tenant_id": TENANT,
                        "name": body["name"],
                        "start_time": "2026-01-01T00:00:00Z",
                        "reference_dataset_id": None,
                    }
                )
                return
            if self.path.startswith("/runs/batch"):
                if owner.status is None:
                    owner.take(body)
                self._say({})
                return
            if self.path.startswith("/runs"):
                owner.take({"post": [{"id": str(uuid.uuid4()), **body}]})
            self._say({})

        def do_PATCH(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
            owner.take({"patch": [{"id": self.path.rpartition("/")[2], **body}]})
            self._say({})

        def _drain(self) -> None:
            """Read a body that comes in chunks, or has a length."""
            if self.headers.get("Transfer-Encoding") != "chunked":
                self.rfile.read(int(self.headers["Content-Length"]))
                return
            while size := int(self.rfile.readline(), 16):
                self.rfile.read(size + 2)
            self.rfile.readline()

        def _say(self, value: dict[str, Any]) -> None:
            text = json.dumps(value).encode()
            self.send_response(307 if owner.moved_to else owner.status or 200)
            if owner.moved_to:
                self.send_header("Location", owner.moved_to + self.path)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return Handler
