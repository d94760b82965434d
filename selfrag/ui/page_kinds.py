"""The kinds of pages in words, and as a small bar whose colours mean what they mean elsewhere."""

from collections.abc import Mapping
from urllib.parse import quote

from selfrag.pages import PageKind
from selfrag.wording import listed

#: What can be found (green), waits for text recognition (amber), failed (red), and is empty.
_COLOURS = {
    PageKind.TEXT: ("#2B8A3E", "#69DB7C"),
    PageKind.OCR: ("#2B8A3E", "#69DB7C"),
    PageKind.SCANNED: ("#E67700", "#FFC078"),
    PageKind.FAILED: ("#C92A2A", "#FF8787"),
    PageKind.EMPTY: ("#CED4DA", "#495057"),
}
_WORDS = {
    PageKind.TEXT: "with text",
    PageKind.OCR: "recognised",
    PageKind.SCANNED: "scanned",
    PageKind.FAILED: "failed",
    PageKind.EMPTY: "empty",
}
_WIDTH, _HEIGHT, _LEAST = 96.0, 10.0, 4.0
_CELL = 34.0  # an image fills the height of its cell, so the bar floats in a taller one
_TOP = (_CELL - _HEIGHT) / 2


def in_words(pages: Mapping[str, int]) -> str:
    """Such as ``19 with text and 6 empty``; ``all with text`` where every page is alike."""
    kinds = [kind for kind in _COLOURS if pages.get(kind)]
    if len(kinds) == 1:
        return f"all {_WORDS[kinds[0]]}" if pages[kinds[0]] > 1 else _WORDS[kinds[0]]
    return listed([f"{pages[kind]:,} {_WORDS[kind]}" for kind in kinds]) if kinds else ""


def bar(pages: Mapping[str, int], *, dark: bool) -> str | None:
    """An SVG as data URL, one stretch per kind of page; None where no page was read."""
    total = sum(pages.values())
    if not total:
        return None
    kinds = [kind for kind in _COLOURS if pages.get(kind)]
    # A single failed page of a thousand is to be seen, too.
    widths = [max(_LEAST, _WIDTH * pages[kind] / total) for kind in kinds]
    scale = _WIDTH / sum(widths)
    at, shapes = 0.0, []
    for kind, width in zip(kinds, widths, strict=True):
        shapes.append(
            f'<rect x="{at:.2f}" y="{_TOP:g}" width="{width * scale:.2f}" height="{_HEIGHT:g}" '
            f'fill="{_COLOURS[kind][dark]}"/>'
        )
        at += width * scale
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:g}" height="{_CELL:g}" '
        f'viewBox="0 0 {_WIDTH:g} {_CELL:g}">'
        f'<clipPath id="c"><rect y="{_TOP:g}" width="{_WIDTH:g}" height="{_HEIGHT:g}" rx="3"/>'
        f'</clipPath><g clip-path="url(#c)">{"".join(shapes)}</g></svg>'
    )
    return f"data:image/svg+xml;utf8,{quote(svg)}"


def left_out(pages: Mapping[str, int]) -> int:
    """How many pages cannot be found by searching."""
    return sum(pages.get(kind, 0) for kind in (PageKind.SCANNED, PageKind.FAILED, PageKind.EMPTY))
