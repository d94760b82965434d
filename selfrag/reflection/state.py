"""What the graph carries from node to node, and what it is given for one run."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TypedDict

from selfrag.models.usage import Usage
from selfrag.reflection.grades import (
    Critique,
    RelevanceGrade,
    RetrievalDecision,
    Support,
    SupportGrade,
    UsefulnessGrade,
    VerdictGrade,
)
from selfrag.reflection.roles import Feedback, Judge, Passage, Turn, Writer
from selfrag.reflection.strategy import USUAL, Shape
from selfrag.retrieval.result import Hit, Retrieval


class Stopped(Exception):
    """The person stopped the run, or its budget is spent; the text says which."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer and how it was graded; grades are None until, and unless, they are asked for."""

    number: int
    answer: str
    passages: tuple[Passage, ...]
    support: SupportGrade | None = None
    usefulness: UsefulnessGrade | None = None
    critique: Critique | None = None

    @property
    def rank(self) -> tuple[int, int, int]:
        """How good: by support, then usefulness, then the later. Higher is better."""
        support = self.support.label if self.support else Support.UNKNOWN
        order = [
            Support.NOT,
            Support.NOT_APPLICABLE,  # it only says that the passages do not tell
            Support.UNKNOWN,
            Support.PARTIALLY,
            Support.FULLY,
        ]
        backed = order.index(support)
        useful = (self.usefulness.score or 0) if self.usefulness else 0
        return backed, useful, self.number


class State(TypedDict, total=False):
    """The graph's state. Lists and dicts are replaced, never changed in place."""

    question: str
    query: str | None
    tried: list[str]
    decision: RetrievalDecision
    found: dict[str, Hit]  #: parent id -> hit, over all searches of the run
    latest: list[str]  #: parent ids of the last search, best first
    grades: dict[str, RelevanceGrade]  #: parent id -> grade
    relevant: list[str]  #: parent ids that the writer gets, best first
    written_from: list[tuple[str, ...]]  #: what each attempt so far was written from
    attempts: list[Attempt]
    feedback: Feedback | None
    missing: str
    retries: int
    retrieval_retries: int
    verdict: VerdictGrade | None  #: on a statement
    dead_end: str  #: why another retry could change nothing; empty while one could
    asked: str  #: what the person wrote, while a question made from it is worked with
    unclear: bool  #: nothing is searched: which document is meant is not known


@dataclass(slots=True)
class RunContext:
    """What one run works with. One run, one context; the compiled graph is shared by all.

    Attributes:
        search: query -> retrieval, with the run's mode and chosen documents.
        max_retries: of each kind.
        keep: how many relevant passages the writer is given at most.
        elapsed: seconds since the run began.
        usage: what the language models have been asked so far.
        shape: what the run's graph was built for.
        history: the conversation so far, oldest turn first.
        documents: how many are searched; None where that is not known.
    """

    judge: Judge
    writer: Writer
    search: Callable[[str], Retrieval]
    max_retries: int
    keep: int
    elapsed: Callable[[], float]
    usage: Callable[[], Usage]
    shape: Shape = USUAL
    history: Sequence[Turn] = ()
    documents: int | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    _ahead: tuple[str, Future[Retrieval]] | None = None

    def search_ahead(self, query: str) -> None:
        """Begin a search whose result is thrown away if it turns out not to be needed."""
        pending: Future[Retrieval] = Future()

        def search() -> None:
            try:
                pending.set_result(self.search(query))
            except BaseException as error:
                pending.set_exception(error)

        threading.Thread(target=search, name="search-ahead", daemon=True).start()
        self._ahead = (query, pending)

    def searched(self, query: str) -> Retrieval:
        """The result of searching for ``query``, begun ahead or now."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == query:
            return ahead[1].result()
        return self.search(query)

    def check(self) -> None:
        """Raises ``Stopped`` where the run is to end; called between steps and tokens."""
        if self.cancel.is_set():
            raise Stopped


def passages_of(state: State, keep: int) -> tuple[Passage, ...]:
    """The context for the writer: relevant passages, numbered from 1."""
    chosen: Sequence[str] = state.get("relevant", [])[:keep]
    hits = [state["found"][parent_id] for parent_id in chosen]
    return tuple(number_passages(hits, state.get("grades", {})))


def number_passages(hits: Sequence[Hit], grades: dict[str, RelevanceGrade]) -> list[Passage]:
    """Hits as numbered passages with the relevance shown beside the source."""
    passages = []
    for number, hit in enumerate(hits, start=1):
        grade = grades.get(hit.parent_id)
        judged = grade.probability if grade else None
        relevance = hit_relevance(hit) if judged is None else judged
        passages.append(Passage(number, hit, hit.parent_text, relevance))
    return passages


def hit_relevance(hit: Hit) -> float:
    """A hit's score of the last scoring stage it passed, bounded to 0 to 1."""
    for stage in ("rerank", "fusion", "dense", "bm25"):
        if stage in hit.scores:
            return min(1.0, max(0.0, hit.scores[stage].score))
    return 0.0
