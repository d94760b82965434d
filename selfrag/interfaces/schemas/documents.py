"""Documents, their pages, and files on their way into the library."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from selfrag.interfaces.schemas.base import Quoted, Value

if TYPE_CHECKING:  # the command line asks a server without loading what makes these
    from selfrag.documents.jobs import JobView
    from selfrag.documents.results import IngestResult
    from selfrag.pages import Page
    from selfrag.records.documents import DocumentRecord


class DocumentItem(Value):
    """A document of the library."""

    document: str = Field(description="Its name, as it is cited.")
    document_id: str
    status: Literal["ready", "failed", "unfinished"] = Field(
        description="Only documents that are ready are searched."
    )
    pages: int
    pages_by_kind: dict[str, int] = Field(description="Pages with text, scanned, empty, failed.")
    chunks: int = Field(description="Passages that can be found.")
    language: str | None = Field(description="ISO 639-1 code of its main language.")
    bytes: int
    error: str | None = None
    notes: list[str] = Field(default=[])

    @classmethod
    def of(cls, record: "DocumentRecord") -> "DocumentItem":
        """A record as it is told."""
        known = record.state.value in ("ready", "failed")
        return cls(
            document=record.name,
            document_id=record.id,
            status=record.state.value if known else "unfinished",  # type: ignore[arg-type]
            pages=record.page_count,
            pages_by_kind=record.pages,
            chunks=record.children,
            language=record.language,
            bytes=record.bytes,
            error=record.error,
            notes=list(record.notes),
        )


class DocumentList(Value):
    """The library."""

    documents: list[DocumentItem]


class Deleted(Value):
    """The document that is gone."""

    deleted: DocumentItem


class PageText(Value):
    """The text of one page."""

    document: str
    document_id: str
    page: int = Field(description="Position in the file, from 1.")
    label: str | None = Field(description="The page number that is printed on it, if any.")
    kind: str = Field(description="text, ocr, scanned, empty or failed.")
    text: Quoted

    @classmethod
    def of(cls, record: "DocumentRecord", page: "Page") -> "PageText":
        """A page as it is told."""
        return cls(
            document=record.name,
            document_id=record.id,
            page=page.number,
            label=page.label,
            kind=page.kind.value,
            text=page.text,
        )


class PageList(Value):
    """The text of a document."""

    pages: list[PageText]


class IngestItem(Value):
    """What became of one file."""

    document: str
    document_id: str | None
    status: Literal["ready", "unchanged", "duplicate", "failed", "cancelled"]
    pages: int = 0
    chunks: int = 0
    seconds: float = 0.0
    error: str | None = None
    notes: list[str] = Field(default=[])
    needs: Literal["password", "ocr"] | None = Field(
        default=None, description="What would help a file that failed."
    )

    @classmethod
    def of(cls, result: "IngestResult") -> "IngestItem":
        """A result as it is told."""
        return cls(**result.to_json())


class JobItem(Value):
    """A file on its way into the library."""

    job_id: str
    document: str
    stage: str = Field(description="queued, reading, embedding, indexing or done.")
    done: int = Field(description="Pages while reading, chunks while embedding.")
    total: int = Field(description="0 where that is not known yet.")
    seconds: float
    remaining: float | None = Field(description="Seconds left in this stage, if known.")
    result: IngestItem | None = Field(description="What became of it, once done.")

    @classmethod
    def of(cls, view: "JobView") -> "JobItem":
        """A job as it is told."""
        return cls(
            job_id=view.id,
            document=view.document,
            stage=view.stage,
            done=view.done,
            total=view.total,
            seconds=view.seconds,
            remaining=view.remaining,
            result=IngestItem.of(view.result) if view.result else None,
        )
