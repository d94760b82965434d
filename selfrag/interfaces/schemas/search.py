"""What a search found."""

from typing import TYPE_CHECKING

from pydantic import Field

from selfrag.interfaces.schemas.base import Quoted, Value
from selfrag.retrieval.result import Mode, StageStatus

if TYPE_CHECKING:  # the command line asks a server without loading what makes these
    from selfrag.retrieval.result import Retrieval


class Score(Value):
    """Rank (from 1) and score at one stage; scores of two stages do not compare."""

    rank: int
    score: float


class HitItem(Value):
    """A passage that was found."""

    rank: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    heading: str | None
    text: Quoted
    parent_id: str
    scores: dict[str, Score]


class StageItem(Value):
    """One stage of the funnel and what it did."""

    name: str
    status: StageStatus
    seconds: float
    reason: str | None
    candidates_in: int
    candidates_out: int
    note: str | None


class SearchResult(Value):
    """What a search found, and what every stage of it did."""

    query: str
    mode: Mode
    hits: list[HitItem]
    stages: list[StageItem]
    seconds: float
    notes: list[str] = Field(
        default=[],
        description="Why nothing was found, and what was changed about what was asked for.",
    )

    @classmethod
    def of(cls, found: "Retrieval") -> "SearchResult":
        """A retrieval as it is told."""
        return cls(**found.to_json())
