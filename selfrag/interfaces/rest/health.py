"""Whether the process lives, and whether it can be asked."""

from starlette.responses import Response

from selfrag import process
from selfrag.diagnosis import Verdict, examine
from selfrag.interfaces import note
from selfrag.interfaces.access.gate import TRUSTED
from selfrag.interfaces.rest.endpoint import Call, Endpoint, in_thread
from selfrag.interfaces.rest.sending import send
from selfrag.interfaces.schemas import Alive, Health


async def health(call: Call) -> Response:
    """Ready: 200 while the library can be searched, 503 with what to mend else."""
    rag = call.rag
    if process.stopping.is_set():
        return send(Health(status="problem"), 503)
    checks = await in_thread(lambda: examine(rag))
    if not call.request.scope.get(TRUSTED, True):
        # Sentences name documents and folders; whoever has no token learns only how it stands.
        broken = any(check.verdict is Verdict.PROBLEM for check in checks)
        return send(Health(status="problem" if broken else "ok"), 503 if broken else 200)
    documents = await in_thread(lambda: len(rag.ready()))
    told = Health.of(checks, documents, rag.settings.llm_configured)
    return send(told, 200 if told.status == "ok" else 503)


async def alive(_: Call) -> Response:
    """Alive: 200 as long as the process answers at all."""
    return send(Alive(instance=note.INSTANCE))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/health",
        health,
        "Whether it is ready to be asked",
        {200: Health, 503: Health},
        public=True,
        description="Ready, and what to mend where it is not. Requests are accepted only once "
        "the models are loaded.",
    ),
    Endpoint(
        "GET",
        "/health/live",
        alive,
        "Whether the process lives",
        {200: Alive},
        public=True,
        description="Answers while the process does; restart it where this does not.",
    ),
)
