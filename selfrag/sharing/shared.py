"""Runs to be shared: found by their id, wherever they are, and written as HTML or JSON."""

from collections.abc import Callable
from typing import Any

from selfrag.errors import Missing
from selfrag.records.runs import RunRecord
from selfrag.reflection.events import Event, parse_event
from selfrag.reflection.run import Run
from selfrag.sharing.export import export, export_text
from selfrag.sharing.report import PageImage, html_report


class Sharing:
    """Writes runs for others.

    Args:
        live: the run while the process holds it.
        recorded: the run in the records.
        page_image: draws a page with quotes highlighted.
    """

    def __init__(
        self,
        live: Callable[[str], Run | None],
        recorded: Callable[[str], RunRecord | None],
        page_image: PageImage,
    ) -> None:
        self._live = live
        self._recorded = recorded
        self._page_image = page_image

    def events(self, run_id: str) -> list[Event]:
        """The log of a run as it is kept; that of one under way so far.

        Raises:
            UserError: there is no such run.
        """
        if (run := self._live(run_id)) is not None:
            return run.log.kept()
        record = self._recorded(run_id)
        if record is None:
            raise Missing("run", f"There is no run {run_id}: check its id; shared files name it.")
        return [parse_event(event) for event in record.events]

    def html(self, run_id: str) -> str:
        """A run that has ended as one self-contained HTML file.

        Raises:
            UserError: there is no such run, or it has not ended.
        """
        return html_report(self.events(run_id), self._page_image)

    def json(self, run_id: str) -> dict[str, Any]:
        """A run that has ended as a JSON object; see `selfrag.sharing.export`.

        Raises:
            UserError: as `html`.
        """
        return export(self.events(run_id))

    def json_text(self, run_id: str) -> str:
        """`json` as the text of a file."""
        return export_text(self.events(run_id))


def file_name(question: str, suffix: str) -> str:
    """A name for the file of a run that every system takes: ``self-rag what is the range.html``."""
    words = "".join(letter if letter.isalnum() else " " for letter in question).split()
    name = " ".join(words)[:60].strip()
    return f"self-rag {name}{suffix}" if name else f"self-rag{suffix}"
