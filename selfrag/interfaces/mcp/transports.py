"""Where MCP clients connect: ``/mcp`` (streamable HTTP), ``/sse`` (the older SSE), or stdio."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from selfrag.interfaces.access.clients import Limits
from selfrag.interfaces.access.gate import Gate
from selfrag.interfaces.backend import Backend
from selfrag.interfaces.gone import whole_body
from selfrag.interfaces.mcp.server import build
from selfrag.settings import Settings

#: Host and origin are looked at for all that is served, and in one way, by `HostGuard` and `Gate`.
_CHECKED = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class McpEndpoints:
    """MCP over HTTP.

    Attributes:
        routes: to be mounted at the root.
    """

    def __init__(
        self, backend: Callable[[], Backend], settings: Callable[[], Settings], limits: Limits
    ) -> None:
        self._server = build(backend, settings, limits)
        http = self._server.streamable_http_app(
            streamable_http_path="/mcp", transport_security=_CHECKED
        )
        sse = self._server.sse_app(
            sse_path="/sse", message_path="/messages/", transport_security=_CHECKED
        )
        self.routes: list[BaseRoute] = [
            # Each with and without a slash: Streamlit would give a page for the other one.
            Route(path, Gate(_At(app, inner), settings))
            for path, app, inner in (
                ("/mcp", http, "/mcp"),
                ("/mcp/", http, "/mcp"),
                ("/sse", sse, "/sse"),
                ("/sse/", sse, "/sse"),
                ("/messages/", sse, "/messages/"),
            )
        ]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Sessions can be had while inside."""
        async with self._server.session_manager.run():
            yield


class _At:
    """An application that is asked for one path, whatever the request's was."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask it.

        Raises:
            ClientDisconnect: the client went away before its request was whole.
        """
        if scope["type"] == "http" and scope["method"] == "POST":
            receive = await whole_body(receive)
        root = scope.get("root_path", "")
        path = f"{root}{self._path}"
        await self._app({**scope, "path": path, "raw_path": path.encode()}, receive, send)


def serve_stdio(backend: Callable[[], Backend], settings: Callable[[], Settings]) -> None:
    """Speak MCP over standard input and output until the client closes them."""
    build(backend, settings).run("stdio")
