"""A real HTTP server that speaks the OpenAI protocol with scripted replies.

    with LlmServer() as server:
        server.reply(structured(thought="...", answer="no"), when="Relevance", times=1)
        server.reply(failure(429, retry_after="1"), when=lambda request: request.stream)
        model = make_chat_model(model="scripted", base_url=server.url)

The newest rule that fits and is not used up answers; without one, `happy_path` does. Started by
hand (``python -m tests.support.llm_server --port 8001``) it lets one try the application with
LLM_BASE_URL=http://127.0.0.1:8001/v1 and no model.
"""

import argparse
import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.llm_answers import (
    Answer,
    Request,
    Script,
    failure,
    happy_path,
)
from tests.support.llm_wire import chat_body, decisions_body, embeddings_body, usage_of

When = str | Callable[[Request], bool] | None


@dataclass
class _Rule:
    answer: Answer | Script
    when: When
    left: int | None
    delay: float

    def fits(self, request: Request) -> bool:
        if self.left == 0:
            return False
        if self.when is None:
            return True
        return self.when == request.schema if isinstance(self.when, str) else self.when(request)


class LlmServer:
    """The endpoint; a context manager.

    Attributes:
        url: base URL, ending with ``/v1``.
        requests: everything that was asked for, in order of arrival.
        models: the names that ``/v1/models`` lists.
        delay: seconds before every reply.
        key: where set, any other key is answered 401.
        refused_forms: forms that are answered 400, as many servers do.
        most_at_once: the largest number of requests that were under way together.
        decide: probability for a question of ``/v1/decisions``.
    """

    def __init__(self, port: int = 0, *, delay: float = 0.0) -> None:
        self.requests: list[Request] = []
        self.models = ["scripted"]
        self.delay = delay
        self.key: str | None = None
        self.refused_forms: set[str] = set()
        self.most_at_once = 0
        self.decide: Callable[[dict[str, Any]], float] = lambda question: 0.9
        self._rules: list[_Rule] = []
        self._at_once = 0
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self.closing = threading.Event()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> "LlmServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening; requests that hang are let go."""
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def reply(
        self,
        answer: Answer | Script,
        *,
        when: When = None,
        times: int | None = None,
        delay: float = 0.0,
    ) -> None:
        """Answer so from now on, for ``times`` requests.

        ``when`` is the name of a schema or a predicate of the request; ``answer`` may be worked
        out from the request.
        """
        with self._lock:
            self._rules.insert(0, _Rule(answer, when, times, delay))

    def in_turn(self, *answers: Answer | Script, when: When = None) -> None:
        """Give these answers one after another."""
        for answer in reversed(answers):
            self.reply(answer, when=when, times=1)

    def asked(self, schema: str | None) -> list[Request]:
        """The chat requests for ``schema``; None for those that want plain text."""
        with self._lock:
            return [
                request
                for request in self.requests
                if request.path.endswith("/chat/completions") and request.schema == schema
            ]

    def wait_for(self, condition: Callable[[], bool], seconds: float = 5.0) -> bool:
        """Wait until ``condition`` of what was recorded holds; False when time is up."""
        with self._changed:
            return self._changed.wait_for(condition, seconds)

    def note(self, **changes: Any) -> None:
        """Record something about a request and wake up who waits for it."""
        with self._changed:
            request = changes.pop("request")
            for name, value in changes.items():
                setattr(request, name, value)
            self._changed.notify_all()

    def begin(self, request: Request) -> None:
        with self._changed:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self._changed.notify_all()

    def end(self) -> None:
        with self._changed:
            self._at_once -= 1
            self._changed.notify_all()

    def answer_to(self, request: Request) -> Answer:
        """What the script says, after its delay."""
        rule = self._rule_for(request)
        self.closing.wait(self.delay + (rule.delay if rule else 0.0))
        given: Answer | Script = rule.answer if rule else happy_path
        return given if isinstance(given, Answer) else given(request)

    def _rule_for(self, request: Request) -> _Rule | None:
        with self._lock:
            for rule in self._rules:
                if rule.fits(request):
                    if rule.left is not None:
                        rule.left -= 1
                    return rule
        return None


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: LlmServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one packet each; waiting for acknowledgements costs 40 ms a reply.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are recorded, not logged."""

    def do_GET(self) -> None:
        self._handle({})

    def do_POST(self) -> None:
        self._handle(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _handle(self, body: dict[str, Any]) -> None:
        owner = self.server.owner
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, body, headers, time.monotonic())
        owner.begin(request)
        try:
            self._route(owner, request)
        except (BrokenPipeError, ConnectionError):
            owner.note(request=request, disconnected=True)
            self.close_connection = True
        finally:
            owner.end()

    def _route(self, owner: LlmServer, request: Request) -> None:
        if owner.key and request.headers.get("authorization") != f"Bearer {owner.key}":
            self._fail(failure(401, "Incorrect API key provided.", code="invalid_api_key"))
        elif request.path == "/v1/models":
            models = [{"id": name, "object": "model", "owned_by": "us"} for name in owner.models]
            self._json({"object": "list", "data": models})
        elif request.path == "/v1/embeddings":
            self._json(embeddings_body(request.body))
        elif request.path in ("/v1/chat/completions", "/v1/decisions"):
            self._model(owner, request)
        else:
            self._fail(failure(404, f"no route {request.path}"))

    def _model(self, owner: LlmServer, request: Request) -> None:
        if request.form in owner.refused_forms:
            name = "tools" if request.form == "function_calling" else "response_format"
            self._fail(failure(400, f"{name}: {request.form} is not supported"))
            return
        answer = owner.answer_to(request)
        if answer.hang:
            self._hang(owner)
        elif answer.status != 200:
            self._fail(answer)
        elif answer.body is not None:
            self._send(200, answer.body.encode(), "text/html")
        elif request.path == "/v1/decisions":
            self._json(decisions_body(request, owner.decide))
        elif request.stream:
            self._stream(owner, request, answer)
        elif answer.drip:
            self.send_response(200)
            self.send_header("content-length", "100000")
            self.end_headers()
            self._drip(owner, b" ")
        else:
            self._json(chat_body(request, answer))

    def _stream(self, owner: LlmServer, request: Request, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        message = chat_body(request, answer)["choices"][0]["message"]
        for thought in answer.thoughts:
            owner.closing.wait(answer.piece_delay)
            self._event(request, {"content": "", "reasoning_content": thought})
        parts = answer.pieces or re.findall(r"\s*\S+\s*$|\s*\S+", answer.text or "")
        for index, part in enumerate(parts):
            if answer.break_after == index:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            if answer.piece_delay:
                owner.closing.wait(answer.piece_delay)
            self._check_client()
            self._event(request, {"content": part})
        if answer.drip:
            self._event(request, {"role": "assistant", "content": ""})
            comment = b": ping\n\n"
            self._drip(owner, b"%x\r\n%s\r\n" % (len(comment), comment))
        last: dict[str, Any] = {}
        if answer.refusal:
            half = len(answer.refusal) // 2
            self._event(request, {"refusal": answer.refusal[:half]})
            last = {"refusal": answer.refusal[half:]}
        elif "tool_calls" in message:
            last = {"tool_calls": [{"index": 0, **message["tool_calls"][0]}]}
        elif answer.value is not None:
            last = {"content": message["content"]}
        self._event(request, last, answer.finish)
        if answer.usage and (request.body.get("stream_options") or {}).get("include_usage"):
            self._event(request, None, usage=usage_of(request, message))
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(
        self,
        request: Request,
        delta: dict[str, Any] | None,
        finish: str | None = None,
        usage: dict[str, int] | None = None,
    ) -> None:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        body = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": request.body.get("model", ""),
            "choices": [] if delta is None else choices,
            "usage": usage,
        }
        self._chunk(f"data: {json.dumps(body)}\n\n".encode())

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _check_client(self) -> None:
        """Notice a client that has gone even while the send buffer would still take more."""
        if select.select([self.connection], [], [], 0)[0] and not self._peek():
            raise BrokenPipeError

    def _peek(self) -> bytes:
        return self.connection.recv(1, socket.MSG_PEEK)

    def _hang(self, owner: LlmServer) -> None:
        self.close_connection = True
        while not owner.closing.is_set():
            if select.select([self.connection], [], [], 0.02)[0]:
                raise BrokenPipeError

    def _drip(self, owner: LlmServer, data: bytes) -> None:
        self.close_connection = True
        while not owner.closing.wait(0.02):
            self.wfile.write(data)
            self.wfile.flush()

    def _fail(self, answer: Answer) -> None:
        body = json.dumps({"error": answer.error}).encode()
        self._send(answer.status, body, "application/json", answer.headers)

    def _json(self, body: dict[str, Any]) -> None:
        self._send(200, json.dumps(body).encode(), "application/json")

    def _send(
        self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**(headers or {}), "content-type": kind}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description="An OpenAI-compatible endpoint without a model.")
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before every reply")
    arguments = parser.parse_args()
    with LlmServer(arguments.port, delay=arguments.delay) as server:
        print(f"LLM_BASE_URL={server.url}  (Ctrl+C stops)", flush=True)  # noqa: T201
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
