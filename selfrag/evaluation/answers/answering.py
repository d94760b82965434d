"""One answer of one strategy: a run like any other, that is recorded in no conversation."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from selfrag.evaluation.answers.choice import System
from selfrag.evaluation.answers.gold import Gold
from selfrag.evaluation.answers.questions import Question
from selfrag.models.usage import Usage
from selfrag.reflection.budget import Budget
from selfrag.reflection.casting import Casting
from selfrag.reflection.citing import Locate
from selfrag.reflection.events import (
    ClaimVerdict,
    ContextPassage,
    Event,
    Generated,
    Retrieved,
    RunFinished,
    Status,
)
from selfrag.reflection.options import RunOptions
from selfrag.reflection.planning import make_plan
from selfrag.reflection.run import Run
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.retrieval.funnel import Funnel
from selfrag.retrieval.result import Mode, Retrieval

_LOOK = 0.2  #: seconds between two looks at whether the study was cancelled


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one run.

    Attributes:
        answer: as it was delivered; what to look for where it abstained.
        written: as the writer wrote it, with marks ``[Doc n]``, for the grader; empty where the
            run abstained or failed.
        contexts: the passages that it was written from, in their order.
        found: parent ids of all passages that its searches brought.
        verdict: on a statement; None where none was given.
        reason: why it ended as it did.
        cost_usd: None where a price is not known.
    """

    status: Status
    answer: str
    written: str
    contexts: tuple[ContextPassage, ...]
    found: tuple[str, ...]
    verdict: str | None
    reason: str
    seconds: float
    calls: int
    input_tokens: int
    output_tokens: int
    estimated: bool
    retries: int
    cost_usd: float | None

    @property
    def usage(self) -> Usage:
        """What it spent."""
        return Usage(
            self.calls,
            self.input_tokens,
            self.output_tokens,
            self.estimated,
            self.cost_usd or 0.0,
            self.calls if self.cost_usd is None else 0,
        )

    def to_json(self) -> dict[str, Any]:
        """For a line of a file."""
        contexts = [context.model_dump() for context in self.contexts]
        return {**_plain_fields(self), "contexts": contexts, "found": list(self.found)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        contexts = tuple(ContextPassage.model_validate(each) for each in data["contexts"])
        return cls(**{**data, "contexts": contexts, "found": tuple(data["found"])})


class Answering:
    """Answers questions for a study."""

    def __init__(self, casting: Casting, funnel: Callable[[], Funnel], locate: Locate) -> None:
        self._casting = casting
        self._funnel = funnel
        self._locate = locate

    def options(self, system: System, budget: Budget | None = None) -> RunOptions:
        """As the settings say; the oracle's passages are always looked at.

        Raises:
            UserError: a setting is none of those that there are.
        """
        policy = RetrievalPolicy.ALWAYS.value if system.oracle else None
        return RunOptions.of(self._casting.settings, system.strategy.value, policy, budget=budget)

    def warm_up(self, question: Question, cancel: threading.Event) -> None:
        """Load and keep what the first answer would otherwise wait for; asks no language model."""
        self._funnel().search(question.question, Mode.FULL)
        if not self._casting.settings.llm_configured:
            system = System(Strategy.SELFRAG)
            self.answer(question, system, Gold(), Budget(), cancel)

    def answer(
        self,
        question: Question,
        system: System,
        gold: Gold,
        budget: Budget,
        cancel: threading.Event,
    ) -> Answered:
        """Run to the end, or until ``cancel`` is set; the status is ``stopped`` then.

        Raises:
            UserError: a part has no model to play it.
        """
        options = self.options(system, budget)

        def search(query: str) -> Retrieval:
            if system.oracle:
                return Retrieval(query, Mode.FULL, gold.hits[: options.k], (), 0.0)
            return self._funnel().search(query, Mode.FULL, k=options.k)

        plan = make_plan(
            question.question,
            self._casting,
            options,
            search=search,
            locate=self._locate,
            mode=Mode.FULL.value,
            claim=True if question.label is not None else None,
        )
        run = Run(question.question, plan).start()
        try:
            while not run.log.wait(_LOOK):
                if cancel.is_set():
                    run.stop()
        except BaseException:
            run.stop()  # Ctrl-C: nobody waits for its model any more
            raise
        return answered(run.log.snapshot(), run.result())


def answered(events: Sequence[Event], end: RunFinished) -> Answered:
    """What came of a run, from its log."""
    drafts = {event.attempt: event for event in events if isinstance(event, Generated)}
    draft = drafts.get(end.attempt or 0)
    thoughts = [event.thought for event in events if isinstance(event, ClaimVerdict)]
    given = end.status in ("answered", "unsupported")
    # A verdict that was had where the written answer was not: its reason is what was delivered.
    by_verdict = given and end.verdict is not None and end.answer in thoughts
    written = end.answer if by_verdict or draft is None else draft.answer
    usage = end.usage
    found = [hit.parent_id for e in events if isinstance(e, Retrieved) for hit in e.hits]
    return Answered(
        status=end.status,
        answer=end.answer,
        written=written if given else "",
        contexts=tuple(draft.context) if draft else (),
        found=tuple(dict.fromkeys(found)),
        verdict=end.verdict.value if end.verdict else None,
        reason=end.reason,
        seconds=end.elapsed_s,
        calls=usage.llm_calls if usage else 0,
        input_tokens=usage.input_tokens if usage else 0,
        output_tokens=usage.output_tokens if usage else 0,
        estimated=usage.estimated if usage else False,
        retries=end.retries,
        cost_usd=usage.cost_usd if usage else 0.0,
    )


def _plain_fields(answer: Answered) -> dict[str, Any]:
    skipped = ("contexts", "found")
    names = [name for name in Answered.__dataclass_fields__ if name not in skipped]
    return {name: getattr(answer, name) for name in names}
