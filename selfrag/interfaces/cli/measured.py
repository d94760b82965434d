"""What the commands that measure share: a bar with the time left, and tables on the console."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from selfrag.interfaces.cli.app import fail

if TYPE_CHECKING:
    from rich.console import Console

    from selfrag.evaluation.retrieval_study import Progress
    from selfrag.evaluation.study_text import Table


@contextmanager
def bar(*, quiet: bool) -> Iterator["Progress"]:
    """A bar for each stage on standard error, and what moves it."""
    from rich.console import Console
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
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as shown:
        tasks: dict[str, int] = {}

        def progress(what: str, done: int, total: int) -> None:
            stage = what.split(",")[0]
            if stage not in tasks:
                tasks[stage] = shown.add_task(what, total=total)
            shown.update(tasks[stage], completed=done, total=total, description=what)  # type: ignore[arg-type]

        yield progress


def console() -> "Console":
    """Standard output, wide where nobody looks at an edge."""
    from rich.console import Console

    made = Console()
    if not made.is_terminal:
        made.width = 120  # a file has no edge at which tables would have to be squeezed
    return made


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
