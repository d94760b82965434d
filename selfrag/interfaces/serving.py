"""What the process serves besides pages, and its life: open, warm up, serve, stop in order.

``streamlit run app.py`` and ``python -m selfrag serve`` differ in the pages alone.
"""

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from selfrag import process
from selfrag.diagnosis import Check, Verdict, examine
from selfrag.errors import UserError
from selfrag.interfaces import note, rest
from selfrag.interfaces.access.clients import Limits
from selfrag.interfaces.access.hosts import HostGuard
from selfrag.interfaces.gone import GoneClients
from selfrag.interfaces.local import Local
from selfrag.interfaces.mcp.transports import McpEndpoints
from selfrag.interfaces.startup import announce
from selfrag.interfaces.stopping import stops_runs
from selfrag.settings import Settings, load_settings

_GRACE = 20  #: seconds that open requests have to end once their runs were stopped


class Programs:
    """REST and MCP over the open library of this process."""

    def __init__(self) -> None:
        limits = Limits()
        self._mcp = McpEndpoints(lambda: Local(process.current()), _settings, limits)
        self.routes: list[BaseRoute] = [
            *rest.routes(process.current, limits),
            *self._mcp.routes,
        ]
        self.middleware = [Middleware(HostGuard, settings=_settings), Middleware(GoneClients)]

    @asynccontextmanager
    async def running(self, url: str, host: str | None) -> AsyncIterator[None]:
        """Open and warm the library, and serve until the end.

        What the person must mend stops the start with a sentence.

        Args:
            url: where this machine reaches the server.
            host: the address that is listened on; None for every one.
        """
        try:
            rag = await to_thread.run_sync(lambda: process.open_once(load_settings()))
            await to_thread.run_sync(rag.warm_up)
            note.write(rag.settings, url)
        except UserError as error:
            said = f"\nSelf-RAG cannot start, nothing is served. {error}\n"
            print(said, file=sys.stderr, flush=True)
            # The server would print a traceback over the sentence and keep its threads.
            os._exit(1)
        checks = await to_thread.run_sync(lambda: examine(rag))
        announce([*checks, *_exposed(rag.settings, host)], url)
        try:
            with stops_runs(rag):
                async with self._mcp.running():
                    yield
        finally:
            note.remove(rag.settings)
            await to_thread.run_sync(process.close)


def _exposed(settings: Settings, host: str | None) -> list[Check]:
    """What those should know who let others reach the server."""
    if host in ("127.0.0.1", "::1", "localhost"):
        return []
    who = f"others can reach this server (it listens on {host or 'every address'})"
    if settings.api_token is None:
        return [Check("access", Verdict.PROBLEM, f"{who} and no token is asked for: set API_TOKEN")]
    return [Check("access", Verdict.OK, f"{who}; programs need the token, pages need none")]


def _settings() -> Settings:
    return process.current().settings


def serve(host: str, port: int) -> int:
    """Serve without pages until told to end; returns the exit code.

    Raises:
        UserError: nothing can listen there.
    """
    programs = Programs()
    url = note.address(host, port)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with programs.running(url, host):
            yield

    app = Starlette(routes=programs.routes, middleware=programs.middleware, lifespan=lifespan)
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        access_log=False,
        log_level="warning",
        proxy_headers=False,  # clients are told apart by `client_of`
        timeout_graceful_shutdown=_GRACE,
    )
    try:
        with socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        ) as listening:
            server = uvicorn.Server(config)
            server.run(sockets=[listening])
    except OSError as error:
        raise UserError(
            f"Nothing can be served at {host}:{port} ({error.strerror or error}). Stop what is "
            "there, or choose another with --port."
        ) from None
    return 0 if server.started else 3
