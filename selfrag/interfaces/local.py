"""A library that is open in this process, as commands and MCP tools work with it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from selfrag.diagnosis import examine
from selfrag.errors import Missing
from selfrag.interfaces.asking import AnswerBody, SearchParameters
from selfrag.interfaces.backend import Answering, FileReport
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
from selfrag.reflection.run import Run
from selfrag.service import SelfRag


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

    def runs(self, most: int) -> list[RunItem]:
        """The latest runs, newest first."""
        return [RunItem.of(run) for run in self.rag.latest_runs(most)]

    def run(self, run_id: str) -> AnswerResult:
        """A run that has ended."""
        live = self.rag.run(run_id)
        if live is not None:
            return LocalAnswering(live).result()
        record = self.rag.recorded(run_id)
        if record is None:
            raise Missing("run", "There is no run with this id: it is in the answer as `run_id`.")
        return AnswerResult.recorded(record)

    def report(self, run_id: str) -> str:
        """A run as one self-contained HTML file."""
        return self.rag.sharing.html(run_id)

    def exported(self, run_id: str) -> dict[str, Any]:
        """A run as a JSON object that can be read back."""
        return self.rag.sharing.json(run_id)

    def exported_text(self, run_id: str) -> str:
        """The same as the text of a file."""
        return self.rag.sharing.json_text(run_id)

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
