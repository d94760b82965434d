"""Answers of REST: JSON, or a run's events as they happen."""

import json

import anyio
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from selfrag.interfaces.following import follow
from selfrag.reflection.run import Run

HEARTBEAT = 15.0  #: seconds; keeps proxies from closing a stream while a model thinks
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def send(value: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(
        value.model_dump_json(),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


async def wait_for(run: Run, request: Request) -> bool:
    """Wait for a run's end; False where the client went away before it."""
    ended = False
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        async for _ in follow(run.log):
            pass
        ended = True
        tasks.cancel_scope.cancel()
    return ended


class EventStream(Response):
    """The events of a run as server-sent events (WHATWG HTML, section 9.2).

    Each has the step as its ``event``, its position in the log as ``id`` and its JSON as
    ``data``; the last is ``run_finished``, after which the stream is closed.

    Args:
        after: position in the log from which events are sent.
        owner: whether the run ends when this client goes away.
    """

    media_type = "text/event-stream"

    def __init__(self, run: Run, *, after: int = 0, owner: bool) -> None:
        super().__init__(headers={**_HEADERS, "X-Run-Id": run.id})
        del self.headers["content-length"]
        self._run = run
        self._after = after
        self._owner = owner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the run ends or the client goes away."""
        await send(
            {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
        )
        try:
            async with anyio.create_task_group() as tasks:

                async def watch() -> None:
                    while (await receive())["type"] != "http.disconnect":
                        pass
                    tasks.cancel_scope.cancel()

                tasks.start_soon(watch)
                async for position, event in follow(self._run.log, self._after, HEARTBEAT):
                    if event is None:
                        piece = ": still at it\n\n"
                    else:
                        data = json.dumps(event.model_dump(mode="json"))
                        piece = f"event: {event.step}\nid: {position}\ndata: {data}\n\n"
                    message = {"type": "http.response.body", "body": piece.encode()}
                    await send({**message, "more_body": True})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
                tasks.cancel_scope.cancel()
        finally:
            if self._owner and not self._run.log.closed:
                self._run.stop()
