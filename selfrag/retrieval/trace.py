"""The record of one search: what every stage did, and the rank and score it gave each passage."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from selfrag.retrieval.result import Stage, StageScore, StageStatus


@dataclass(slots=True)
class Trace:
    """Collects what the stages do to one search."""

    stages: list[Stage] = field(default_factory=list)
    scores: dict[str, dict[str, StageScore]] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    seconds: float = 0.0

    @contextmanager
    def timed(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds = time.perf_counter() - began

    def ran(
        self,
        name: str,
        ranked: list[tuple[str, float]],
        candidates_in: int,
        note: str | None = None,
    ) -> None:
        self.stages.append(
            Stage(name, StageStatus.RAN, self.seconds, None, candidates_in, len(ranked), note)
        )
        self.lists[name] = tuple(item for item, _ in ranked)
        for rank, (item, score) in enumerate(ranked, start=1):
            self.scores.setdefault(item, {})[name] = StageScore(rank, score)

    def grouped(self, name: str, items: list[str], candidates_in: int) -> None:
        """A stage that gathers passages without scoring them."""
        self.stages.append(
            Stage(name, StageStatus.RAN, self.seconds, None, candidates_in, len(items))
        )
        self.lists[name] = tuple(items)

    def skipped(self, name: str, reason: str, candidates: int) -> None:
        self.stages.append(Stage(name, StageStatus.SKIPPED, 0.0, reason, candidates, candidates))

    def off(self, name: str, reason: str | None = None) -> None:
        self.stages.append(Stage(name, StageStatus.OFF, reason=reason))
