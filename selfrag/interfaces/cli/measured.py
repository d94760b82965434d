"""What the commands that measure share: how far they are, with the time left, and tables on the
console."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from selfrag.interfaces.cli.app import fail
from selfrag.wording import duration

if TYPE_CHECKING:
    from rich.console import Console

    from selfrag.evaluation.retrieval_study import Progress
    from selfrag.evaluation.study_text import Table


@contextmanager
def bar(*, quiet: bool) -> Iterator["Progress"]:
    """How far each stage is, on standard error, and what moves it: a bar on a terminal, else a line
    at its beginning, at each tenth of it and at its end."""
    from selfrag.interfaces.consoles import console

    to = console(errors=True)
    if not quiet and not to.is_terminal:
        yield Lines(lambda line: to.print(line, markup=False))
        return

    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=to, transient=True, disable=quiet) as shown:
        tasks: dict[str, int] = {}

        def progress(what: str, done: int, total: int) -> None:
            stage = what.split(",")[0]
            if stage not in tasks:
                tasks[stage] = shown.add_task(what, total=total)
            shown.update(tasks[stage], completed=done, total=total, description=what)  # type: ignore[arg-type]

        yield progress


class Lines:
    """Progress as lines: ``hybrid: 30 of 300, about 2 min left``.

    Args:
        say: takes a line.
        clock: seconds.
        every: seconds between two lines of one stage, so that a fast one does not flood a log.
    """

    def __init__(
        self,
        say: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
        every: float = 2.0,
    ) -> None:
        self._say, self._clock, self._every = say, clock, every
        self._stages: dict[str, _Stage] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take in how far it is; says a line where a tenth is passed."""
        name, now = what.split(",")[0], self._clock()
        stage = self._stages.get(name)
        if stage is None:
            stage = self._stages[name] = _Stage(now, done, now, done)
            self._say(f"{what}: {done:,} of {total:,}" if total > 1 else what)
            return
        tenths = [10 * each // max(total, 1) for each in (stage.told, done)]
        whole = done >= total > max(stage.told, 1)
        if not whole and (tenths[0] >= tenths[1] or now - stage.at < self._every):
            return
        stage.at, stage.told = now, done
        left = (now - stage.began) / (done - stage.first) * (total - done)
        self._say(
            f"{what}: {done:,} of {total:,}" + ("" if whole else f", about {duration(left)} left")
        )


@dataclass(slots=True)
class _Stage:
    """When one began and what was done then; the same of its last line."""

    began: float
    first: int
    at: float
    told: int


def tell(to: "Console", lines: Sequence[str]) -> None:
    """Sentences, each on a line of its own."""
    for line in lines:
        to.print(line, markup=False, highlight=False)


def draw(to: "Console", tables: Sequence["Table"]) -> None:
    """Tables, one below the other."""
    from rich import box
    from rich.table import Table as Drawn

    for title, heads, rows in tables:
        table = Drawn(title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
        for place, head in enumerate(heads):
            table.add_column(head, justify="left" if not place else "right", no_wrap=not place)
        for row in rows:
            table.add_row(*row)
        to.print(table, markup=False)


def leave(message: str, as_json: bool) -> NoReturn:
    """Say why it ends, and end at once with exit code 1; the library must be closed.

    Python would wait at its end for the threads that wait for a model, however long that takes.
    """
    try:
        fail(message, as_json)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
