"""Text that pdfium would pass over: objects whose box has no width.

Vertical writing in a font that is not embedded is the case that occurs: of each column pdfium
knows the height and not the width, and its text page leaves out whatever is narrower than
0.01 points, without a word. Such objects are slanted by next to nothing, on the page in memory
only: they get a width and are read.
"""

import ctypes
from itertools import repeat

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from selfrag.documents.c_functions import c_function

_NO_WIDTH = 0.01  # points: pdfium's own limit
_WIDENED = 0.05  # points that a widened object is made wide

_P, _I, _HANDLE = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
_object = c_function("FPDFPage_GetObject", _HANDLE, _P, _I)
_type = c_function("FPDFPageObj_GetType", _I, _HANDLE)


def widen(page: pdfium.PdfPage, seen: np.ndarray) -> int:
    """Give a width to the text objects that have none; the text page is to be loaded again.

    Args:
        seen: handles of the text objects that the text page knows.

    Returns:
        How many there were.
    """
    widened = 0
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for handle in _unseen(page, seen):
        item = ctypes.cast(handle, pdfium_c.FPDF_PAGEOBJECT)
        if not pdfium_c.FPDFPageObj_GetBounds(item, left, bottom, right, top):
            continue
        width, height = right.value - left.value, top.value - bottom.value
        if width < _NO_WIDTH <= height:
            slant = _WIDENED / height
            pdfium_c.FPDFPageObj_Transform(item, 1, 0, slant, 1, -slant * bottom.value, 0)
        elif height < _NO_WIDTH <= width:
            slant = _WIDENED / width
            pdfium_c.FPDFPageObj_Transform(item, 1, slant, 0, 1, 0, -slant * left.value)
        else:
            continue
        widened += 1
    return widened


def _unseen(page: pdfium.PdfPage, seen: np.ndarray) -> list[int]:
    """Handles of the page's own text objects that the text page does not know."""
    count = max(pdfium_c.FPDFPage_CountObjects(page.raw), 0)
    address = ctypes.cast(page.raw, _P).value or 0
    handles = list(map(_object, repeat(address), range(count)))
    known = set(seen.tolist())
    return [
        handle
        for handle, kind in zip(handles, map(_type, handles), strict=True)
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT and handle not in known
    ]
