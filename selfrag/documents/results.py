"""What is told of a file: how far it is while it is taken in, and what became of it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from selfrag.records.documents import State


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of one file.

    Attributes:
        document: its name.
        document_id: its id in the library; None where it did not get in.
        status: ready (new), unchanged (was there), duplicate (is there under another name),
            failed (``error`` says why and what to do) or cancelled.
        pages, chunks: pages in the file, children in the index.
        seconds: how long it took.
        notes: remarks, such as pages that were left out.
        needs: what would help a file that failed: its ``password``, or ``ocr``; None otherwise.
    """

    document: str
    document_id: str | None
    status: Literal["ready", "unchanged", "duplicate", "failed", "cancelled"]
    pages: int = 0
    chunks: int = 0
    seconds: float = 0.0
    error: str | None = None
    notes: tuple[str, ...] = ()
    needs: Literal["password", "ocr"] | None = None

    def to_json(self) -> dict[str, Any]:
        """One entry of ``ingest --json``."""
        return {**asdict(self), "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a file stands: pages while reading, chunks while embedding."""

    state: State
    done: int
    total: int


Report = Callable[[Progress], None]
