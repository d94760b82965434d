"""The library: documents on their way in and out.

    file -> hash -> copy -> read -> chunk -> embed -> index -> ready

Identity is the content's SHA-256. The manifest's row is written before the first chunk and reads
``ready`` only after the last, so that whatever a crash leaves behind is recognised and is
finished or removed (``recover``). A changed file under the same name takes the old one's place
only when its own chunks are in.
"""

import errno
import hashlib
import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from selfrag.documents.chunking import chunk
from selfrag.documents.errors import (
    PasswordNeeded,
    ReadingStopped,
    TooManyPages,
    UnreadablePdf,
)
from selfrag.documents.reading import why_nothing
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.documents.versions import is_version
from selfrag.errors import ModelError, UserError
from selfrag.index.store import Index
from selfrag.models.embeddings import EmbeddingModel
from selfrag.models.multilingual import advice
from selfrag.pages import PageKind, Reading
from selfrag.records.documents import DocumentRecord, Documents, State

logger = logging.getLogger(__name__)

CANCELLED = "Reading was cancelled before it was done: read the document again."
UNFINISHED = (State.QUEUED, State.READING, State.EMBEDDING, State.INDEXING)


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What became of one file.

    Attributes:
        document: its name.
        document_id: its id in the library; None where it did not get in.
        status: ready (new), unchanged (was there), duplicate (is there under another name),
            failed (``error`` says why and what to do) or cancelled.
        pages, chunks: pages in the file, children in the index.
        seconds: how long it took.
        notes: remarks, such as pages that were left out.
        needs: what would help a file that failed: its ``password``, or ``ocr``; None otherwise.
    """

    document: str
    document_id: str | None
    status: Literal["ready", "unchanged", "duplicate", "failed", "cancelled"]
    pages: int = 0
    chunks: int = 0
    seconds: float = 0.0
    error: str | None = None
    notes: tuple[str, ...] = ()
    needs: Literal["password", "ocr"] | None = None

    def to_json(self) -> dict[str, Any]:
        """One entry of ``ingest --json``."""
        return {**asdict(self), "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a file stands: pages while reading, chunks while embedding."""

    state: State
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Characters of children and parents."""

    size: int
    overlap: int
    parent: int


Report = Callable[[Progress], None]


class Library:
    """The documents of one storage folder. One file is ingested at a time."""

    def __init__(
        self,
        files: Path,
        documents: Documents,
        index: Index,
        embeddings: EmbeddingModel,
        sandbox: Sandbox,
        sizes: ChunkSizes,
        limits: Limits,
        owns_index: bool = True,
    ) -> None:
        self._files = files
        self._documents = documents
        self._index = index
        self._embeddings = embeddings
        self._sandbox = sandbox
        self._sizes = sizes
        self._limits = limits
        self._owns_index = owns_index
        self._one_at_a_time = threading.Lock()
        self._admitting = threading.Lock()
        self._leaving = threading.Event()
        files.mkdir(parents=True, exist_ok=True)

    def file(self, document_id: str) -> Path:
        """Where the library keeps its copy of a document."""
        return self._files / f"{document_id}.pdf"

    def ingest(
        self,
        path: Path,
        *,
        name: str | None = None,
        source: str | None = None,
        password: str | None = None,
        ocr: bool = False,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestResult:
        """Take a file into the library; the library's own copy is what is read from then on.

        Args:
            path: the file.
            name: as shown and cited; the file's own where None.
            source: where it came from, to recognise a changed version of it.
            password: opens it; never stored.
            ocr: recognise text on pages that have none, where tesseract is installed.
            report: called as it goes on.
            cancel: set it to give up; nothing is left of the file then.

        A bad file is no exception: the result says ``failed`` and why.
        """
        began = time.perf_counter()
        record = self.admit(path, name=name, source=source)
        if isinstance(record, IngestResult):
            return record
        with self._one_at_a_time:
            return self._process(record, began, password, ocr, report, cancel)

    def admit(
        self, path: Path, *, name: str | None = None, source: str | None = None
    ) -> DocumentRecord | IngestResult:
        """Copy a file into the library and queue it: from here on no crash loses it.

        Returns:
            The queued document, to be taken in with ``resume``; or what became of the file
            where that is not needed (it is there already) or not possible.
        """
        name = clean_name(name or path.name)
        try:
            with self._admitting:
                return self._admit(path, name, source)
        except UserError as error:
            return IngestResult(name, None, "failed", error=str(error))

    def resume(
        self,
        document_id: str,
        *,
        password: str | None = None,
        ocr: bool = False,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestResult:
        """Ingest again from the library's copy: what was interrupted, failed or is to be rebuilt.

        A document that was ready stays as it was until the new chunks are in, or for good
        where it cannot be read again.

        Raises:
            UserError: there is no such document.
        """
        with self._one_at_a_time:
            record = self.get(document_id)
            return self._process(record, time.perf_counter(), password, ocr, report, cancel)

    def leave(self) -> None:
        """The application ends: what is cancelled from now on stays queued for the next start."""
        self._leaving.set()

    def find(self, document_id: str) -> DocumentRecord | None:
        """The document with this id, or None."""
        return self._documents.get(document_id)

    def get(self, document_id: str) -> DocumentRecord:
        """The document with this id.

        Raises:
            UserError: there is none.
        """
        record = self.find(document_id)
        if record is None:
            raise UserError(
                f"There is no document {document_id} in the library: see the list of documents "
                "for their ids."
            )
        return record

    def rename(self, document_id: str, name: str) -> DocumentRecord:
        """Show and cite a document under another name.

        Raises:
            UserError: there is no such document, it is being read, or the name is blank.
        """
        record = self.get(document_id)
        if not name.strip():
            raise UserError("A document needs a name: write one.")
        if record.state in UNFINISHED:
            raise UserError(f"{record.name} is being read: rename it once it is ready.")
        name = clean_name(name)
        self._index.rename(document_id, name)
        self._documents.update(document_id, name=name)
        return replace(record, name=name)

    def delete(self, document_id: str) -> DocumentRecord:
        """Remove a document: vectors, parents, pages, record and file.

        Raises:
            UserError: there is no such document.
        """
        record = self.get(document_id)
        with self._one_at_a_time:
            # The index first: what stops half-way leaves a row that recover() takes up.
            self._documents.update(document_id, state=State.QUEUED.value)
            self._drop(document_id)
        return record

    def recover(self) -> list[DocumentRecord]:
        """Make manifest, index and files agree after a crash.

        Returns:
            The documents that are to be ingested again (``resume``).
        """
        for part in self._files.glob("*.part"):
            part.unlink(missing_ok=True)
        known = {record.id: record for record in self._documents.all()}
        indexed = self._index.documents()
        for document_id in indexed:
            # A collection on a server may hold what is another library's.
            if document_id not in known and self._owns_index:
                logger.warning("document %s is in the index only: removed there", document_id)
                self._index.delete(document_id)
        for file in self._files.glob("*.pdf"):
            if file.stem not in known:
                logger.warning("file %s belongs to no document: removed", file.name)
                file.unlink(missing_ok=True)
        waiting = []
        for record in known.values():
            whole = record.state is State.READY and indexed.get(record.id) == record.children
            if whole or record.state is State.FAILED:
                continue
            self._index.delete(record.id)
            if self.file(record.id).exists():
                self._documents.update(record.id, state=State.QUEUED.value)
                waiting.append(record)
            elif record.state is State.READY:
                self._failed(record, f"The library's copy of {record.name} is gone: add it again.")
            else:
                self._documents.remove(record.id)
        return waiting

    def _admit(self, path: Path, name: str, source: str | None) -> DocumentRecord | IngestResult:
        """Copy and register a file, or say why that is not needed."""
        try:
            size = path.stat().st_size
            if size == 0:
                raise UnreadablePdf(
                    f"{name} is empty (0 bytes): the download or copy may have broken off; get "
                    "the file again."
                )
            with path.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            known = self._documents.by_hash(sha256)
            if known is not None and known.state is State.READY:
                same = known.name == name
                if not self.file(known.id).exists():
                    self._copy(path, known.id)
                return IngestResult(
                    name,
                    known.id,
                    "unchanged" if same else "duplicate",
                    known.page_count,
                    known.children,
                    notes=() if same else (f"the same file is in the library as {known.name}",),
                )
            if known is not None and known.state in UNFINISHED:
                return IngestResult(
                    name, known.id, "unchanged", notes=("this file is being taken in already",)
                )
            record = known or DocumentRecord(
                id=sha256[:16],
                sha256=sha256,
                name=name,
                source=source,
                bytes=size,
                state=State.QUEUED,
            )
            self._copy(path, record.id)
        except FileNotFoundError:
            raise UserError(f"{path} is not there: check the path.") from None
        except OSError as error:
            raise UserError(_storage_problem(name, error)) from error
        if known is None:
            self._documents.add(record)
        else:
            self._documents.update(
                known.id, name=name, source=source, state=State.QUEUED.value, error=None
            )
        return replace(record, name=name, source=source, state=State.QUEUED)

    def _copy(self, path: Path, document_id: str) -> None:
        """Put the library's own copy in place, whole or not at all."""
        target = self.file(document_id)
        part = target.with_suffix(".part")
        shutil.copyfile(path, part)
        part.replace(target)

    def _process(
        self,
        record: DocumentRecord,
        began: float,
        password: str | None,
        ocr: bool,
        report: Report | None,
        cancel: threading.Event | None,
    ) -> IngestResult:
        try:
            return self._build(record, began, password, ocr, report, cancel)
        except CancelledError:
            return self._given_up(record, "cancelled", None)
        except ReadingStopped as error:
            status: Literal["cancelled", "failed"] = "cancelled" if error.cancelled else "failed"
            return self._given_up(record, status, str(error))
        except (UnreadablePdf, TooManyPages) as error:
            return self._given_up(record, "failed", str(error))
        except PasswordNeeded as error:
            return replace(self._failed(record, str(error)), needs="password")
        except (UserError, ModelError) as error:
            return self._failed(record, str(error))
        except OSError as error:
            return self._failed(record, _storage_problem(record.name, error))
        except Exception as error:
            logger.exception("ingesting %s failed", record.name)
            return self._failed(
                record,
                f"{record.name} could not be taken in: something went wrong "
                f"({type(error).__name__}). The log has the details; try it again.",
            )

    def _build(
        self,
        record: DocumentRecord,
        began: float,
        password: str | None,
        ocr: bool,
        report: Report | None,
        cancel: threading.Event | None,
    ) -> IngestResult:
        def tell(state: State) -> Callable[[int, int], None]:
            self._documents.update(record.id, state=state.value, error=None)
            if report is not None:
                report(Progress(state, 0, 0))
            return lambda done, total: report(Progress(state, done, total)) if report else None

        reading = self._sandbox.read(
            self.file(record.id),
            limits=self._limits,
            password=password,
            ocr=ocr,
            progress=tell(State.READING),
            cancel=cancel,
            name=record.name,
        )
        if password:
            # Its text is kept open anyway, and its pages are to be shown without the password.
            self._sandbox.unlock(self.file(record.id), password, limits=self._limits)
        pages = {kind.value: reading.count(kind) for kind in PageKind if reading.count(kind)}
        unknown = advice(reading.language, self._embeddings.name, self._embeddings.languages)
        notes = (*reading.notes, *left_out(reading), *((unknown,) if unknown else ()))
        parents, children = chunk(
            record.sha256,
            reading,
            chunk_size=self._sizes.size,
            chunk_overlap=self._sizes.overlap,
            parent_chunk_size=self._sizes.parent,
        )
        if not children:
            if record.state is not State.READY:
                self._keep(record, reading, pages, notes)
            raise UserError(f"{record.name}: {why_nothing(reading)}")
        vectors = self._embeddings.embed_documents(
            [child.text for child in children], progress=tell(State.EMBEDDING), cancel=cancel
        )
        if cancel is not None and cancel.is_set():
            raise CancelledError
        older = self._older(record, reading)
        given, record = record.name, self._told_apart(record, older)
        if record.name != given:
            notes = (*notes, f"another document is called {given}: this one is {record.name}")
        tell(State.INDEXING)
        self._keep(record, reading, pages, notes)
        self._index.delete(record.id)
        self._index.add(record.id, record.name, parents, children, vectors, reading.language)
        seconds = round(time.perf_counter() - began, 3)
        self._documents.update(
            record.id,
            state=State.READY.value,
            error=None,
            children=len(children),
            parents=len(parents),
            embedding_model=self._embeddings.name,
            seconds=seconds,
        )
        for other in older:
            self._drop(other.id)
        if older:
            notes = (*notes, "replaces the earlier version of this file")
        return IngestResult(
            record.name,
            record.id,
            "ready",
            len(reading.pages),
            len(children),
            seconds,
            notes=notes,
        )

    def _keep(
        self,
        record: DocumentRecord,
        reading: Reading,
        pages: dict[str, int],
        notes: Sequence[str],
    ) -> None:
        """Write down what was read."""
        self._documents.put_pages(record.id, reading.pages)
        self._documents.update(
            record.id,
            pages=pages,
            title=reading.title,
            language=reading.language,
            outline=[asdict(heading) for heading in reading.outline],
            notes=list(notes),
        )

    def _older(self, record: DocumentRecord, reading: Reading) -> list[DocumentRecord]:
        """The versions of this document that it takes the place of.

        A file read from the same path again is one; of uploads, which have no path, those of
        the same name that share enough of the text.
        """
        return [
            other
            for other in self._documents.by_name(record.name)
            if other.id != record.id
            and (
                record.source == other.source
                if record.source and other.source
                else is_version(reading.pages, self._documents.pages(other.id))
            )
        ]

    def _told_apart(
        self, record: DocumentRecord, older: Sequence[DocumentRecord]
    ) -> DocumentRecord:
        """The document under a name that no other upload has: ``report (2).pdf``."""
        if record.source:
            return record
        replaced = {other.id for other in older} | {record.id}
        stem, name, number = Path(record.name), record.name, 1
        while any(other.id not in replaced for other in self._documents.by_name(name)):
            number += 1
            name = f"{stem.stem} ({number}){stem.suffix}"
        if name != record.name:
            self._documents.update(record.id, name=name)
        return replace(record, name=name)

    def _given_up(
        self, record: DocumentRecord, status: Literal["cancelled", "failed"], error: str | None
    ) -> IngestResult:
        """Leave nothing of a file on its way in."""
        if self._leaving.is_set() and status == "cancelled":
            return IngestResult(record.name, record.id, status, error="taken up at the next start")
        if record.state is State.READY:
            return replace(self._as_before(record, error), status=status)
        if record.state is State.FAILED:
            return replace(self._failed(record, error or CANCELLED), status=status)
        self._drop(record.id)
        return IngestResult(record.name, None, status, error=error)

    def _as_before(self, record: DocumentRecord, error: str | None) -> IngestResult:
        """A document that could not be read again stays as it was."""
        self._documents.update(record.id, state=State.READY.value, error=None)
        return IngestResult(
            record.name, record.id, "failed", record.page_count, record.children, error=error
        )

    def _failed(self, record: DocumentRecord, error: str) -> IngestResult:
        """Keep the row and the file, so that a password or OCR can be tried; nothing is indexed."""
        if record.state is State.READY and self.file(record.id).exists():
            return self._as_before(record, error)
        self._index.delete(record.id)
        self._documents.update(record.id, state=State.FAILED.value, error=error, children=0)
        known = self._documents.get(record.id)
        pages = known.pages if known else {}
        return IngestResult(
            record.name,
            record.id,
            "failed",
            sum(pages.values()),
            error=error,
            needs="ocr" if pages.get(PageKind.SCANNED.value) else None,
        )

    def _drop(self, document_id: str) -> None:
        self._index.delete(document_id)
        self.file(document_id).unlink(missing_ok=True)
        self._documents.remove(document_id)


def clean_name(name: str) -> str:
    """A file name as it may be shown on one line: no folders, no control characters, bounded."""
    name = name.encode("utf-8", "replace").decode("utf-8")
    last = name.replace("\\", "/").rstrip("/").split("/")[-1]
    shown = "".join(char if char.isprintable() else " " for char in last).strip()
    return shown[:200] or "document.pdf"


def left_out(reading: Reading) -> list[str]:
    """A remark for each kind of page that can't be found by searching."""
    remarks = []
    scanned, failed = reading.count(PageKind.SCANNED), reading.count(PageKind.FAILED)
    if scanned:
        remarks.append(
            f"{scanned} of {len(reading.pages)} pages are only images and cannot be found "
            "without text recognition (OCR)"
        )
    if failed:
        remarks.append(f"{failed} of {len(reading.pages)} pages could not be read")
    return remarks


def _storage_problem(name: str, error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"{name} was not taken in: the disk is full. Free some space and try again."
    return f"{name} could not be copied into the library ({error.strerror or error}): try it again."
