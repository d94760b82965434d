"""REST and MCP over an open library, on a real port of this process, and started processes.

with served(rag) as url: ...                       # a server in a thread, the library at hand
with started("serve", folder) as server: ...       # what a person starts
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from selfrag import process
from selfrag.interfaces import rest
from selfrag.interfaces.access.clients import Limits
from selfrag.interfaces.access.hosts import HostGuard
from selfrag.interfaces.gone import GoneClients
from selfrag.interfaces.local import Local
from selfrag.interfaces.mcp.transports import McpEndpoints
from selfrag.service import SelfRag
from selfrag.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
_START = 90.0  # seconds that a process may take to start on a busy machine
#: What a test run may inherit; everything else could hold a key or a setting.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(rag: SelfRag) -> Iterator[str]:
    """REST and MCP over an open library; gives the URL."""
    process.stopping.clear()
    limits = Limits()
    mcp = McpEndpoints(lambda: Local(rag), lambda: rag.settings, limits)
    app = Starlette(
        routes=[*rest.routes(lambda: rag, limits), *mcp.routes],
        middleware=[
            Middleware(HostGuard, settings=lambda: rag.settings),
            Middleware(GoneClients),
        ],
        lifespan=lambda _: mcp.running(),
    )
    config = uvicorn.Config(app, port=free_port(), log_level="warning", timeout_graceful_shutdown=5)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and time.monotonic() < until:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{config.port}"
    finally:
        server.should_exit = True
        rag.stop_runs()
        thread.join(20)


@dataclass(frozen=True)
class Server:
    """A started process: ``url`` without a slash at its end, its storage, its log."""

    url: str
    storage: Path
    log: Path
    process: subprocess.Popen[bytes]

    def stop(self, number: int = signal.SIGTERM, seconds: float = 60) -> int:
        """Tell it to end and wait; returns its exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


def environment(storage: Path, **settings: str) -> dict[str, str]:
    """What a started process may know: no key or setting of whoever runs the tests."""
    names = {name.upper() for name in Settings.model_fields}
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    assert not names & kept.keys()
    return {**kept, "STORAGE_DIR": str(storage), "PYTHONPATH": str(ROOT), **settings}


@contextmanager
def started(way: str, folder: Path, **settings: str) -> Iterator[Server]:
    """``streamlit run app.py`` (``way`` is "pages") or ``python -m selfrag serve`` ("serve").

    It is ended in the end, by force where it does not end by itself.
    """
    port = str(free_port())
    commands = {
        "pages": [
            *("-m", "streamlit", "run", str(ROOT / "app.py"), "--server.headless", "true"),
            *("--server.address", "127.0.0.1", "--server.port", port),
            *("--server.fileWatcherType", "none"),
        ],
        "serve": ["-m", "selfrag", "serve", "--port", port],
    }
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    with log.open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, *commands[way]],
            cwd=folder,
            env=environment(folder / "storage", **settings),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(f"http://127.0.0.1:{port}", folder / "storage", log, child)
    try:
        _wait_until_ready(server)
        yield server
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _wait_until_ready(server: Server) -> None:
    until = time.monotonic() + _START
    while time.monotonic() < until and server.process.poll() is None:
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{server.url}/api/health", timeout=5).status_code == 200:
                return
        time.sleep(0.1)
    said = server.log.read_text(errors="replace")[-3000:]
    raise AssertionError(f"the server did not start:\n{said}")
