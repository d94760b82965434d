"""Runs: under way, ended, or written out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, RootModel

from selfrag.errors import UserError
from selfrag.interfaces.schemas.base import Quoted, Value
from selfrag.reflection.contract import run_json
from selfrag.reflection.events import Event, RunFinished, StepUsage, parse_event

if TYPE_CHECKING:  # the command line asks a server without loading what makes these
    from selfrag.records.runs import RunRecord, RunSummary


class CitationItem(Value):
    """Where the mark ``[number]`` of the answer points."""

    number: int
    document: str
    document_id: str
    page: int
    quote: Quoted


class EvidenceItem(Value):
    """A sentence for or against a statement."""

    document: str
    document_id: str
    page: int
    quote: Quoted
    against: bool


class AnswerResult(Value):
    """How a run ended."""

    run_id: str
    question: str
    answer: str
    status: Literal["answered", "abstained", "unsupported", "failed", "stopped"] = Field(
        description="answered; abstained (the documents do not tell); unsupported (an answer that "
        "the documents do not back); failed; stopped. Only `answered` may be relied on."
    )
    support: str = Field(description="Whether the documents back the answer.")
    useful: bool | None
    retries: int
    verdict: str | None = Field(description="On a statement: supported, refuted or not enough.")
    evidence: list[EvidenceItem]
    reason: str
    notice: str | None = Field(description="Must be shown with the answer where it is not null.")
    citations: list[CitationItem]
    events: list[dict[str, Any]] = Field(description="The log of the run, in order.")
    usage: StepUsage
    elapsed_s: float
    trace_url: str | None = Field(
        default=None, description="Its trace in LangSmith, where tracing is on."
    )

    @classmethod
    def of(
        cls, run_id: str, question: str, end: RunFinished, kept: Sequence[Event]
    ) -> "AnswerResult":
        """A finished run as it is told."""
        return cls(**run_json(run_id, question, end, list(kept)))

    @classmethod
    def recorded(cls, record: "RunRecord") -> "AnswerResult":
        """A run of the records as it is told.

        Raises:
            UserError: it has not ended.
        """
        events = [parse_event(event) for event in record.events]
        if not events or not isinstance(events[-1], RunFinished):
            raise UserError("This run has not ended: ask for it again in a while.")
        return cls.of(record.id, record.question, events[-1], events)


class Exported(RootModel[dict[str, Any]]):
    """A run as a JSON object that can be read back."""


class Report(RootModel[str]):
    """A run as one self-contained HTML file."""


class RunItem(Value):
    """A run of the records."""

    run_id: str
    question: str
    status: Literal["running", "answered", "abstained", "unsupported", "failed", "stopped"]
    started_at: float = Field(description="Seconds since the epoch.")
    elapsed_s: float | None = Field(description="Seconds it took, if its end was seen.")

    @classmethod
    def of(cls, run: "RunSummary") -> "RunItem":
        """A run as it is told."""
        return cls(
            run_id=run.id,
            question=run.question,
            status=run.status,  # type: ignore[arg-type]
            started_at=run.started_at,
            elapsed_s=run.elapsed_s,
        )


class RunList(Value):
    """The latest runs, newest first."""

    runs: list[RunItem]


class RunUnderWay(Value):
    """A run that has not ended."""

    run_id: str
    question: str
    status: Literal["running"] = "running"
    events: list[dict[str, Any]] = Field(description="Its log so far.")
