"""One page of an open document: its text, where it stands, and what kind of page it is.

The same page gives the same text whatever the rest of the file holds and however often it
is read, so that a character range can be drawn on it at any later time.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from selfrag.documents.flat import widen
from selfrag.documents.glyphs import Glyphs, largest_image_share, read_glyphs
from selfrag.documents.legibility import Legibility, legibility
from selfrag.documents.pagetext import PageText, page_text
from selfrag.pages import PageKind

GIBBERISH = (
    "The file does not say which letters its signs are (no Unicode table), "
    "so its text cannot be searched; OCR can read the page's image."
)
DOUBTFUL = "The text looks unreadable (a bad OCR layer, or signs without a Unicode table)."
DRAWN = "Only drawings: if letters are among them, they are drawn as curves and need OCR."
_MANY_CURVES = 40


@dataclass(slots=True)
class Extract:
    """What pdfium has for a page.

    Attributes:
        glyphs: its characters; None where the page could not be loaded.
        bare: pdfium found nothing at all on it, which may be damage.
    """

    kind: PageKind
    text: PageText
    glyphs: Glyphs | None
    width: float = 0.0
    height: float = 0.0
    reason: str | None = None
    bare: bool = False


def extract(document: pdfium.PdfDocument, index: int) -> Extract:
    """Page ``index`` (0-based) of an open document; the caller holds pdfium's lock."""
    try:
        page = document[index]
    except pdfium.PdfiumError as error:
        return Extract(PageKind.FAILED, PageText(), None, reason=f"The page is damaged ({error}).")
    try:
        glyphs = _glyphs(page)
        if widen(page, np.unique(glyphs.objects)):
            glyphs = _glyphs(page)
        text = page_text(glyphs)
        width, height = glyphs.width, glyphs.height
        if text.text:
            return _judged(Extract(PageKind.TEXT, text, glyphs, width, height))
        kind, reason = _without_text(page)
        if glyphs.hidden and kind is PageKind.EMPTY:
            reason = f"{glyphs.hidden} invisible characters were left out."
        bare = pdfium_c.FPDFPage_CountObjects(page.raw) <= 0
        return Extract(kind, text, glyphs, width, height, reason, bare)
    except pdfium.PdfiumError as error:
        return Extract(PageKind.FAILED, PageText(), None, reason=f"The page is damaged ({error}).")
    finally:
        page.close()


def _glyphs(page: pdfium.PdfPage) -> Glyphs:
    textpage = page.get_textpage()
    try:
        return read_glyphs(page, textpage)
    finally:
        textpage.close()


def _judged(found: Extract) -> Extract:
    assert found.glyphs is not None
    verdict = legibility(found.text.text, found.glyphs.unmapped)
    if verdict is Legibility.GIBBERISH:
        found.kind, found.text, found.reason = PageKind.SCANNED, PageText(), GIBBERISH
    elif verdict is Legibility.DOUBTFUL:
        found.reason = DOUBTFUL
    elif found.glyphs.hidden > 20:
        found.reason = f"{found.glyphs.hidden} invisible characters were left out."
    return found


def _without_text(page: pdfium.PdfPage) -> tuple[PageKind, str | None]:
    if largest_image_share(page) > 0:
        return PageKind.SCANNED, None
    paths = page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_PATH,), max_depth=3)
    if sum(1 for _ in islice(paths, _MANY_CURVES)) == _MANY_CURVES:
        return PageKind.SCANNED, DRAWN
    return PageKind.EMPTY, None
