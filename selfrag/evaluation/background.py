"""Measuring in the background: a study outlives the page and the tab that started it.

One at a time, since a study uses every core while it embeds.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from selfrag.errors import ModelError, UserError
from selfrag.evaluation.retrieval_study import Cancelled, Progress

logger = logging.getLogger(__name__)

S = TypeVar("S")  #: the study: one of retrieval, or one of answers


@dataclass(frozen=True, slots=True)
class Done(Generic[S]):
    """What came of a study.

    Attributes:
        again: whether all of it was there from an earlier run.
        kept_before: whether the history has this very result from before: nothing was added.
        changes: what is different from the last result of this set.
        result_id: under which it is kept in the history.
        folder: where its files were written; None where none were.
    """

    study: S
    again: bool = False
    changes: tuple[str, ...] = ()
    result_id: str | None = None
    folder: Path | None = None
    kept_before: bool = False


@dataclass(frozen=True, slots=True)
class View(Generic[S]):
    """A study under way, or ended, as it stands at one moment.

    Attributes:
        name: of the set.
        what: what is being done.
        done, total: how much of that is done; total 0 where not known yet.
        remaining: seconds left of it at the rate so far, or None.
        ended: what came of it.
        error: why there is none, for the person.
        cancelled: whether it was ended on purpose.
        ending: whether it is asked to end, and has not yet.
        asked: what it was asked for, as whoever started it says it.
    """

    name: str
    what: str = "beginning"
    done: int = 0
    total: int = 0
    remaining: float | None = None
    ended: Done[S] | None = None
    error: str | None = None
    cancelled: bool = False
    ending: bool = False
    asked: object = None

    @property
    def finished(self) -> bool:
        """Whether it is over, well or badly."""
        return self.ended is not None or self.error is not None


#: does the work
Work = Callable[[Progress, threading.Event], Done[S]]


class Background(Generic[S]):
    """At most one study under way, and the last that ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view: View[S] | None = None
        self._cancel = threading.Event()
        self._thread: threading.Thread | None = None
        self._began = ("", 0.0)

    def view(self) -> View[S] | None:
        """The study under way or the last; None where there was none yet."""
        with self._lock:
            return self._view

    def start(self, name: str, work: Work[S], asked: object = None) -> None:
        """Begin.

        Args:
            asked: what is asked for, for whoever looks at it later.

        Raises:
            UserError: one is under way.
        """
        with self._lock:
            if self._view is not None and not self._view.finished:
                raise UserError(f"{self._view.name} is being measured: wait for it or cancel it.")
            self._view = View(name, asked=asked)
            self._cancel = threading.Event()
            self._thread = threading.Thread(
                target=self._run, args=(work, self._cancel), name="evaluation", daemon=True
            )
            self._thread.start()

    def cancel(self) -> None:
        """Ask the study under way to end; what it searched is kept."""
        self._cancel.set()
        with self._lock:
            if self._view is not None and not self._view.finished:
                self._view = replace(self._view, ending=True)

    def wait(self, timeout: float | None = None) -> bool:
        """Whether what was started is over, after at most ``timeout`` seconds."""
        if self._thread is not None:
            self._thread.join(timeout)
            return not self._thread.is_alive()
        return True

    def close(self) -> None:
        """End what is under way and wait for it."""
        self.cancel()
        self.wait(30)

    def _run(self, work: Work[S], cancel: threading.Event) -> None:
        try:
            self._change(ended=work(self._progress, cancel))
        except Cancelled as error:
            self._change(error=str(error), cancelled=True)
        except (UserError, ModelError) as error:
            self._change(error=str(error))
        except Exception:
            logger.exception("measuring failed")
            self._change(
                error="Something went wrong while measuring. The log of the application says "
                "what happened; what was searched is kept."
            )

    def _change(self, **values: object) -> None:
        with self._lock:
            assert self._view is not None
            self._view = replace(self._view, **values)  # type: ignore[arg-type]

    def _progress(self, what: str, done: int, total: int) -> None:
        stage = what.split(",")[0]
        now = time.monotonic()
        if self._began[0] != stage:
            self._began = (stage, now)
        spent = now - self._began[1]
        remaining = spent / done * (total - done) if done and spent > 1 else None
        self._change(what=what, done=done, total=total, remaining=remaining)


class ByPerson(Generic[S]):
    """What is measured for each person; nobody sees what another one asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: dict[str | None, Background[S]] = {}

    def of(self, owner: str | None) -> Background[S]:
        """Where this person's studies run; None is everybody without a name."""
        with self._lock:
            return self._all.setdefault(owner, Background())

    def close(self) -> None:
        """End everything that is under way."""
        with self._lock:
            all_of_them = list(self._all.values())
        for each in all_of_them:
            each.cancel()
        for each in all_of_them:
            each.close()
