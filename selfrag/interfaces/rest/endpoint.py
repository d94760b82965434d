"""One way to declare an endpoint: what it takes, what it gives, and what may go wrong.

The models that an endpoint names validate its requests and describe them in the OpenAPI
document, so the two cannot differ.
"""

import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import anyio
from anyio import to_thread
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from selfrag import process
from selfrag.errors import NO_ROOM, ModelError, StorageFull, UserError, disk_is_full
from selfrag.interfaces import note
from selfrag.interfaces.access.clients import Limits, client_of
from selfrag.interfaces.problems import Problem
from selfrag.service import SelfRag

logger = logging.getLogger(__name__)

CLIENT_GONE = 499  # as proxies log it; nobody is there to read it
MOST_JSON = 1_000_000  #: bytes of a JSON body
#: Threads of their own, so that pages are served meanwhile; few, because searches that share a
#: core only slow each other down.
THREADS = anyio.CapacityLimiter(2 * (os.cpu_count() or 1) + 2)

Limited = Literal["searches", "answers"]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that has been validated: ``query`` and ``body`` are the endpoint's models."""

    request: Request
    rag: SelfRag
    query: Any = None
    body: Any = None

    def path(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of REST.

    Attributes:
        path: below ``/api``, with ``{name}`` for what varies.
        responses: what is sent where it goes well: status -> model.
        query, body: the models of what is asked for; ``form`` that of an upload.
        problems: further errors that it may end with: status -> when.
        events: whether a stream of events can be asked for in place of JSON.
        limited: which of the limits per client it counts for.
        public: whether it is open to those without the token.
        media: what is sent where it goes well.
    """

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    path: str
    handler: Callable[[Call], Awaitable[Response]]
    summary: str
    responses: Mapping[int, type[BaseModel]]
    query: type[BaseModel] | None = None
    body: type[BaseModel] | None = None
    form: type[BaseModel] | None = None
    problems: Mapping[int, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    events: bool = False
    limited: Limited | None = None
    public: bool = False
    media: str = "application/json"
    description: str = ""


async def serve(
    endpoint: Endpoint, request: Request, library: Callable[[], SelfRag], limits: Limits
) -> Response:
    """Validate a request, let the endpoint answer it, and turn what goes wrong into a problem."""
    try:
        rag = library()
        if endpoint.limited:
            _within(endpoint.limited, request, rag, limits)
        query = body = None
        if endpoint.query is not None:
            query = endpoint.query.model_validate(_parameters(request, endpoint.query))
        if endpoint.body is not None:
            body = endpoint.body.model_validate(await _json(request))
        return await endpoint.handler(Call(request, rag, query, body))
    except ValidationError as error:
        return Problem.invalid(error).response()
    except Problem as problem:
        return problem.response()
    except StorageFull as error:
        return Problem(507, str(error)).response()
    except (UserError, ModelError) as error:
        return Problem(400, str(error)).response()
    except ClientDisconnect:
        logger.info("%s %s: the client went away before its end", endpoint.method, endpoint.path)
        return Response(status_code=CLIENT_GONE)
    except HTTPException:
        raise
    except Exception as error:
        if disk_is_full(error):
            logger.warning("%s %s: the disk is full", endpoint.method, endpoint.path)
            return Problem(507, NO_ROOM).response()
        if process.stopping.is_set():
            return Problem(503, "The server is stopping: ask again once it runs.").response()
        logger.exception("%s %s failed", endpoint.method, endpoint.path)
        return Problem(500, "Something went wrong here; the server's log has it.").response()


def _within(kind: Limited, request: Request, rag: SelfRag, limits: Limits) -> None:
    if note.of_owner(request.headers):
        return
    settings = rag.settings
    most = {"searches": settings.searches_per_minute, "answers": settings.answers_per_minute}[kind]
    wait = limits.take(kind, client_of(request.scope, settings.trusted_proxies), most)
    if wait:
        seconds = max(1, round(wait + 0.5))
        raise Problem(
            429,
            f"{most} {kind} a minute are allowed: try again in {seconds} s, or set "
            f"{kind.upper()}_PER_MINUTE of the server higher (0 is no limit).",
            headers={"Retry-After": str(seconds)},
        )


def _parameters(request: Request, model: type[BaseModel]) -> dict[str, Any]:
    """The query string as the model wants it: lists where it says so."""
    given: dict[str, Any] = {}
    for name, value in request.query_params.multi_items():
        found = model.model_fields.get(name)
        if found is not None and "list" in str(found.annotation):
            given.setdefault(name, []).append(value)
        elif name in given:
            raise Problem(422, f"This request cannot be used: {name} is given twice.")
        else:
            given[name] = value
    return given


async def _json(request: Request) -> Any:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Problem(415, "Send JSON, with the header `Content-Type: application/json`.")
    raw = bytearray()
    async for piece in request.stream():
        raw += piece
        if len(raw) > MOST_JSON:
            raise Problem(413, f"This request is longer than {MOST_JSON:,} bytes: shorten it.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise Problem(422, "This request cannot be used: its body is not JSON.") from None


async def in_thread(work: Callable[[], Any]) -> Any:
    """Do what blocks beside the event loop."""
    return await to_thread.run_sync(work, limiter=THREADS)
