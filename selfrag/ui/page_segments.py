"""A page's text cut into stretches that lie in the same chunks, for drawing chunk borders."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from selfrag.pages import Chunk, Page

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a page's text.

    Attributes:
        text: the stretch.
        children: positions of the children it lies in; two where they overlap.
        parent: position of the parent it lies in, or None.
        body: False for running heads and feet, which go into no chunk.
        hit: index of the search hit it belongs to, or None.
    """

    text: str
    children: tuple[int, ...] = ()
    parent: int | None = None
    body: bool = True
    hit: int | None = None


def ranges_on(chunk: Chunk, page: int) -> list[Range]:
    """Where a chunk stands in the text of a page."""
    return [(span.start, span.end) for span in chunk.spans if span.page == page]


def on_page(chunks: Sequence[Chunk], page: int) -> list[Chunk]:
    """The chunks that touch a page, in reading order."""
    return [chunk for chunk in chunks if any(span.page == page for span in chunk.spans)]


def segments(
    page: Page,
    parents: Sequence[Chunk],
    children: Sequence[Chunk],
    hits: Sequence[Range] = (),
) -> list[Segment]:
    """The page's text in stretches, in order and without a gap.

    Args:
        parents, children: those that touch the page.
        hits: ranges of the text that a search found; they do not overlap.
    """
    of_children = _places(children, page.number)
    of_parents = _places(parents, page.number)
    found = [(start, end, index) for index, (start, end) in enumerate(hits)]
    every = [*of_children, *of_parents, *found, *((start, end, 0) for start, end in page.body)]
    last = len(page.text)
    cuts = sorted({0, last, *(min(cut, last) for start, end, _ in every for cut in (start, end))})
    return [
        Segment(
            text=page.text[start:end],
            children=tuple(_covering(of_children, start, end)),
            parent=next(iter(_covering(of_parents, start, end)), None),
            body=any(a <= start and end <= b for a, b in page.body),
            hit=next(iter(_covering(found, start, end)), None),
        )
        for start, end in pairwise(cuts)
    ]


def _places(chunks: Sequence[Chunk], page: int) -> list[tuple[int, int, int]]:
    return [(*place, chunk.position) for chunk in chunks for place in ranges_on(chunk, page)]


def _covering(places: Sequence[tuple[int, int, int]], start: int, end: int) -> list[int]:
    return sorted({which for a, b, which in places if a <= start and end <= b})
