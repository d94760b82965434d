"""What commands and MCP tools work with: the library in this process, or a server that holds it.

Both give the same values, so that whoever asks need not know which of them answers.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from selfrag.interfaces.asking import AnswerBody, SearchParameters
from selfrag.interfaces.schemas import (
    AnswerResult,
    DocumentItem,
    Health,
    IngestItem,
    PageText,
    RunItem,
    SearchResult,
)
from selfrag.reflection.events import Event

if TYPE_CHECKING:
    from selfrag.documents.results import Report

#: (path, number from 1, total) -> what is told as that file goes on
FileReport = Callable[[Path, int, int], "Report | None"]


class Answering(Protocol):
    """A question that is being answered."""

    def events(self) -> Iterator[Event]:
        """Its events as they come, until it ends."""

    def result(self) -> AnswerResult:
        """Wait for its end."""

    def stop(self) -> None:
        """End it now, with what it has."""


class Backend(Protocol):
    """A library that can be asked. Methods block and raise UserError with a sentence."""

    def documents(self) -> list[DocumentItem]:
        """Every document."""

    def pages(self, document_id: str) -> list[PageText]:
        """The text of a document, page by page."""

    def search(self, asked: SearchParameters) -> SearchResult:
        """Search."""

    def ask(self, asked: AnswerBody) -> Answering:
        """Begin to answer a question."""

    def ingest(
        self, paths: Sequence[Path], password: str | None, ocr: bool, report: FileReport
    ) -> Iterator[IngestItem]:
        """Take files and folders in, one after another."""

    def rename(self, document_id: str, name: str) -> DocumentItem:
        """Show and cite a document under another name."""

    def delete(self, document_id: str) -> DocumentItem:
        """Remove a document."""

    def runs(self, most: int) -> list[RunItem]:
        """The latest runs, newest first."""

    def run(self, run_id: str) -> AnswerResult:
        """A run that has ended."""

    def report(self, run_id: str) -> str:
        """A run as one self-contained HTML file."""

    def exported(self, run_id: str) -> dict[str, Any]:
        """A run as a JSON object that can be read back."""

    def exported_text(self, run_id: str) -> str:
        """The same as the text of a file."""

    def health(self) -> Health:
        """How it stands."""
