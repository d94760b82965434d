"""REST routes, served beside the pages over the same open library."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from selfrag import process
from selfrag.diagnosis import Verdict, examine


def health(_: Request) -> JSONResponse:
    """``GET /api/health``: 200 while the library can be searched, 503 with what to mend else."""
    rag = process.current()
    checks = examine(rag)
    broken = any(check.verdict is Verdict.PROBLEM for check in checks)
    return JSONResponse(
        {
            "status": "problem" if broken else "ok",
            "documents": len(rag.ready()),
            "language_model": rag.settings.llm_configured,
            "checks": [
                {"name": check.name, "verdict": check.verdict.value, "sentence": check.sentence}
                for check in checks
            ],
        },
        status_code=503 if broken else 200,
    )


def routes() -> list[Route]:
    """Everything under ``/api``."""
    return [Route("/api/health", health, methods=["GET"])]
