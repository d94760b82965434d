"""What every program must pass before REST or MCP: where it comes from, and its token."""

import hmac
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from selfrag.interfaces.problems import Problem
from selfrag.settings import Settings

TRUSTED = "selfrag.trusted"  #: in the scope: whether the token was sent, or none is needed
_METHODS = ("GET", "POST", "PATCH", "DELETE")
_SENT = ("Authorization", "Content-Type", "Last-Event-ID", "Mcp-Session-Id", "Mcp-Protocol-Version")
_SHOWN = ("Location", "Retry-After", "Mcp-Session-Id")


class Gate:
    """ASGI middleware.

    A browser tells where a request was made: one that another site made is refused (403) unless
    CORS_ORIGINS names it, because a page on the web can otherwise upload to this machine or have
    questions asked at its owner's cost without ever reading the answer. With API_TOKEN, a
    request must carry it (401); paths in ``public`` are open to all.
    """

    def __init__(
        self, app: ASGIApp, settings: Callable[[], Settings], public: frozenset[str] = frozenset()
    ) -> None:
        self._app = app
        self._settings = settings
        self._public = public
        self._cors: CORSMiddleware | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        origins = self._settings().cors_origins
        if not origins:
            await self._check(scope, receive, send)
            return
        if self._cors is None:
            self._cors = CORSMiddleware(
                self._check,
                allow_origins=origins,
                allow_methods=_METHODS,
                allow_headers=_SENT,
                expose_headers=_SHOWN,
            )
        await self._cors(scope, receive, send)

    async def _check(self, scope: Scope, receive: Receive, send: Send) -> None:
        settings = self._settings()
        headers = Headers(scope=scope)
        public = scope["path"].rstrip("/") in self._public
        trusted = has_token(headers, settings)
        scope[TRUSTED] = trusted
        if not public and is_foreign(headers, settings.cors_origins):
            refusal = Problem(
                403,
                "This request was made by a page of another site, which may not use this server. "
                "If it should, add its origin to CORS_ORIGINS and start again.",
            )
        elif not public and not trusted:
            refusal = Problem(
                401,
                "This server asks for a token: send the header `Authorization: Bearer TOKEN` with "
                "the value of API_TOKEN.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        else:
            await self._app(scope, receive, send)
            return
        await refusal.response()(scope, receive, send)


def has_token(headers: Headers, settings: Settings) -> bool:
    """Whether the right token was sent, or none is needed."""
    if settings.api_token is None:
        return True
    scheme, _, given = headers.get("authorization", "").partition(" ")
    wanted = settings.api_token.get_secret_value().encode()
    # Compared in constant time: how long it takes must not tell how much of it was right.
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), wanted)


def is_foreign(headers: Headers, allowed: tuple[str, ...]) -> bool:
    """Whether a browser says that a page of another origin made the request."""
    origin = headers.get("origin", "").lower()
    if origin:
        same = urlsplit(origin).netloc == headers.get("host", "").lower()
        return not same and origin not in allowed
    # Images, links and forms send no origin when they only read, but still ask at our cost.
    return headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
