"""The library's manifest: which documents there are, what became of each page, and its state.

A document's row is written before its first chunk and reads ``ready`` only after its last:
whatever a crash leaves in another state is unfinished and is taken up again or removed.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import Engine, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from selfrag.pages import Heading, Page, PageKind
from selfrag.records.schema import documents, pages


class State(StrEnum):
    """Where a document stands on its way into the library."""

    QUEUED = "queued"
    READING = "reading"
    EMBEDDING = "embedding"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"
    REMOVING = "removing"  #: on its way out; a crash leaves it to be finished


#: On their way in.
UNFINISHED = (State.QUEUED, State.READING, State.EMBEDDING, State.INDEXING)


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One document of the library.

    Attributes:
        id: the first 16 hex digits of its content's SHA-256.
        name: as shown and cited; ``source`` is the path it was read from, if any.
        bytes: size of the file.
        pages: page kind -> number of pages of that kind.
        children, parents: number of chunks in the index.
        added_at: seconds since the epoch; ``seconds`` is how long ingestion took.
        notes: remarks of the reader for the person.
        ocr: whether text is to be recognised on pages without any.
        sizes: of its chunks where they differ from the library's (``ChunkSizes``).
    """

    id: str
    sha256: str
    name: str
    bytes: int
    state: State
    source: str | None = None
    title: str | None = None
    language: str | None = None
    pages: dict[str, int] = field(default_factory=dict)
    children: int = 0
    parents: int = 0
    embedding_model: str | None = None
    error: str | None = None
    notes: tuple[str, ...] = ()
    outline: tuple[Heading, ...] = ()
    added_at: float = field(default_factory=time.time)
    seconds: float | None = None
    ocr: bool = False
    sizes: dict[str, int] | None = None

    @property
    def page_count(self) -> int:
        """Pages of every kind together."""
        return sum(self.pages.values())


class Documents:
    """The manifest in the database. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(self, record: DocumentRecord) -> bool:
        """Write a new row; False where the same content is already in the library."""
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(documents).values(**_row(record)))
        except IntegrityError:
            return False
        return True

    def update(self, document_id: str, **values: Any) -> None:
        """Change columns of one document."""
        with self._engine.begin() as connection:
            connection.execute(
                update(documents).where(documents.c.id == document_id).values(**values)
            )

    def replace(self, document_id: str, older: Sequence[str], **values: Any) -> None:
        """A document is ready, and those that it takes the place of are on their way out."""
        with self._engine.begin() as connection:
            connection.execute(
                update(documents)
                .where(documents.c.id == document_id)
                .values(state=State.READY.value, error=None, **values)
            )
            connection.execute(
                update(documents)
                .where(documents.c.id.in_(older))
                .values(state=State.REMOVING.value)
            )

    def get(self, document_id: str) -> DocumentRecord | None:
        """The document with this id, or None."""
        found = self._select(documents.c.id == document_id)
        return found[0] if found else None

    def by_hash(self, sha256: str) -> DocumentRecord | None:
        """The document with this content, or None."""
        found = self._select(documents.c.sha256 == sha256)
        return found[0] if found else None

    def by_name(self, name: str) -> list[DocumentRecord]:
        """All documents with this name, oldest first."""
        return self._select(documents.c.name == name)

    def all(self, *states: State) -> list[DocumentRecord]:
        """All documents, or those in the given states, oldest first."""
        return self._select(documents.c.state.in_(states)) if states else self._select()

    def languages(self) -> list[str]:
        """Languages of the documents that are ready, most frequent first."""
        query = (
            select(documents.c.language)
            .where(documents.c.state == State.READY, documents.c.language.is_not(None))
            .group_by(documents.c.language)
            .order_by(func.count().desc(), documents.c.language)
        )
        with self._engine.connect() as connection:
            return list(connection.scalars(query))

    def remove(self, document_id: str) -> None:
        """Delete the document's row and its pages."""
        with self._engine.begin() as connection:
            connection.execute(delete(pages).where(pages.c.document_id == document_id))
            connection.execute(delete(documents).where(documents.c.id == document_id))

    def put_pages(self, document_id: str, read: Sequence[Page]) -> None:
        """Store the text of a document's pages in place of what was there."""
        with self._engine.begin() as connection:
            connection.execute(delete(pages).where(pages.c.document_id == document_id))
            if read:
                connection.execute(
                    insert(pages),
                    [{"document_id": document_id, **asdict(page)} for page in read],
                )

    def page(self, document_id: str, number: int) -> Page | None:
        """One page's text, or None where there is no such page."""
        found = self._pages(pages.c.document_id == document_id, pages.c.number == number)
        return found[0] if found else None

    def pages(self, document_id: str) -> list[Page]:
        """Every page of a document, in order."""
        return self._pages(pages.c.document_id == document_id)

    def _pages(self, *conditions: Any) -> list[Page]:
        query = select(pages).where(*conditions).order_by(pages.c.number)
        with self._engine.connect() as connection:
            return [
                Page(
                    number=row.number,
                    kind=PageKind(row.kind),
                    text=row.text,
                    body=tuple((start, end) for start, end in row.body),
                    width=row.width,
                    height=row.height,
                    label=row.label,
                    reason=row.reason,
                )
                for row in connection.execute(query)
            ]

    def _select(self, *conditions: Any) -> list[DocumentRecord]:
        query = select(documents).where(*conditions).order_by(documents.c.added_at, documents.c.id)
        with self._engine.connect() as connection:
            return [_record(row) for row in connection.execute(query).mappings()]


def _row(record: DocumentRecord) -> dict[str, Any]:
    return {**asdict(record), "state": record.state.value, "notes": list(record.notes)}


def _record(row: Any) -> DocumentRecord:
    values = dict(row)
    values["state"] = State(values["state"])
    values["ocr"] = bool(values["ocr"])  # a row of an earlier version says nothing
    values["notes"] = tuple(values["notes"])
    values["outline"] = tuple(Heading(**item) for item in values["outline"])
    return DocumentRecord(**values)
