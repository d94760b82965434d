"""One question on its way through the graph, in a thread of its own.

A run belongs to the application, not to whoever asked: it goes on when a page is left, any
number of views may follow its log, and it can be stopped from anywhere.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph.errors import GraphRecursionError

from selfrag.errors import ModelError, UserError
from selfrag.reflection.events import (
    AnswerDelta,
    Event,
    RetrievalRetryCounted,
    RetryCounted,
    RunFinished,
    RunStarted,
    StepUsage,
)
from selfrag.reflection.grades import Support
from selfrag.reflection.graph import build_graph, max_llm_calls, recursion_limit
from selfrag.reflection.log import EventLog
from selfrag.reflection.outcome import Locate, conclude
from selfrag.reflection.roles import Judge, Writer
from selfrag.reflection.state import RunContext, State, Stopped
from selfrag.reflection.story import notice
from selfrag.retrieval.result import Retrieval

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """All that one run needs besides the question.

    Attributes:
        usage: what its models have been asked so far; grows while it runs.
        locate: where a quote stands.
        keep: passages the writer is given at most.
        cancel: set to end the run; its models' ledger should look at it before each call.
    """

    writer: Writer
    judge: Judge
    search: Callable[[str], Retrieval]
    locate: Locate
    usage: Callable[[], Any]
    mode: str
    max_retries: int
    keep: int
    documents: tuple[str, ...] | None = None
    strategy: str = "selfrag"
    cancel: threading.Event = field(default_factory=threading.Event)


class Run:
    """A question being answered, or answered.

    Attributes:
        id: UUID.
        started_at: seconds since the epoch.
        log: its events.
    """

    def __init__(
        self, question: str, plan: RunPlan, finished: Callable[["Run"], None] | None = None
    ) -> None:
        self.id = str(uuid.uuid4())
        self.question = question
        self.started_at = time.time()
        self.log = EventLog()
        self._plan = plan
        self._finished = finished
        self._began = time.perf_counter()
        self._thread = threading.Thread(target=self._work, name=f"run-{self.id[:8]}", daemon=True)

    def start(self) -> "Run":
        """Begin; returns at once."""
        plan = self._plan
        self.log.append(
            RunStarted(
                run_id=self.id,
                question=self.question,
                strategy=plan.strategy,
                writer=plan.writer.name,
                judge=plan.judge.name,
                language_model=plan.writer.is_language_model,
                max_retries=plan.max_retries,
                mode=plan.mode,
                documents=list(plan.documents) if plan.documents is not None else None,
                max_llm_calls=max_llm_calls(plan.max_retries, plan.keep),
            )
        )
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the run now, with what it has. A request already sent is not waited for."""
        self._plan.cancel.set()
        self._end(self._broken_off("stopped", "stopped before the answer was checked"))

    def follow(self, after: int = 0) -> Iterator[Event]:
        """Its events as they come, until it ends."""
        return self.log.follow(after)

    def result(self, timeout: float | None = None) -> RunFinished:
        """Wait for the end and return the last event.

        Raises:
            TimeoutError: it has not ended within ``timeout`` seconds.
        """
        if not self.log.wait(timeout):
            raise TimeoutError(f"the run has not ended within {timeout} s")
        last = self.log.snapshot()[-1]
        assert isinstance(last, RunFinished)
        return last

    def to_json(self) -> dict[str, Any]:
        """The contract of ``ask --json`` and ``/api/answer``; waits for the end."""
        return run_json(self.id, self.question, self.result(), self.log.kept())

    def _work(self) -> None:
        plan = self._plan
        context = RunContext(
            judge=plan.judge,
            writer=plan.writer,
            search=plan.search,
            max_retries=plan.max_retries,
            keep=plan.keep,
            elapsed=lambda: time.perf_counter() - self._began,
            usage=plan.usage,
            cancel=plan.cancel,
        )
        state: State = {}
        try:
            for kind, part in build_graph(plan.max_retries).stream(
                {"question": self.question, "query": None, "attempts": []},
                context=context,
                stream_mode=["custom", "values"],
                config={"recursion_limit": recursion_limit(plan.max_retries)},
            ):
                if kind == "custom":
                    self.log.append(part)
                else:
                    state = part
            self._end(conclude(state, plan.locate))
        except Stopped:
            self._end(self._broken_off("stopped", "stopped"))
        except (ModelError, UserError) as error:
            self._end(self._broken_off("failed", str(error)))
        except GraphRecursionError:
            logger.exception("run %s went past its recursion limit", self.id)
            self._end(self._broken_off("failed", "the run did not come to an end by itself"))
        except Exception as error:
            logger.exception("run %s failed", self.id)
            why = f"something went wrong ({type(error).__name__}); the log has the details"
            self._end(self._broken_off("failed", why))

    def _broken_off(self, status: Literal["stopped", "failed"], reason: str) -> RunFinished:
        """The end of a run that did not come to it by itself, with what was written so far."""
        written: dict[int, str] = {}
        retries = 0
        for event in self.log.snapshot():
            if isinstance(event, AnswerDelta):
                written[event.attempt] = written.get(event.attempt, "") + event.text
            elif isinstance(event, RetryCounted | RetrievalRetryCounted):
                retries += 1
        return RunFinished(
            status=status,
            answer=written[max(written)].strip() if written else "",
            support=Support.UNKNOWN if written else Support.NOT_APPLICABLE,
            useful=None,
            retries=retries,
            reason=reason,
        )

    def _end(self, event: RunFinished) -> None:
        total = self._plan.usage()
        elapsed = round(time.perf_counter() - self._began, 4)
        event = event.model_copy(
            update={
                "at_s": elapsed,
                "elapsed_s": elapsed,
                "usage": StepUsage(
                    llm_calls=total.llm_calls,
                    input_tokens=total.input_tokens,
                    output_tokens=total.output_tokens,
                    estimated=total.estimated,
                ),
            }
        )
        if self.log.append(event, last=True) and self._finished is not None:
            self._finished(self)


def run_json(run_id: str, question: str, end: RunFinished, kept: list[Event]) -> dict[str, Any]:
    """A finished run as its JSON contract."""
    usage = end.usage or StepUsage()
    return {
        "run_id": run_id,
        "question": question,
        "answer": end.answer,
        "status": end.status,
        "support": end.support.value,
        "useful": end.useful,
        "retries": end.retries,
        "reason": end.reason,
        "notice": notice(kept),
        "citations": [
            citation.model_dump(include={"number", "document", "document_id", "page", "quote"})
            for citation in end.citations
        ],
        "events": [event.model_dump(mode="json", exclude_none=True) for event in kept],
        "usage": usage.model_dump(),
        "elapsed_s": end.elapsed_s,
    }
