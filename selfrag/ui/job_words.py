"""A job in words: its stage, how far it is, how fast, and how long it will take."""

from selfrag.documents.jobs import JobView
from selfrag.documents.results import IngestResult
from selfrag.wording import count, duration

_STAGES = {
    "queued": "waiting",
    "reading": "reading",
    "embedding": "preparing for search",
    "indexing": "writing to the index",
}
_UNITS = {"reading": "page", "embedding": "chunk"}
#: Shares of the whole bar that end with each stage: embedding takes nearly all of the time.
_SPANS = {"reading": (0.0, 0.2), "embedding": (0.2, 0.98), "indexing": (0.98, 1.0)}


def progress(view: JobView) -> str:
    """Such as ``reading page 12 of 45 · 31 pages/s · 2 s left``."""
    stage = _STAGES.get(view.stage, view.stage)
    unit = _UNITS.get(view.stage)
    if unit is None or not view.total:
        return stage
    parts = [f"{stage}, {unit} {view.done:,} of {view.total:,}"]
    if view.rate:
        rate = f"{view.rate:.0f}" if view.rate >= 10 else f"{view.rate:.1f}"
        parts.append(f"{rate} {unit}s/s")
    if view.remaining is not None and view.remaining >= 1:
        parts.append(f"{duration(max(1, round(view.remaining)))} left in this step")
    return " · ".join(parts)


def share(view: JobView) -> float:
    """How much of the job is done, 0 to 1."""
    start, end = _SPANS.get(view.stage, (0.0, 0.0))
    within = min(view.done / view.total, 1.0) if view.total else 0.0
    return start + (end - start) * within


def taken_in(result: IngestResult) -> str:
    """Such as ``25 pages, 45 chunks, 1.2 s``."""
    return ", ".join(
        (count(result.pages, "page"), count(result.chunks, "chunk"), duration(result.seconds))
    )
