"""Clients that go away before their request is whole: a line in the log, and nothing else.

An upload is broken off, a tab is closed, a program is killed. That is no fault of the server, so
no traceback is worth reading.
"""

import logging

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)

_MOST = 4_000_000  #: bytes that are read ahead; what is longer is for the application to refuse


class GoneClients:
    """ASGI middleware: ends a request whose client is gone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on."""
        try:
            await self._app(scope, receive, send)
        except ClientDisconnect:
            logger.info(
                "%s %s: the client went away before its end", scope["method"], scope["path"]
            )


async def whole_body(receive: Receive) -> Receive:
    """Read a request's body ahead, for an application that takes its breaking off for a failure.

    Returns:
        what gives the body, and then whatever comes next.

    Raises:
        ClientDisconnect: the client went away before the end of it.
    """
    body = bytearray()
    more = True
    while more and len(body) <= _MOST:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
    read: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": more}]

    async def replay() -> Message:
        return read.pop() if read else await receive()

    return replay
