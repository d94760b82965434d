"""One document through the pipeline: read, chunk, embed, index, ready.

The manifest says ``ready`` only once the chunks are in, and in the same transaction the versions
that the document takes the place of are marked for removal: at no instant are two of them ready,
or none.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, replace

from selfrag.documents.chunking import chunk
from selfrag.documents.holdings import Holdings
from selfrag.documents.names import free_name, older_versions
from selfrag.documents.reading import why_nothing
from selfrag.documents.remarks import remarks
from selfrag.documents.results import IngestResult, Progress, Report
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.documents.sizes import ChunkSizes
from selfrag.errors import UserError
from selfrag.models.embeddings import EmbeddingModel
from selfrag.pages import PageKind, Reading
from selfrag.records.documents import DocumentRecord, State

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of one reading.

    Attributes:
        began: ``time.perf_counter()`` when it was asked for.
        password: opens the file; never stored.
        report: called as it goes on.
        cancel: set it to give up.
    """

    began: float
    password: str | None = None
    report: Report | None = None
    cancel: threading.Event | None = None


class Builder:
    """Takes queued documents in, one at a time."""

    def __init__(
        self,
        holdings: Holdings,
        embeddings: EmbeddingModel,
        sandbox: Sandbox,
        sizes: ChunkSizes,
        limits: Limits,
    ) -> None:
        self._holdings = holdings
        self._embeddings = embeddings
        self._sandbox = sandbox
        self._sizes = sizes
        self._limits = limits

    def build(self, record: DocumentRecord, asked: Asked) -> IngestResult:
        """Take a document in.

        Args:
            record: as it stands in the manifest; says whether text is to be recognised, and
                the sizes where it has its own.

        Raises:
            ReadingStopped, UnreadablePdf, TooManyPages, PasswordNeeded: it cannot be read.
            UserError, ModelError, OSError: it cannot be taken in.
            CancelledError: ``cancel`` was set.
        """
        manifest, index = self._holdings.manifest, self._holdings.index
        reading = self._read(record, asked)
        sizes = ChunkSizes.of(record.sizes) or self._sizes
        parents, children = chunk(
            record.sha256,
            reading,
            chunk_size=sizes.size,
            chunk_overlap=sizes.overlap,
            parent_chunk_size=sizes.parent,
        )
        notes = remarks(reading, children, self._embeddings)
        if not children:
            if record.state is not State.READY:
                self._keep(record, reading, notes)
            raise UserError(f"{record.name}: {why_nothing(reading)}")
        vectors = self._embeddings.vectors(
            [child.text for child in children],
            progress=self._stage(record, State.EMBEDDING, asked),
            cancel=asked.cancel,
        )
        if asked.cancel is not None and asked.cancel.is_set():
            raise CancelledError
        older = older_versions(manifest, record, reading)
        given, record = record.name, self._told_apart(record, older)
        if record.name != given:
            notes.append(f"another document is called {given}: this one is {record.name}")
        self._stage(record, State.INDEXING, asked)
        self._keep(record, reading, notes)
        index.delete(record.id)
        index.add(record.id, record.name, parents, children, vectors, reading.language)
        seconds = round(time.perf_counter() - asked.began, 3)
        with self._holdings.admitting:  # a file at the door finds the older ones there or gone
            manifest.replace(
                record.id,
                [other.id for other in older],
                children=len(children),
                parents=len(parents),
                embedding_model=self._embeddings.name,
                seconds=seconds,
            )
            notes += self._replaced(older)
        return IngestResult(
            record.name,
            record.id,
            "ready",
            len(reading.pages),
            len(children),
            seconds,
            notes=tuple(notes),
        )

    def _replaced(self, older: Sequence[DocumentRecord]) -> list[str]:
        """Remove earlier versions. A failure is no failure of the document, which is in."""
        try:
            for other in older:
                self._holdings.drop(other.id)
        except Exception:
            logger.exception("an earlier version could not be removed")
            return ["the earlier version of this file is removed at the next start"]
        return ["replaces the earlier version of this file"] if older else []

    def _read(self, record: DocumentRecord, asked: Asked) -> Reading:
        file = self._holdings.file(record.id)
        reading = self._sandbox.read(
            file,
            limits=self._limits,
            password=asked.password,
            ocr=record.ocr,
            progress=self._stage(record, State.READING, asked),
            cancel=asked.cancel,
            name=record.name,
        )
        if asked.password:
            # Its text is kept open anyway, and its pages are to be shown without the password.
            self._sandbox.unlock(file, asked.password, limits=self._limits)
        return reading

    def _stage(
        self, record: DocumentRecord, state: State, asked: Asked
    ) -> Callable[[int, int], None]:
        """Enter a stage; returns what is to be called as it goes on."""
        self._holdings.manifest.update(record.id, state=state.value, error=None)
        report = asked.report
        if report is None:
            return lambda done, total: None
        report(Progress(state, 0, 0))
        return lambda done, total: report(Progress(state, done, total))

    def _keep(self, record: DocumentRecord, reading: Reading, notes: Sequence[str]) -> None:
        """Write down what was read."""
        self._holdings.manifest.put_pages(record.id, reading.pages)
        self._holdings.manifest.update(
            record.id,
            pages={kind.value: reading.count(kind) for kind in PageKind if reading.count(kind)},
            title=reading.title,
            language=reading.language,
            outline=[asdict(heading) for heading in reading.outline],
            notes=list(notes),
        )

    def _told_apart(
        self, record: DocumentRecord, older: Sequence[DocumentRecord]
    ) -> DocumentRecord:
        """The document under a name that no other upload has."""
        if record.source:
            return record
        replaced = {other.id for other in older} | {record.id}
        name = free_name(self._holdings.manifest, record.name, replaced)
        if name != record.name:
            self._holdings.manifest.update(record.id, name=name)
        return replace(record, name=name)
