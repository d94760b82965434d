"""The library: documents on their way in and out.

    file -> hash -> copy -> read -> chunk -> embed -> index -> ready
            (admission)     (building, outcome where it fails)

Identity is the content's SHA-256. The manifest's row is written before the first chunk and reads
``ready`` only after the last, so that whatever a crash leaves behind is recognised and is
finished or removed (``recovery``). A changed file under the same name takes the old one's place
only when its own chunks are in.
"""

import threading
import time
from dataclasses import replace
from pathlib import Path

from selfrag.documents.admission import admit
from selfrag.documents.agreement import disagreements
from selfrag.documents.building import Asked, Builder
from selfrag.documents.holdings import Holdings
from selfrag.documents.names import given_name
from selfrag.documents.outcome import not_taken_in
from selfrag.documents.recovery import recover
from selfrag.documents.removal import finish_removals, remove
from selfrag.documents.results import IngestResult, Report
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.documents.sizes import ChunkSizes
from selfrag.errors import Missing, UserError
from selfrag.index.store import Index
from selfrag.models.embeddings import EmbeddingModel
from selfrag.records.documents import UNFINISHED, DocumentRecord, Documents, State


class Library:
    """The documents of one storage folder. One file is ingested at a time.

    Attributes:
        sizes: of the chunks of every document that has none of its own.
    """

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
        self.sizes = sizes
        self._holdings = Holdings(files, documents, index)
        self._builder = Builder(self._holdings, embeddings, sandbox, sizes, limits)
        self._owns_index = owns_index
        self._one_at_a_time = threading.Lock()
        self._leaving = threading.Event()

    def file(self, document_id: str) -> Path:
        """Where the library keeps its copy of a document."""
        return self._holdings.file(document_id)

    def files(self) -> list[str]:
        """Ids of the documents that the library has a copy of."""
        return self._holdings.files()

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
        asked = Asked(time.perf_counter(), password, report, cancel)
        record = self.admit(path, name=name, source=source)
        if isinstance(record, IngestResult):
            return record
        return self._take_in(record.id, asked, ocr or None, None)

    def admit(
        self, path: Path, *, name: str | None = None, source: str | None = None
    ) -> DocumentRecord | IngestResult:
        """Copy a file into the library and queue it: from here on no crash loses it.

        Returns:
            The queued document, to be taken in with ``resume``; or what became of the file
            where that is not needed (it is there already) or not possible.
        """
        return admit(self._holdings, path, name, source)

    def resume(
        self,
        document_id: str,
        *,
        password: str | None = None,
        ocr: bool | None = None,
        sizes: ChunkSizes | None = None,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestResult:
        """Ingest again from the library's copy: what was interrupted, failed or is to be rebuilt.

        A document that was ready stays as it was until the new chunks are in, or for good
        where it cannot be read again.

        Args:
            ocr: as ``ingest``; as it was asked for last where None.
            sizes: of this document's chunks from now on; as they were where None.

        Raises:
            UserError: there is no such document, or text cannot be cut in these sizes.
        """
        self.get(document_id)
        if sizes is not None:
            sizes.check()
        asked = Asked(time.perf_counter(), password, report, cancel)
        return self._take_in(document_id, asked, ocr, sizes)

    def want(self, document_id: str, *, ocr: bool | None, sizes: ChunkSizes | None) -> None:
        """Note what is asked of a document that waits, so that no crash forgets it.

        One that is ready keeps what it has until its turn comes.
        """
        record = self.get(document_id)
        if sizes is not None:
            sizes.check()
        if record.state is not State.READY:
            try:
                self._wanted(record, ocr, sizes)
            except UserError:
                self._holdings.at_work.discard(document_id)
                raise

    def leave(self) -> None:
        """The application ends: what is cancelled from now on stays queued for the next start."""
        self._leaving.set()

    def find(self, document_id: str) -> DocumentRecord | None:
        """The document with this id, or None."""
        return self._holdings.manifest.get(document_id)

    def get(self, document_id: str) -> DocumentRecord:
        """The document with this id.

        Raises:
            UserError: there is none.
        """
        record = self.find(document_id)
        if record is None:
            raise Missing(
                "document",
                f"There is no document {document_id} in the library: see the list of documents "
                "for their ids.",
            )
        return record

    def rename(self, document_id: str, name: str) -> DocumentRecord:
        """Show and cite a document under another name.

        Raises:
            UserError: there is no such document, it is being read, or the name shows nothing.
        """
        record = self.get(document_id)
        name = given_name(name)
        if record.state in UNFINISHED:
            raise UserError(f"{record.name} is being read: rename it once it is ready.")
        self._holdings.index.rename(document_id, name)
        self._holdings.manifest.update(document_id, name=name)
        return replace(record, name=name)

    def delete(self, document_id: str) -> DocumentRecord:
        """Remove a document: vectors, parents, pages, record and file.

        It waits where that document is being read, and for no other one.

        Raises:
            UserError: there is no such document.
            StorageFull: only its file could go; what else there is goes when asked for again.
        """
        record = self.get(document_id)
        with self._holdings.alone_with(document_id):
            remove(self._holdings, record)
        finish_removals(self._holdings)
        return record

    def recover(self) -> list[DocumentRecord]:
        """Make manifest, index and files agree after a crash.

        Returns:
            The documents that are to be ingested again (``resume``).
        """
        return recover(self._holdings, owns_index=self._owns_index)

    def disagreements(self, *, busy: bool) -> list[str]:
        """Where manifest, index and files do not agree; ``busy`` while documents are taken in."""
        return disagreements(self._holdings, busy=busy, owns_index=self._owns_index)

    def _take_in(
        self, document_id: str, asked: Asked, ocr: bool | None, sizes: ChunkSizes | None
    ) -> IngestResult:
        at_work = self._holdings.at_work
        with self._one_at_a_time, self._holdings.alone_with(document_id):
            at_work.add(document_id)
            try:
                record = self.get(document_id)  # deleted while it waited: nothing is to be done
                try:
                    return self._builder.build(self._wanted(record, ocr, sizes), asked)
                except Exception as error:
                    leaving = self._leaving.is_set()
                    return not_taken_in(self._holdings, record, error, leaving=leaving)
            finally:
                at_work.discard(document_id)

    def _wanted(
        self, record: DocumentRecord, ocr: bool | None, sizes: ChunkSizes | None
    ) -> DocumentRecord:
        """The document with what is asked of it, written down."""
        own = record.sizes
        if sizes is not None:  # those of the library go with the library, whatever they become
            own = None if sizes == self.sizes else sizes.to_json()
        wanted = replace(record, ocr=record.ocr if ocr is None else ocr, sizes=own)
        if wanted != record:
            self._holdings.manifest.update(record.id, ocr=wanted.ocr, sizes=wanted.sizes)
        return wanted
