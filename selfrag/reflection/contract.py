"""A finished run as the JSON object that every interface gives."""

from typing import Any

from selfrag.reflection.events import Event, RunFinished, StepUsage
from selfrag.reflection.story import notice


def run_json(run_id: str, question: str, end: RunFinished, kept: list[Event]) -> dict[str, Any]:
    """A finished run as its JSON contract."""
    usage = end.usage or StepUsage()
    return {
        "run_id": run_id,
        "question": question,
        "answer": end.answer,
        "status": end.status,
        "support": end.support.value,
        "useful": end.useful,
        "retries": end.retries,
        "verdict": end.verdict.value if end.verdict else None,
        "evidence": [
            item.model_dump(include={"document", "document_id", "page", "quote", "against"})
            for item in end.evidence
        ],
        "reason": end.reason,
        "notice": notice(kept),
        "citations": [
            citation.model_dump(include={"number", "document", "document_id", "page", "quote"})
            for citation in end.citations
        ],
        "events": [event.model_dump(mode="json") for event in kept],
        "usage": usage.model_dump(),
        "elapsed_s": end.elapsed_s,
        "trace_url": end.trace_url,
    }
