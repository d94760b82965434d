"""Questions and their runs.

A run that was asked for here belongs to the client that waits for it: when the client goes
away, the run is stopped, because nobody else knows of it and it may cost money with every call.
It is recorded as stopped and can be read at ``/api/runs/{id}``. Following a run there stops
nothing.
"""

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from selfrag import process
from selfrag.interfaces.asking import AnswerBody, AnswerParameters, RunsParameters
from selfrag.interfaces.local import begin
from selfrag.interfaces.problems import Problem
from selfrag.interfaces.rest.endpoint import CLIENT_GONE, Call, Endpoint, in_thread
from selfrag.interfaces.rest.sending import EventStream, send, wait_for
from selfrag.interfaces.schemas import AnswerResult, Exported, Report, RunItem, RunList, RunUnderWay
from selfrag.reflection.run import Run

_EVENTS = "text/event-stream"
_NO_RUN = "There is no run with this id: it is in the answer as `run_id`."
_EMPTY = (
    "The library is empty: add a PDF first, on the Documents page, with POST /api/documents or "
    "with `python -m selfrag ingest FILE.pdf`."
)
#: A report holds its images and styles; text of documents in it can do nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


async def answer(call: Call) -> Response:
    """Answer a question: JSON once it is done, or its events as they happen."""
    asked: AnswerParameters = call.body or call.query
    rag = call.rag
    if process.stopping.is_set():
        raise Problem(503, "The server is stopping: ask again once it runs.")
    if asked.retrieval != "never" and not await in_thread(rag.ready):
        raise Problem(409, _EMPTY)
    body = asked if isinstance(asked, AnswerBody) else AnswerBody(**asked.model_dump())
    run: Run = await in_thread(lambda: begin(rag, body))
    if _wants_events(call):
        return EventStream(run, owner=True)
    try:
        if not await wait_for(run, call.request):
            return Response(status_code=CLIENT_GONE)
    finally:
        if not run.log.closed:
            run.stop()
    told = AnswerResult.of(run.id, run.question, run.result(), run.log.kept())
    return send(told, headers={"X-Run-Id": run.id})


async def latest(call: Call) -> Response:
    """The latest runs."""
    asked: RunsParameters = call.query
    found = await in_thread(lambda: call.rag.latest_runs(asked.limit))
    return send(RunList(runs=[RunItem.of(item) for item in found]))


async def run(call: Call) -> Response:
    """A run that is under way or has ended; its events where a stream is asked for."""
    run_id = call.path("run_id")
    live = call.rag.run(run_id)
    if live is not None:
        if _wants_events(call):
            return EventStream(live, after=_last_event(call), owner=False)
        if live.log.closed:
            return send(AnswerResult.of(run_id, live.question, live.result(), live.log.kept()))
        kept = [event.model_dump(mode="json") for event in live.log.kept()]
        return send(RunUnderWay(run_id=run_id, question=live.question, events=kept), 202)
    record = await in_thread(lambda: call.rag.recorded(run_id))
    if record is None:
        raise Problem(404, _NO_RUN)
    return send(AnswerResult.recorded(record))


async def export(call: Call) -> Response:
    """A run as JSON that can be read back."""
    text = await _shared(call, call.rag.sharing.json_text)
    return Response(text, media_type="application/json")


async def report(call: Call) -> Response:
    """A run as one HTML file."""
    text = await _shared(call, call.rag.sharing.html)
    return Response(text, media_type="text/html", headers={"Content-Security-Policy": _POLICY})


async def _shared(call: Call, build: Callable[[str], str]) -> str:
    run_id = call.path("run_id")
    live = call.rag.run(run_id)
    if live is None and await in_thread(lambda: call.rag.recorded(run_id)) is None:
        raise Problem(404, _NO_RUN)
    if live is not None and not live.log.closed:
        raise Problem(409, "This run has not ended: ask for it again in a while.")
    text: str = await in_thread(lambda: build(run_id))
    return text


def _wants_events(call: Call) -> bool:
    return _EVENTS in call.request.headers.get("accept", "").lower()


def _last_event(call: Call) -> int:
    given: Any = call.request.headers.get("last-event-id", "")
    return int(given) + 1 if given.isascii() and given.isdigit() and len(given) < 10 else 0


_TOLD = {
    "responses": {200: AnswerResult},
    "problems": {
        409: "The library is empty.",
        503: "The server is stopping.",
    },
    "events": True,
    "limited": "answers",
    "description": "With the header `Accept: text/event-stream` the events of the run are sent "
    "as they happen, the last being `run_finished`. The run is stopped when the client goes away.",
}

ENDPOINTS = (
    Endpoint(
        "GET",
        "/answer",
        answer,
        "Answer a question",
        query=AnswerParameters,
        **_TOLD,  # type: ignore[arg-type]
    ),
    Endpoint(
        "POST",
        "/answer",
        answer,
        "Answer a question, with the conversation so far",
        body=AnswerBody,
        **_TOLD,  # type: ignore[arg-type]
    ),
    Endpoint(
        "GET",
        "/runs",
        latest,
        "The latest runs",
        {200: RunList},
        query=RunsParameters,
        description="Newest first. Those of a person who logged in are left out.",
    ),
    Endpoint(
        "GET",
        "/runs/{run_id}",
        run,
        "A run and its log",
        {200: AnswerResult, 202: RunUnderWay},
        parts={"run_id": "As `run_id` in the answer."},
        problems={404: "There is no such run."},
        events=True,
        description="202 while it is under way. With `Accept: text/event-stream` it is followed, "
        "from `Last-Event-ID` on where that is sent.",
    ),
    *(
        Endpoint(
            "GET",
            f"/runs/{{run_id}}/{name}",
            handler,
            summary,
            {200: model},
            parts={"run_id": "As `run_id` in the answer."},
            problems={404: "There is no such run.", 409: "It has not ended."},
            media=media,
        )
        for name, handler, summary, model, media in (
            ("export", export, "A run as JSON to keep", Exported, "application/json"),
            ("report", report, "A run as a report for people", Report, "text/html"),
        )
    ),
)
