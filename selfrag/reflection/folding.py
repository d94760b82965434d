"""A run as the Chat page shows it, folded from its event log and from nothing else.

The fold takes events one at a time, so that a run under way and one from the records are drawn
by the same code. A retry opens a new stretch: the timeline is a list of stretches of steps.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from selfrag.reflection.events import (
    AnswerDelta,
    Event,
    FoundPassage,
    Generated,
    PassageGrade,
    QueryRewritten,
    RelevanceGraded,
    RetrievalRetryCounted,
    Retrieved,
    RetryCounted,
    RunFinished,
    RunStarted,
    StepStarted,
    UsefulnessGraded,
)
from selfrag.reflection.strategy import Strategy

RETRIES = ("increment_retry", "increment_retry_for_retrieval")
#: what follows a step of `selfrag` in any case; shown as waiting, so that nothing below moves when
#: they come
SURE_TO_FOLLOW = {
    "generator": ("support_grader", "usefulness_grader"),
    "support_grader": ("usefulness_grader",),
}
_MARK = re.compile(r"\s*\[\s*doc(?:ument)?\.?\s*(\d+)\s*\]", re.IGNORECASE)
_OPEN_MARK = re.compile(r"\s*\[[^\]]{0,12}$")


@dataclass(slots=True)
class Step:
    """A node of the graph that began; ``event`` is what it ended with, None while it runs."""

    node: str
    began_s: float
    event: Event | None = None


@dataclass(slots=True)
class Stretch:
    """The steps up to the next retry; ``because`` is the retry that opened it, None at first."""

    because: RetryCounted | RetrievalRetryCounted | None = None
    steps: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class RunView:
    """What is known of a run so far.

    Attributes:
        started, finished: its first and last event.
        nodes: every node it went through, in order, retries included.
        written: attempt -> the text that has been streamed.
    """

    started: RunStarted | None = None
    finished: RunFinished | None = None
    stretches: list[Stretch] = field(default_factory=lambda: [Stretch()])
    nodes: list[str] = field(default_factory=list)
    written: dict[int, str] = field(default_factory=dict)
    generated: dict[int, Generated] = field(default_factory=dict)
    usefulness: dict[int, UsefulnessGraded] = field(default_factory=dict)
    searches: list[Retrieved] = field(default_factory=list)
    grades: dict[str, PassageGrade] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Iterable[Event]) -> "RunView":
        """The view of a list of events."""
        view = cls()
        for event in events:
            view.add(event)
        return view

    @property
    def steps(self) -> list[Step]:
        """All steps, stretch after stretch."""
        return [step for stretch in self.stretches for step in stretch.steps]

    @property
    def running(self) -> Step | None:
        """The step that is under way."""
        last = self.stretches[-1].steps[-1:]
        return last[0] if last and last[0].event is None and self.finished is None else None

    @property
    def could_retry(self) -> bool:
        """Whether more retries could have changed how it ended: it used up all that it had, and
        the last of them still had something to change."""
        if self.started is None or self.started.strategy != Strategy.SELFRAG:
            return False
        if not self.started.max_retries:
            return True
        if any(
            isinstance(step.event, QueryRewritten) and step.event.query is None
            for step in self.steps
        ):
            return False
        return any(it.because and it.because.retry >= it.because.of for it in self.stretches)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Nodes that are sure to follow the last step of a run that goes on."""
        if self.started is not None and self.started.strategy != Strategy.SELFRAG:
            return ()
        steps = self.stretches[-1].steps
        return SURE_TO_FOLLOW.get(steps[-1].node, ()) if steps and not self.finished else ()

    @property
    def question(self) -> str:
        """What was asked."""
        return self.started.question if self.started else ""

    @property
    def nearest(self) -> list[FoundPassage]:
        """Every passage that was found, each once, those graded relevant first."""
        found: dict[str, FoundPassage] = {}
        for search in reversed(self.searches):
            for hit in search.hits:
                found.setdefault(hit.chunk_id, hit)
        return sorted(found.values(), key=lambda hit: self._closeness(hit.chunk_id), reverse=True)

    @property
    def draft(self) -> str:
        """The answer as it is being written, its marks numbered in order of appearance."""
        if not self.written:
            return ""
        return readable(self.written[max(self.written)])

    def add(self, event: Event) -> None:
        """Take in the next event."""
        match event:
            case RunStarted():
                self.started = event
            case RunFinished():
                self.finished = event
            case AnswerDelta():
                self.written[event.attempt] = self.written.get(event.attempt, "") + event.text
            case StepStarted():
                self._begin(event.node, event.at_s)
            case _:
                self._end(event)

    def _begin(self, node: str, at_s: float) -> None:
        self.nodes.append(node)
        if node not in RETRIES:
            self.stretches[-1].steps.append(Step(node, at_s))

    def _end(self, event: Event) -> None:
        if isinstance(event, RetryCounted | RetrievalRetryCounted):
            self._note(event.step)
            self.stretches.append(Stretch(event))
            return
        running = self.running
        if running is None or running.node != event.step:
            # A stored log holds no announcements.
            self._begin(event.step, event.at_s - event.seconds)
            running = self.stretches[-1].steps[-1]
        running.event = event
        match event:
            case Retrieved():
                self.searches.append(event)
            case RelevanceGraded():
                self.grades.update({grade.chunk_id: grade for grade in event.grades})
            case Generated():
                self.generated[event.attempt] = event
            case UsefulnessGraded():
                self.usefulness[event.attempt] = event

    def _note(self, node: str) -> None:
        if not self.nodes or self.nodes[-1] != node:
            self.nodes.append(node)

    def _closeness(self, chunk_id: str) -> tuple[bool, float]:
        grade = self.grades.get(chunk_id)
        if grade is None:
            return False, 0.0
        return grade.relevant is True, grade.probability or 0.0


def readable(text: str) -> str:
    """A text that is being written: ``[Doc n]`` as ``[1]``, ``[2]`` in order of appearance, and
    no mark that is only half there."""
    order: dict[str, int] = {}
    text = _MARK.sub(lambda mark: f" [{order.setdefault(mark[1], len(order) + 1)}]", text)
    return _OPEN_MARK.sub("", text)
