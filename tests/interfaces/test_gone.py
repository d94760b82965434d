"""Clients that break off in the middle of a request leave one line in the log, no traceback."""

import logging
import socket
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx
import pytest

from selfrag.service import SelfRag

FORM = (
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n'
    b"Content-Type: application/pdf\r\n\r\n%PDF-1.4 and so on"
)
CALL = b'{"jsonrpc": "2.0", "id": 1, "method": "initi'


def break_off(url: str, kind: str, body: bytes) -> None:
    """Send the beginning of a request, and go."""
    parts = urlsplit(url)
    head = [
        f"POST {parts.path}{'?' * bool(parts.query)}{parts.query} HTTP/1.1",
        f"Host: {parts.netloc}",
        f"Content-Type: {kind}",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body) + 1000}",
    ]
    with socket.create_connection((parts.hostname, parts.port)) as client:
        client.sendall("\r\n".join([*head, "", ""]).encode() + body)
        time.sleep(0.2)  # so that it is being read when it breaks off


@pytest.mark.parametrize("path", ["/api/documents", "/api/answer", "/mcp", "/messages/"])
def test_request_that_breaks_off_is_one_line_in_the_log(
    serve: Callable[..., tuple[SelfRag, httpx.Client]],
    caplog: pytest.LogCaptureFixture,
    path: str,
) -> None:
    _, api = serve()
    base = str(api.base_url).rstrip("/")
    with caplog.at_level(logging.INFO), api.stream("GET", "/sse") as session:
        target = f"{base}{path}"
        if path == "/messages/":
            lines = session.iter_lines()
            data = next(line for line in lines if line.startswith("data:"))
            target = base + data.removeprefix("data:").strip()
        kind = "multipart/form-data; boundary=x" if "documents" in path else "application/json"
        break_off(target, kind, FORM if "documents" in path else CALL)
        until = time.monotonic() + 60
        told: list[str] = []
        while not told and time.monotonic() < until:
            time.sleep(0.05)
            told = [it.getMessage() for it in caplog.records if it.name.startswith("selfrag")]
    (said,) = told
    assert said.endswith("the client went away before its end")
    assert said.startswith(f"POST {path.removeprefix('/api')}")
    assert not [it for it in caplog.records if it.exc_info or it.levelno > logging.INFO]
    assert api.get("/api/health").status_code == 200
