"""Pages as images, and where on them a range of their text stands."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
from PIL import Image, ImageDraw

from selfrag.documents.extraction import extract
from selfrag.documents.opening import opened

__all__ = ["Box", "boxes", "page_image", "render_png"]

LONGEST_SIDE = 2_000  #: pixels; a page of 200 inches is no reason to fill the memory
_MARK = (255, 196, 0, 96)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page as displayed: shares of its width and height, origin top left."""

    x0: float
    y0: float
    x1: float
    y1: float


def page_image(
    path: Path,
    page: int,
    *,
    password: str | None = None,
    scale: float = 1.5,
    highlight: Sequence[Box] = (),
) -> bytes:
    """A page as PNG.

    Args:
        path: the file.
        page: 1-based.
        password: what opens it.
        scale: pixels per point (1/72 inch); less where a side would pass 2,000 pixels.
        highlight: boxes to draw over it, translucent.

    Raises:
        UnreadablePdf, PasswordNeeded: see ``opened``.
        IndexError: the file has no such page.
    """
    with opened(path, password) as document:
        _check(document, page)
        return render_png(document, page - 1, scale, highlight=highlight)


def render_png(
    document: pdfium.PdfDocument,
    index: int,
    scale: float,
    *,
    longest: int = LONGEST_SIDE,
    highlight: Sequence[Box] = (),
) -> bytes:
    """Page ``index`` (0-based) of an open document as PNG, no side over ``longest`` pixels."""
    page = document[index]
    try:
        width, height = page.get_size()
        scale = min(scale, longest / max(width, height, 1.0))
        image = page.render(scale=scale, may_draw_forms=False).to_pil()
    finally:
        page.close()
    if highlight:
        image = _highlighted(image, highlight)
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=3)
    return out.getvalue()


def _highlighted(image: Image.Image, marks: Sequence[Box]) -> Image.Image:
    layer = Image.new("RGBA", image.size, (255, 255, 255, 0))
    draw = ImageDraw.Draw(layer)
    width, height = image.size
    for box in marks:
        corners = (box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height)
        draw.rounded_rectangle(corners, radius=max(2, height // 400), fill=_MARK)
    return Image.alpha_composite(image.convert("RGBA"), layer).convert("RGB")


def boxes(
    path: Path,
    page: int,
    start: int,
    end: int,
    *,
    text: str | None = None,
    password: str | None = None,
) -> list[Box]:
    """Where ``Page.text[start:end]`` of page ``page`` (1-based) stands, one box per line.

    Empty where the text has no place: recognised by OCR, or read by the second reader. Empty
    also where the page no longer reads as ``text``, the whole page's text that the range
    belongs to: a mark on the wrong words is worse than none.
    """
    with opened(path, password) as document:
        _check(document, page)
        found = extract(document, page - 1)
    if found.glyphs is None or not found.text.sources:
        return []
    if text is not None and found.text.text != text:
        return []
    places: list[list[float]] = []
    last_turn = -1
    for source in found.text.sources[max(start, 0) : end]:
        if source < 0:
            continue
        box = found.glyphs.boxes[source].tolist()
        turn = int(found.glyphs.turn[source])
        if places and turn == last_turn and _same_line(places[-1], box, turn):
            _grow(places[-1], box)
        else:
            places.append(box)
        last_turn = turn
    w, h = max(found.width, 1e-6), max(found.height, 1e-6)
    return [
        Box(*(min(max(v, 0.0), 1.0) for v in (x0 / w, y0 / h, x1 / w, y1 / h)))
        for x0, y0, x1, y1 in places
    ]


def _check(document: pdfium.PdfDocument, page: int) -> None:
    if not 1 <= page <= len(document):
        raise IndexError(f"page {page} of {len(document)}")


def _same_line(a: list[float], b: list[float], turn: int) -> bool:
    """Whether box ``b`` goes on where ``a`` ends: beside it or, in vertical writing, below."""
    if turn in (1, 3):
        a, b = [a[1], a[0], a[3], a[2]], [b[1], b[0], b[3], b[2]]
    across = max(b[0] - a[2], a[0] - b[2])
    down = max(b[1] - a[3], a[1] - b[3])
    wide, tall = min(a[2] - a[0], b[2] - b[0]), min(a[3] - a[1], b[3] - b[1])
    beside = -down > 0.5 * tall and across < 1.5 * (b[3] - b[1])
    below = -across > 0.5 * wide and down < 0.5 * (b[2] - b[0]) and a[3] - a[1] > a[2] - a[0]
    return beside or below


def _grow(a: list[float], b: list[float]) -> None:
    a[:] = [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]
