"""Which names this server answers to.

A page on the web can have its own name resolve to this machine, and then reads what is served
here as if it were its own (DNS rebinding). The browser still sends that name, so a name that
nobody vouched for is refused, on the pages too: Streamlit takes any origin that equals the host.
An IP address cannot be rebound, and ``localhost`` and the machine's own name are nobody else's.
"""

import ipaddress
import socket
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from selfrag.settings import Settings


def host_name(host: str) -> str:
    """The name in a Host header or a netloc: no port, no brackets, lower case."""
    host = host.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and ":" not in name else host


def is_allowed(host: str, allowed: tuple[str, ...]) -> bool:
    """Whether a request for this host is answered; ``allowed`` is the setting."""
    name = host_name(host).rstrip(".")
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        pass
    else:
        return True
    if name == "localhost" or name.endswith(".localhost") or name in _own_names():
        return True
    return any(
        name.endswith(pattern[1:]) if pattern.startswith("*.") else name == host_name(pattern)
        for pattern in allowed
    )


def _own_names() -> set[str]:
    own = socket.gethostname().lower()
    return {own, f"{own.partition('.')[0]}.local"} - {""}


class HostGuard:
    """Refuses requests for other names, on pages, REST and MCP alike (421)."""

    def __init__(self, app: ASGIApp, settings: Callable[[], Settings]) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is addressed to this server."""
        host = Headers(raw=scope.get("headers", [])).get("host", "")
        addressed = scope["type"] in ("http", "websocket")
        if not addressed or is_allowed(host, self._settings().allowed_hosts):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        text = (
            f"This server does not answer to the name {host_name(host)[:100]!r}. If it is "
            "reached under that name, add it to ALLOWED_HOSTS and start again.\n"
        )
        await PlainTextResponse(text, status_code=421)(scope, receive, send)
