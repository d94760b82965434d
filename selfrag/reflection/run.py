"""One question on its way through the graph, in a thread of its own.

A run belongs to the application, not to whoever asked: it goes on when a page is left, any
number of views may follow its log, and it can be stopped from anywhere.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from langgraph.errors import GraphRecursionError

from selfrag.errors import ModelError, UserError
from selfrag.models.tracing import OFF, Trace, Tracing
from selfrag.models.usage import Usage
from selfrag.reflection.budget import UNLIMITED, Budget
from selfrag.reflection.citing import Locate
from selfrag.reflection.contract import run_json
from selfrag.reflection.events import (
    AnswerDelta,
    Event,
    RunFinished,
    RunStarted,
)
from selfrag.reflection.grades import RetrievalDecision, Support
from selfrag.reflection.graph import build_graph, recursion_limit
from selfrag.reflection.log import EventLog
from selfrag.reflection.outcome import conclude
from selfrag.reflection.record import retries_made, step_usage
from selfrag.reflection.roles import Judge, Turn, Writer
from selfrag.reflection.shortfall import Shortfall
from selfrag.reflection.state import RunContext, State, Stopped
from selfrag.reflection.strategy import USUAL, Shape, Strategy, max_llm_calls
from selfrag.retrieval.result import Retrieval

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunPlan:
    """All that one run needs besides the question.

    Attributes:
        model_configured: whether there is a language model at all, whoever writes.
        usage: what its models have been asked so far; grows while it runs.
        locate: where a quote stands.
        keep: passages the writer is given at most.
        searched: how many documents are searched; None where that is not known.
        shape: strategy and retrieval, and whether it is a follow-up question or a statement.
        history: the conversation so far, oldest turn first, where ``shape.follow_up``.
        cancel: set to end the run; its models' ledger should look at it before each call.
        budget: what the run may spend; calls and tokens are the ledger's to look after.
        lacking: what the budget is too small for from the start, if anything.
        tracing: where the run is traced, if anywhere.
        release: called when the run needs its writer and judge no more.
    """

    writer: Writer
    judge: Judge
    search: Callable[[str], Retrieval]
    locate: Locate
    usage: Callable[[], Usage]
    mode: str
    max_retries: int
    keep: int
    documents: tuple[str, ...] | None = None
    searched: int | None = None
    shape: Shape = USUAL
    history: tuple[Turn, ...] = ()
    budget: Budget = UNLIMITED
    lacking: Shortfall | None = None
    model_configured: bool | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    release: Callable[[], None] = lambda: None
    tracing: Tracing = OFF


class Run:
    """A question being answered, or answered.

    Attributes:
        id: UUID.
        started_at: seconds since the epoch.
        log: its events.
    """

    def __init__(
        self,
        question: str,
        plan: RunPlan,
        finished: Callable[["Run"], None] | None = None,
        started: Callable[["Run"], None] | None = None,
    ) -> None:
        """A run that has not begun.

        Args:
            finished: called once, when the log is closed.
            started: called with the first event in the log, before anything is done.
        """
        self.id = str(uuid.uuid4())
        self.question = question
        self.started_at = time.time()
        self.log = EventLog()
        self._plan = plan
        self._finished = finished
        self._started = started
        self._began = time.perf_counter()
        self._state: State = {}
        self._trace = Trace()
        self._timer: threading.Timer | None = None
        self._spent = ""  # what is said where the time is over
        self._thread = threading.Thread(target=self._work, name=f"run-{self.id[:8]}", daemon=True)

    def start(self) -> "Run":
        """Begin; returns at once.

        Raises:
            Exception: what ``started`` raises; nothing has begun then.
        """
        plan = self._plan
        self.log.append(
            RunStarted(
                run_id=self.id,
                question=self.question,
                strategy=plan.shape.strategy.value,
                retrieval=plan.shape.retrieval.value,
                claim=plan.shape.claim,
                writer=plan.writer.name,
                judge=plan.judge.name,
                language_model=plan.writer.is_language_model,
                model_configured=plan.model_configured,
                judge_language_model=plan.judge.is_language_model,
                max_retries=self._retries,
                mode=plan.mode,
                documents=list(plan.documents) if plan.documents is not None else None,
                max_llm_calls=plan.budget.at_most(
                    max_llm_calls(
                        plan.max_retries,
                        plan.keep,
                        plan.shape,
                        judge_asks=plan.judge.is_language_model,
                        writer_asks=plan.writer.is_language_model,
                    )
                ),
                started_at=self.started_at,
                keep=plan.keep,
                budget={name: value for name, value in asdict(plan.budget).items() if value},
            )
        )
        if self._started is not None:
            self._started(self)
        if plan.budget.seconds is not None:
            self._timer = threading.Timer(
                min(plan.budget.seconds, threading.TIMEOUT_MAX),
                lambda: self._stop(plan.budget.out_of_time),
            )
            self._timer.daemon = True
            self._timer.start()
        self._thread.start()
        return self

    @property
    def _retries(self) -> int:
        return self._plan.shape.retries(self._plan.max_retries)

    def stop(self) -> None:
        """End the run now, with what it has. A request already sent is not waited for."""
        self._stop()

    def _stop(self, spent: str = "") -> None:
        # First: the run's own thread may be the one to end it, as soon as it is cancelled.
        self._spent = self._spent or spent
        self._plan.cancel.set()
        self._end(self._stopped(spent))

    def _stopped(self, spent: str) -> RunFinished:
        """The end of a run that was stopped; ``spent`` says what its budget has come to, if so."""
        end = self._broken_off("stopped", "")
        if not spent:
            return end.model_copy(update={"reason": self._stopped_at(end), "stopped_by": "asked"})
        lacking = self._plan.lacking
        reason = f"{spent}, and {lacking.reason}" if lacking and lacking.setting in spent else spent
        return end.model_copy(update={"reason": reason, "stopped_by": "budget"})

    def _stopped_at(self, end: RunFinished) -> str:
        """How far the answer had come that a stopped run ends with."""
        if not end.answer:
            return "stopped before anything was written"
        if end.attempt is not None:
            return "stopped after the claims of this answer were checked, before the run was over"
        if self._plan.shape.strategy is Strategy.PLAIN:
            return "stopped while the answer was being written"
        return "stopped before the answer was checked"

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
            max_retries=self._retries,
            keep=plan.keep,
            shape=plan.shape,
            history=plan.history,
            documents=plan.searched,
            elapsed=lambda: time.perf_counter() - self._began,
            usage=plan.usage,
            cancel=plan.cancel,
        )
        try:
            with plan.tracing.run("answer", run=self.id) as self._trace:
                for kind, part in build_graph(plan.max_retries, plan.shape).stream(
                    self._beginning(),
                    context=context,
                    stream_mode=["custom", "values"],
                    config={
                        "recursion_limit": recursion_limit(plan.max_retries),
                        **self._trace.config,
                    },
                ):
                    if kind == "custom":
                        self.log.append(part)
                    else:
                        self._state = part
            self._end(conclude(self._state, plan.locate, plan.shape))
        except Stopped as stopped:
            self._end(self._stopped(str(stopped) or self._spent))
        except (ModelError, UserError) as error:
            self._end(self._broken_off("failed", str(error)))
        except Exception as error:
            if self.log.closed:
                # It was stopped, and what it worked with may be gone by now.
                logger.debug("run %s failed after its end", self.id, exc_info=True)
                return
            logger.exception("run %s failed", self.id)
            why = f"Something went wrong ({type(error).__name__}); the log has the details"
            if isinstance(error, GraphRecursionError):
                why = "The run did not come to an end by itself"
            self._end(self._broken_off("failed", why))

    def _beginning(self) -> State:
        state: State = {"question": self.question, "query": None, "attempts": []}
        shape = self._plan.shape
        if not shape.decides:
            why = f"retrieval is set to {shape.retrieval.value}"
            state["decision"] = RetrievalDecision(shape.searches, why)
        return state

    def _broken_off(self, status: Literal["stopped", "failed"], reason: str) -> RunFinished:
        """The end of a run that did not come to it by itself, with what it has: the best attempt
        that was graded, or what was written so far."""
        end = self._best()
        if end is not None and (end.citations or end.status == "answered"):
            return end.model_copy(update={"status": status, "reason": reason})
        written: dict[int, str] = {}
        for event in self.log.snapshot():
            if isinstance(event, AnswerDelta):
                written[event.attempt] = written.get(event.attempt, "") + event.text
        return RunFinished(
            status=status,
            answer=written[max(written)].strip() if written else "",
            support=Support.UNKNOWN if written else Support.NOT_APPLICABLE,
            useful=None,
            retries=0,
            reason=reason,
        )

    def _best(self) -> RunFinished | None:
        """The best attempt that was graded, as the end of a run; None where there is none."""
        if not any(attempt.support for attempt in self._state.get("attempts", [])):
            return None
        try:
            return conclude(self._state, self._plan.locate, self._plan.shape)
        except Exception:  # it may be this that broke the run off, which has to end all the same
            logger.exception("the best attempt of the run %s could not be told", self.id)
            return None

    def _end(self, event: RunFinished) -> None:
        elapsed = round(time.perf_counter() - self._began, 4)
        event = event.model_copy(update={"at_s": elapsed, "elapsed_s": elapsed})
        try:
            event = event.model_copy(
                update={
                    "retries": retries_made(self.log.snapshot()),
                    "usage": step_usage(self._plan.usage()),
                    "trace_url": self._plan.tracing.url(self._trace.id),
                }
            )
        except Exception:  # whatever cannot be told of it, a run ends
            logger.exception("what the run %s took could not be told", self.id)
        if self._timer is not None:
            self._timer.cancel()
        if self.log.append(event, last=True):
            self._plan.release()
            if self._finished is not None:
                self._finished(self)
