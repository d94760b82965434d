"""Judges, writers and searches that say what a test tells them to; for tests of the graph."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from selfrag.models.usage import Usage
from selfrag.pages import Span
from selfrag.reflection.budget import UNLIMITED, Budget
from selfrag.reflection.citing import Locate
from selfrag.reflection.grades import (
    Claim,
    Critique,
    Evidence,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
    SupportGrade,
    UsefulnessGrade,
    Verdict,
    VerdictGrade,
)
from selfrag.reflection.roles import Feedback, Passage, Turn
from selfrag.reflection.run import Run, RunPlan
from selfrag.reflection.strategy import USUAL, Shape
from selfrag.retrieval.result import Hit, Mode, Retrieval


def hit(name: str, rank: int = 1) -> Hit:
    text = f"The text of passage {name}."
    return Hit(
        rank=rank,
        chunk_id=f"child-{name}",
        document_id="d1",
        document="handbook.pdf",
        page=1,
        text=text,
        spans=(Span(1, 0, len(text)),),
        parent_id=f"parent-{name}",
        parent_text=text,
        parent_spans=(Span(1, 0, len(text)),),
    )


@dataclass
class ScriptedJudge:
    """Each method takes its next grade from a function of how often it was asked."""

    decide: Callable[[int], RetrievalDecision] = lambda _: RetrievalDecision(True, "facts")
    relevance: Callable[[int], RelevanceGrade] = lambda _: RelevanceGrade(True, "on topic")
    support: Callable[[int], Support] = lambda _: Support.FULLY
    useful: Callable[[int], UsefulnessGrade] = lambda _: UsefulnessGrade(True, 5)
    rewriting: Callable[[int], Rewrite] = lambda n: Rewrite(f"query {n}")
    criticise: Callable[[int], Critique] = lambda _: Critique(True, "nothing is wrong")
    weigh: Callable[[int], VerdictGrade] = lambda _: VerdictGrade(
        Verdict.SUPPORTED, "it says so", (Evidence(1, "The text of passage"),)
    )
    completing: Callable[[str], Rewrite] = lambda question: Rewrite(f"{question} (of the law)")
    is_language_model: bool = False
    name: str = "scripted judge"
    asked: dict[str, int] = field(default_factory=dict)
    graded: list[str] = field(default_factory=list)

    def _count(self, what: str) -> int:
        self.asked[what] = self.asked.get(what, 0) + 1
        return self.asked[what]

    def decide_retrieval(self, question: str) -> RetrievalDecision:
        return self.decide(self._count("decide"))

    def grade_relevance(self, question: str, passages: Sequence[Passage]) -> list[RelevanceGrade]:
        self.graded += [passage.hit.parent_id for passage in passages]
        return [self.relevance(self._count("relevance")) for _ in passages]

    def grade_support(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> SupportGrade:
        label = self.support(self._count("support"))
        return SupportGrade(label, "thought", (Claim(answer, label),))

    def grade_usefulness(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> UsefulnessGrade:
        return self.useful(self._count("useful"))

    def rewrite(
        self, question: str, tried: Sequence[str], missing: str, passages: Sequence[Passage]
    ) -> Rewrite:
        return self.rewriting(self._count("rewrite"))

    def critique(self, question: str, answer: str, passages: Sequence[Passage]) -> Critique:
        return self.criticise(self._count("critique"))

    def grade_claim(self, statement: str, passages: Sequence[Passage]) -> VerdictGrade:
        return self.weigh(self._count("claim"))

    def complete(self, question: str, history: Sequence[Turn]) -> Rewrite:
        self._count("complete")
        return self.completing(question)


@dataclass
class ScriptedWriter:
    """Writes ``answer(n)`` in three pieces and remembers what it was given each time."""

    answer: Callable[[int], str] = lambda n: f"Answer number {n}. [Doc 1]"
    is_language_model: bool = False
    name: str = "scripted writer"
    given: list[tuple[tuple[str, ...], Feedback | None]] = field(default_factory=list)

    def write(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> Iterator[str]:
        self.given.append((tuple(passage.hit.parent_id for passage in passages), feedback))
        text = self.answer(len(self.given))
        third = max(1, len(text) // 3)
        yield from (text[:third], text[third : 2 * third], text[2 * third :])

    def prompt(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> str:
        return ""


@dataclass
class ScriptedSearch:
    """Finds ``names(n)`` at the n-th search and remembers the queries."""

    names: Callable[[int], list[str]] = lambda n: [f"{n}a", f"{n}b"]
    queries: list[str] = field(default_factory=list)

    def __call__(self, query: str) -> Retrieval:
        self.queries.append(query)
        hits = tuple(hit(name, rank) for rank, name in enumerate(self.names(len(self.queries)), 1))
        return Retrieval(query, Mode.FULL, hits, (), 0.0)


def make_run(
    judge: ScriptedJudge | None = None,
    writer: ScriptedWriter | None = None,
    search: Callable[[str], Retrieval] | None = None,
    *,
    max_retries: int = 3,
    keep: int = 4,
    question: str = "What is it?",
    shape: Shape = USUAL,
    history: tuple[Turn, ...] = (),
    budget: Budget = UNLIMITED,
    documents: int | None = None,
    locate: Locate = lambda found, _: (found.page, None),
) -> Run:
    plan = RunPlan(
        writer=writer or ScriptedWriter(),
        judge=judge or ScriptedJudge(),
        search=search or ScriptedSearch(),
        locate=locate,
        usage=Usage,
        mode="full",
        max_retries=max_retries,
        keep=keep,
        shape=shape,
        history=history,
        budget=budget,
        searched=documents,
    )
    return Run(question, plan).start()
