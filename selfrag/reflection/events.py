"""The events of a run. A run is the list of them, and every view is folded from that list.

Each event names its ``step`` and the second at which it was emitted (``at_s``, from the start of
the run). An event that ends a step also says how long the step took and what it cost. The
models are strict about nothing but their step, so that logs of earlier versions can be read.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from selfrag.reflection.grades import Support, Verdict

Status = Literal["answered", "abstained", "unsupported", "failed", "stopped"]

#: What ended a run before its time: whoever asked (or for them: their program is gone, the
#: application closes), its budget, or the end of an application that could not close it any more.
StoppedBy = Literal["asked", "budget", "cut_off"]


class StepUsage(BaseModel):
    """What a step or a run asked of language models; tokens are the endpoint's own count,
    or an estimate (4 characters each) where ``estimated``. ``cost_usd`` is None where a price is
    not known."""

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    cost_usd: float | None = None


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    at_s: float = 0.0
    seconds: float = 0.0
    usage: StepUsage | None = None
    error: str | None = None


class RunStarted(_Event):
    """What was asked, of whom, and within which bounds."""

    step: Literal["run_started"] = "run_started"
    run_id: str
    question: str
    strategy: str
    writer: str
    judge: str
    language_model: bool
    max_retries: int
    mode: str
    documents: list[str] | None = None
    max_llm_calls: int = 0  #: no run makes more
    retrieval: str = "adaptive"
    claim: bool = False  #: a statement, that ends with a verdict
    judge_language_model: bool = True
    model_configured: bool | None = None  #: a language model, whoever wrote; None: not told
    budget: dict[str, float] = Field(default_factory=dict)  #: calls, tokens, seconds, if any
    started_at: float | None = None  #: seconds since the epoch
    keep: int | None = None  #: passages that the writer is given at most


class StepStarted(_Event):
    """A node began; the views show it as waiting until its own event comes."""

    step: Literal["step_started"] = "step_started"
    node: str


class QuestionRewritten(_Event):
    """A follow-up question, made self-contained from the conversation. What follows in the run
    works with ``question``; ``original`` is what the person wrote."""

    step: Literal["question_rewritten"] = "question_rewritten"
    original: str
    question: str
    changed: bool
    search_only: bool = False  #: ``question`` is what was searched for; the original is answered
    thought: str = ""
    turns: int = 0  #: of the conversation, that were looked at


class RetrievalDecided(_Event):
    """Whether the documents are needed."""

    step: Literal["retrieval_decision"] = "retrieval_decision"
    retrieve: bool
    thought: str = ""
    probability: float | None = None
    unclear: bool = False  #: which document is meant is not known, so nothing is searched


class FoundPassage(BaseModel):
    """A hit as the log keeps it."""

    rank: int
    chunk_id: str
    parent_id: str
    document_id: str
    document: str
    page: int
    text: str
    heading: str | None = None
    scores: dict[str, dict[str, float]] = Field(default_factory=dict)


class Retrieved(_Event):
    """What one search found, and what every stage of it did."""

    step: Literal["retrieve"] = "retrieve"
    query: str
    mode: str
    hits: list[FoundPassage]
    stages: list[dict[str, Any]]
    new: int = 0  #: passages that no earlier search of this run had found
    candidates: int = 0  #: passages considered before the last stages
    documents: int = 0  #: documents they came from


class PassageGrade(BaseModel):
    """The relevance grade of one passage; ``relevant`` is None where it could not be had."""

    chunk_id: str
    document: str
    page: int
    relevant: bool | None
    thought: str = ""
    probability: float | None = None
    error: str | None = None
    earlier: bool = False  #: graded in an earlier round of this run, not asked again


class RelevanceGraded(_Event):
    """Which passages help to answer the question."""

    step: Literal["relevance_grader"] = "relevance_grader"
    grades: list[PassageGrade]


class QueryRewritten(_Event):
    """The next query, or None where there is none that was not tried.

    ``by_itself``: it is the person's own question, without what the conversation had added.
    """

    step: Literal["query_rewriter"] = "query_rewriter"
    query: str | None
    thought: str = ""
    tried: list[str]
    by_itself: bool = False


class AnswerDelta(_Event):
    """A piece of the answer as it is written. Not kept: ``generator`` holds the whole."""

    step: Literal["answer_delta"] = "answer_delta"
    attempt: int
    text: str


class ContextPassage(BaseModel):
    """A passage exactly as the writer was given it."""

    number: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    relevance: float
    text: str


class Generated(_Event):
    """One attempt at an answer, the passages it was written from, and what it was told to mend.

    ``prompt`` is every word that the language model was sent, rules and passages; empty where none
    wrote.
    """

    step: Literal["generator"] = "generator"
    attempt: int
    answer: str
    context: list[ContextPassage]
    mended: list[str] = Field(default_factory=list)
    prompt: str = ""


class ClaimGrade(BaseModel):
    """One claim of the answer; ``document`` is the number of the passage that backs it."""

    text: str
    support: Support
    document: int | None = None
    quote: str | None = None
    probability: float | None = None


class SupportGraded(_Event):
    """Whether the answer is backed, and claim by claim by what."""

    step: Literal["support_grader"] = "support_grader"
    attempt: int
    label: Support
    thought: str = ""
    claims: list[ClaimGrade] = Field(default_factory=list)
    probability: float | None = None
    claim: bool = False  #: a statement was to be checked: its claims are not those written


class UsefulnessGraded(_Event):
    """Whether the answer answers the question, 1 to 5; of a statement, whether it speaks of it."""

    step: Literal["usefulness_grader"] = "usefulness_grader"
    attempt: int
    useful: bool | None
    score: int | None = None
    thought: str = ""
    missing: str = ""
    probability: float | None = None
    perhaps: bool = False  #: good enough to be given, but the judge is not sure that it answers
    claim: bool = False  #: a statement was to be checked, and no question answered


class SelfCritiqued(_Event):
    """The one yes or no of the strategy `critique`; ``passed`` is None where it was not had."""

    step: Literal["self_critique"] = "self_critique"
    attempt: int
    passed: bool | None
    thought: str = ""


class EvidenceSentence(BaseModel):
    """A sentence for or against a statement."""

    chunk_id: str
    document_id: str
    document: str
    page: int
    quote: str
    against: bool = False


class ClaimVerdict(_Event):
    """What the documents say of a statement; ``verdict`` is None where it could not be had."""

    step: Literal["claim_verdict"] = "claim_verdict"
    verdict: Verdict | None
    thought: str = ""
    probability: float | None = None
    evidence: list[EvidenceSentence] = Field(default_factory=list)


class RetryCounted(_Event):
    """The answer is written again, told which claims were not backed or what a critique found."""

    step: Literal["increment_retry"] = "increment_retry"
    retry: int
    of: int
    unsupported: list[str]
    critique: str = ""


class RetrievalRetryCounted(_Event):
    """The documents are searched again, told what was missing."""

    step: Literal["increment_retry_for_retrieval"] = "increment_retry_for_retrieval"
    retry: int
    of: int
    missing: str = ""


class Citation(BaseModel):
    """A mark in the answer: which document and page, and the words there that back it.

    ``number`` is what the reader sees, 1 for the first words cited. A passage that backs claims
    with several of its sentences has a citation for each.
    """

    number: int
    chunk_id: str
    document_id: str
    document: str
    page: int
    quote: str
    label: str | None = None


class RunFinished(_Event):
    """How it ended. ``reason`` says in a sentence why, and what to do where it is not answered."""

    step: Literal["run_finished"] = "run_finished"
    status: Status
    answer: str
    support: Support
    useful: bool | None
    retries: int
    citations: list[Citation] = Field(default_factory=list)
    claims: list[ClaimGrade] = Field(default_factory=list)
    attempt: int | None = None  #: the attempt that was delivered
    verdict: Verdict | None = None  #: on a statement
    evidence: list[EvidenceSentence] = Field(default_factory=list)
    reason: str = ""
    removed_citations: int = 0  #: marks that named no passage, taken out of the answer
    stopped_by: StoppedBy | None = None  #: where the status is ``stopped``
    unclear: bool = False  #: nothing was searched: which document is meant is not known
    elapsed_s: float = 0.0
    trace_url: str | None = None  #: in LangSmith, where the run was traced

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: Any) -> Any:
        """Their logs tell what stopped a run in the words of ``reason`` alone."""
        if not isinstance(data, dict) or data.get("status") != "stopped" or "stopped_by" in data:
            return data
        reason = str(data.get("reason") or "")
        by = "asked" if reason.startswith("stopped") else "cut_off"
        return data | {"stopped_by": "budget" if reason.endswith(" is spent") else by}


Event = Annotated[
    RunStarted
    | StepStarted
    | QuestionRewritten
    | RetrievalDecided
    | Retrieved
    | RelevanceGraded
    | QueryRewritten
    | AnswerDelta
    | Generated
    | SupportGraded
    | UsefulnessGraded
    | SelfCritiqued
    | ClaimVerdict
    | RetryCounted
    | RetrievalRetryCounted
    | RunFinished,
    Field(discriminator="step"),
]

_ADAPTER: TypeAdapter[Event] = TypeAdapter(Event)


def parse_event(data: Any) -> Event:
    """An event from its JSON object, for replay."""
    return _ADAPTER.validate_python(data)


def is_kept(event: Event) -> bool:
    """Whether the event belongs to the stored log; pieces of text and announcements don't."""
    return not isinstance(event, AnswerDelta | StepStarted)
