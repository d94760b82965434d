"""Looking at documents of the library: page images, places of quotes, chunks as they were cut."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from selfrag.documents.library import Library
from selfrag.documents.placing import PageOf, parts_on, place, place_in
from selfrag.documents.render import Box
from selfrag.documents.sandbox import Sandbox
from selfrag.errors import UserError
from selfrag.index.payload import CONTENT, METADATA
from selfrag.index.store import Index
from selfrag.pages import Chunk, Span
from selfrag.records.documents import Documents
from selfrag.retrieval.result import Hit


class Viewer:
    """What is shown of documents. Reads only."""

    def __init__(
        self, library: Library, documents: Documents, index: Index, sandbox: Sandbox
    ) -> None:
        self._library = library
        self._documents = documents
        self._index = index
        self._sandbox = sandbox

    def chunks(self, document_id: str) -> tuple[list[Chunk], list[Chunk]]:
        """A document's parents and children, both in reading order."""
        children = [_chunk(payload) for payload in self._index.children(document_id)]
        wanted = dict.fromkeys(child.parent_id for child in children if child.parent_id)
        stored = self._index.parents(list(wanted)).values()
        parents = sorted(map(_chunk, stored), key=lambda parent: parent.position)
        return parents, children

    def page_image(
        self, document_id: str, page: int, quotes: Sequence[str] = (), begins: int | None = None
    ) -> bytes:
        """A page as PNG, with what stands on it of the quotes highlighted.

        Args:
            begins: the page on which the quotes begin, where it is known: a repetition of one
                elsewhere is not marked then.

        Raises:
            UserError: there is no such document or page, or it cannot be drawn.
        """
        record = self._library.get(document_id)
        page_of = self._page_of(document_id)
        stored = page_of(page)
        if stored is None:
            raise UserError(f"{record.name} has no page {page}.")
        file = self._library.file(document_id)
        boxes: list[Box] = []
        for quote in quotes:
            spans = parts_on(quote, page, page_of) if begins is None else ()
            if begins is not None:
                spans = [span for span in place(quote, begins, page_of) if span.page == page]
            for span in spans:
                boxes += self._sandbox.boxes(file, page, span.start, span.end, text=stored.text)
        return self._sandbox.page_image(file, page, highlight=boxes)

    def last_page(self, document_id: str, begins: int, quotes: Sequence[str]) -> int:
        """The last page that quotes take in which begin on page ``begins``."""
        page_of = self._page_of(document_id)
        spans = [span for quote in quotes for span in place(quote, begins, page_of)]
        return max((span.page for span in spans), default=begins)

    def _page_of(self, document_id: str) -> PageOf:
        return cache(lambda number: self._documents.page(document_id, number))

    def places(
        self, document_id: str, page: int, ranges: Sequence[tuple[int, int]]
    ) -> list[list[Box]]:
        """Where on a page each ``(start, end)`` range of its text stands, one box per line.

        A range has no box where its place is not known: the text was recognised by OCR.

        Raises:
            UserError: there is no such document, or it cannot be opened.
        """
        file = self._library.file(self._library.get(document_id).id)
        stored = self._documents.page(document_id, page)
        text = stored.text if stored else None
        return [self._sandbox.boxes(file, page, start, end, text=text) for start, end in ranges]

    def locate(self, hit: Hit, quote: str) -> tuple[int, str | None]:
        """The page on which a quote of a hit begins, and its printed label."""
        page_of = self._page_of(hit.document_id)
        number = next(
            (
                found[0].page
                for spans in (hit.parent_spans, hit.spans)
                if (found := place_in(quote, spans, page_of))
            ),
            hit.page,
        )
        page = page_of(number)
        return number, page.label if page else None


def _chunk(payload: Mapping[str, Any]) -> Chunk:
    """A chunk from what the index stores beside it."""
    about = payload[METADATA]
    return Chunk(
        id=about["chunk_id"],
        text=payload[CONTENT],
        start=about["start"],
        end=about["end"],
        spans=tuple(Span(*span) for span in about["spans"]),
        position=about["position"],
        parent_id=about["parent_id"],
        heading=about["heading"],
    )
