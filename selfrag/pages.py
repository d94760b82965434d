"""What reading a PDF yields: pages, spans of their text, and chunks cut from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class PageKind(StrEnum):
    """What could be had from a page; every page of a document is exactly one of these."""

    TEXT = "text"  #: the page carries text
    OCR = "ocr"  #: the text was recognised from the page's image
    SCANNED = "scanned"  #: only an image: needs OCR to be found
    EMPTY = "empty"  #: nothing on it
    FAILED = "failed"  #: could not be read; ``Page.reason`` says why


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        number: 1-based position in the file.
        kind: what could be had from it.
        text: normalised text in reading order, running heads and feet included.
        body: ``(start, end)`` ranges of ``text`` that go into chunks; running heads and
            feet lie outside them.
        width, height: page size in points (1/72 inch), after rotation.
        label: the printed page number where the file declares one ("iv", "A-3").
        reason: why the page is ``FAILED`` or what is doubtful about its text.
    """

    number: int
    kind: PageKind
    text: str = ""
    body: tuple[tuple[int, int], ...] = ()
    width: float = 0.0
    height: float = 0.0
    label: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """An entry of the file's outline: its title, 1-based page, and depth (0 = top)."""

    title: str
    page: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class Reading:
    """A PDF as it was read.

    Attributes:
        pages: every page of the file, in order.
        title: the title in the file's metadata, or None.
        outline: the file's bookmarks, in order.
        language: ISO 639-1 code of the main language ("en", "pt"), or None if unsure.
        notes: remarks for the person ("form fields were not read").
    """

    pages: tuple[Page, ...]
    title: str | None = None
    outline: tuple[Heading, ...] = ()
    language: str | None = None
    notes: tuple[str, ...] = ()

    def count(self, kind: PageKind) -> int:
        """How many pages are of ``kind``."""
        return sum(page.kind is kind for page in self.pages)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one page: ``pages[page - 1].text[start:end]``."""

    page: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: a parent (read by the writer) or a child (found by search).

    Attributes:
        id: UUID5 of document hash, position and text: the same file gives the same ids.
        text: what is embedded, searched and shown.
        start, end: character range in the document's body text.
        spans: where the text stands, page by page, in reading order.
        position: 0-based order among the document's parents or children.
        parent_id: the parent that a child lies in; None for a parent.
        heading: the outline heading that the chunk stands under, or None.
    """

    id: str
    text: str
    start: int
    end: int
    spans: tuple[Span, ...]
    position: int
    parent_id: str | None = None
    heading: str | None = None

    @property
    def page(self) -> int:
        """The page on which the chunk begins."""
        return self.spans[0].page

    @property
    def pages(self) -> Sequence[int]:
        """Every page the chunk touches, in order."""
        return sorted({span.page for span in self.spans})
