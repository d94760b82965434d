"""What retrieval returns: hits with the rank and score of every stage they passed."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from selfrag.pages import Span


class Mode(StrEnum):
    """How far down the funnel a search goes. The names are the same on every interface."""

    BM25 = "bm25"
    DENSE = "dense"
    HYBRID = "hybrid"
    HYBRID_MMR = "hybrid_mmr"
    HYBRID_RERANK = "hybrid_rerank"
    FULL = "full"


class StageStatus(StrEnum):
    """Whether a stage ran, was wanted but could not run, or is not part of the mode."""

    RAN = "ran"
    SKIPPED = "skipped"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel.

    Attributes:
        name: ``dense``, ``bm25``, ``fusion``, ``mmr``, ``rerank`` or ``parents``.
        status: ran, skipped or off.
        seconds: wall-clock time.
        reason: why it was skipped and what to do, or why the settings leave it out; None where
            it ran.
        candidates_in, candidates_out: how many passages entered and left.
        note: what is remarkable about how it ran, for the person; None otherwise.
    """

    name: str
    status: StageStatus
    seconds: float = 0.0
    reason: str | None = None
    candidates_in: int = 0
    candidates_out: int = 0
    note: str | None = None


@dataclass(frozen=True, slots=True)
class StageScore:
    """A passage's 1-based rank and its score at one stage; scores of two stages do not compare."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A child chunk that was found, and the parent that is read for it.

    Attributes:
        rank: 1-based position in the final list.
        chunk_id, document_id, document: the child and the document's id and name.
        page: the page on which the child begins.
        text: the child's text.
        spans: where the child stands, page by page.
        parent_id, parent_text, parent_spans: the passage that the writer reads.
        children: ids of all children that led to this parent, best first.
        scores: stage name -> rank and score there.
        heading: the outline heading the child stands under, or None.
    """

    rank: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    text: str
    spans: tuple[Span, ...]
    parent_id: str
    parent_text: str
    parent_spans: tuple[Span, ...] = ()
    children: tuple[str, ...] = ()
    scores: dict[str, StageScore] = field(default_factory=dict)
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The result of one search: the final hits and what every stage did.

    ``lists`` holds the whole ranked list (chunk ids, best first) of each stage that ran, and
    ``scores`` (chunk id -> stage -> rank and score) what it gave to each, so that charts and
    evaluation need no second search.

    Attributes:
        notes: why nothing was found and what to do, where that is known.
    """

    query: str
    mode: Mode
    hits: tuple[Hit, ...]
    stages: tuple[Stage, ...]
    seconds: float
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    scores: dict[str, dict[str, StageScore]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The contract of ``retrieve --json`` and ``/api/search``."""
        return {
            "query": self.query,
            "mode": self.mode.value,
            "hits": [
                {
                    "rank": hit.rank,
                    "chunk_id": hit.chunk_id,
                    "document_id": hit.document_id,
                    "document": hit.document,
                    "page": hit.page,
                    "heading": hit.heading,
                    "text": hit.text,
                    "parent_id": hit.parent_id,
                    "scores": {name: asdict(score) for name, score in hit.scores.items()},
                }
                for hit in self.hits
            ],
            "stages": [asdict(stage) for stage in self.stages],
            "seconds": self.seconds,
            "notes": list(self.notes),
        }
