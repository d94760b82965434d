"""What commands and MCP tools work with: the library in this process, or a server that holds it.

Both give the same values, so that whoever asks need not know which of them answers.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from selfrag.diagnosis import examine
from selfrag.documents.results import Report
from selfrag.errors import UserError
from selfrag.interfaces.asking import AnswerBody, SearchParameters
from selfrag.interfaces.schemas import (
    AnswerResult,
    DocumentItem,
    Health,
    IngestItem,
    PageText,
    SearchResult,
)
from selfrag.reflection.events import Event
from selfrag.reflection.run import Run
from selfrag.service import SelfRag

#: (path, number from 1, total) -> what is told as that file goes on
FileReport = Callable[[Path, int, int], Report | None]


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

    def run(self, run_id: str) -> AnswerResult:
        """A run that has ended."""

    def health(self) -> Health:
        """How it stands."""


class Local:
    """The library that is open in this process."""

    def __init__(self, rag: SelfRag) -> None:
        self.rag = rag

    def documents(self) -> list[DocumentItem]:
        """Every document."""
        return [DocumentItem.of(record) for record in self.rag.documents()]

    def pages(self, document_id: str) -> list[PageText]:
        """The text of a document, page by page."""
        record = self.rag.document(document_id)
        return [PageText.of(record, page) for page in self.rag.pages(document_id)]

    def search(self, asked: SearchParameters) -> SearchResult:
        """Search."""
        return SearchResult.of(self.rag.retrieve(asked.q, asked.mode, asked.k, asked.document))

    def ask(self, asked: AnswerBody) -> Answering:
        """Begin to answer a question."""
        return LocalAnswering(begin(self.rag, asked))

    def ingest(
        self, paths: Sequence[Path], password: str | None, ocr: bool, report: FileReport
    ) -> Iterator[IngestItem]:
        """Take files and folders in, one after another."""
        for result in self.rag.ingest(paths, password=password, ocr=ocr, report=report):
            yield IngestItem.of(result)

    def rename(self, document_id: str, name: str) -> DocumentItem:
        """Show and cite a document under another name."""
        return DocumentItem.of(self.rag.rename(document_id, name))

    def delete(self, document_id: str) -> DocumentItem:
        """Remove a document."""
        return DocumentItem.of(self.rag.delete(document_id))

    def run(self, run_id: str) -> AnswerResult:
        """A run that has ended."""
        live = self.rag.run(run_id)
        if live is not None:
            return LocalAnswering(live).result()
        record = self.rag.recorded(run_id)
        if record is None:
            raise UserError("There is no run with this id: it is in the answer as `run_id`.")
        return AnswerResult.recorded(record)

    def health(self) -> Health:
        """How it stands."""
        checks = examine(self.rag)
        return Health.of(checks, len(self.rag.ready()), self.rag.settings.llm_configured)


class LocalAnswering:
    """A run of this process."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def events(self) -> Iterator[Event]:
        """Its events as they come, until it ends."""
        return self._run.follow()

    def result(self) -> AnswerResult:
        """Wait for its end."""
        run = self._run
        end = run.result()
        return AnswerResult.of(run.id, run.question, end, run.log.kept())

    def stop(self) -> None:
        """End it now, with what it has."""
        self._run.stop()


def begin(rag: SelfRag, asked: AnswerBody) -> Run:
    """Begin the run that was asked for.

    Raises:
        UserError: as `SelfRag.start`.
    """
    history = [(turn.question, turn.answer) for turn in asked.history]
    return rag.start(**asked.model_dump(exclude={"history"}), history=history)
