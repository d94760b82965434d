"""REST, served beside the pages over the same open library.

Everything below ``/api`` is one application of its own: an unknown path there is a problem in
JSON and not the page that Streamlit gives for whatever it does not know.
"""

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from selfrag import process
from selfrag.interfaces.access.clients import Limits
from selfrag.interfaces.access.gate import Gate
from selfrag.interfaces.problems import Problem
from selfrag.interfaces.rest import answers, documents, health, search
from selfrag.interfaces.rest.endpoint import Endpoint, serve
from selfrag.interfaces.rest.openapi import describe
from selfrag.interfaces.rest.page import page
from selfrag.service import SelfRag

ENDPOINTS: tuple[Endpoint, ...] = (
    *health.ENDPOINTS,
    *documents.ENDPOINTS,
    *search.ENDPOINTS,
    *answers.ENDPOINTS,
)
_PUBLIC = frozenset(
    ["/api/docs", "/api/openapi.json", *(f"/api{item.path}" for item in ENDPOINTS if item.public)]
)


def routes(
    library: Callable[[], SelfRag] = process.current, limits: Limits | None = None
) -> list[BaseRoute]:
    """Everything under ``/api``.

    Args:
        library: gives the open library; called for each request.
        limits: what each client has asked for lately; shared with MCP.
    """
    counted = limits or Limits()
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in ENDPOINTS:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    inner = [_route(path, methods, library, counted) for path, methods in by_path.items()]
    described = describe(ENDPOINTS)

    def openapi(_: Request) -> Response:
        return JSONResponse(described)

    def docs(request: Request) -> Response:
        return page(described, f"{request.url.scheme}://{request.url.netloc}")

    inner += [Route("/openapi.json", openapi), Route("/docs", docs)]
    app = Starlette(routes=inner, exception_handlers={HTTPException: _refused})
    app.router.redirect_slashes = False
    return [Mount("/api", Gate(app, lambda: library().settings, _PUBLIC))]


def _route(
    path: str, methods: dict[str, Endpoint], library: Callable[[], SelfRag], limits: Limits
) -> Route:
    async def dispatch(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await serve(methods[method], request, library, limits)

    return Route(path, dispatch, methods=list(methods))


def _refused(_: Request, error: Any) -> Response:
    told = {
        404: "There is nothing under this path: GET /api/docs describes what there is.",
        405: "This path does not take that method: GET /api/docs describes what there is.",
    }
    detail = told.get(error.status_code, str(error.detail))
    return Problem(error.status_code, detail, headers=error.headers).response()
