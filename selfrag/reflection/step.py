"""One step of a run: announced when it begins, stamped with time and cost when it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from selfrag.models.usage import Usage
from selfrag.reflection import events
from selfrag.reflection.record import difference
from selfrag.reflection.state import RunContext

Run = Runtime[RunContext]


@dataclass(slots=True)
class Step:
    """Stamps the events of one step with its time, its length and what it cost."""

    runtime: Run
    began: float
    before: Usage

    def emit(self, event: Any) -> None:
        """Tell the event that ends the step."""
        context = self.runtime.context
        now = context.elapsed()
        self.runtime.stream_writer(
            event.model_copy(
                update={
                    "at_s": round(now, 4),
                    "seconds": round(now - self.began, 4),
                    "usage": difference(context.usage(), self.before),
                }
            )
        )


@contextmanager
def step_of(runtime: Run, node: str) -> Iterator[Step]:
    """Announce ``node``, and look before and after it whether the run is to go on.

    Raises:
        Stopped: it is not.
    """
    context = runtime.context
    context.check()
    began = context.elapsed()
    runtime.stream_writer(events.StepStarted(node=node, at_s=round(began, 4)))
    yield Step(runtime, began, context.usage())
    context.check()
