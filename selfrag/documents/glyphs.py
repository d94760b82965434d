"""Every character of a page with its box, in few calls.

pdfium is asked character by character, but through ``map`` over C function pointers that
write straight into arrays: no Python code runs per character, which makes boxes cheap
enough (about 1 ms a page) to lay out every page by geometry.

Coordinates are those of the page as displayed: points, origin top left, y down.
"""

import ctypes
import unicodedata
from collections import deque
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from selfrag.documents.c_functions import c_function
from selfrag.documents.ligatures import mend_ligatures

#: More characters than any page of text holds; beyond it the page is an attack or a drawing.
MOST_CHARACTERS = 500_000

#: Accents that TeX and old fonts draw as signs of their own, and the combining character.
_ACCENTS = {
    ord(sign): combining
    for sign, combining in zip(
        "`´ˆ˜¨ˇ˘˙˚¸˛˝¯",
        "\u0300\u0301\u0302\u0303\u0308\u030c\u0306\u0307\u030a\u0327\u0328\u030b\u0304",
        strict=True,
    )
}

_INVISIBLE = 3  # text render mode of ISO 32000-1, table 106: neither filled nor stroked
_OCR_LAYER_SHARE = 0.3  # of the page that an image covers where hidden text is its OCR layer


_P, _I = ctypes.c_void_p, ctypes.c_int
_unicode = c_function("FPDFText_GetUnicode", ctypes.c_uint, _P, _I)
_loose_box = c_function("FPDFText_GetLooseCharBox", _I, _P, _I, _P)
_text_object = c_function("FPDFText_GetTextObject", ctypes.c_size_t, _P, _I)
_angle = c_function("FPDFText_GetCharAngle", ctypes.c_float, _P, _I)
_map_error = c_function("FPDFText_HasUnicodeMapError", _I, _P, _I)
_hyphen = c_function("FPDFText_IsHyphen", _I, _P, _I)


@dataclass(slots=True)
class Glyphs:
    """The characters of a page in pdfium's order; an index is the same in all arrays.

    Attributes:
        codes: code points, (n,) int64; line-end hyphens of pdfium are given as "-".
        boxes: x0, y0, x1, y1 of each as displayed, (n, 4) float64, font-high.
        turn: 0 text runs right, 1 down, 2 left, 3 up, 4 askew, (n,) int8.
        keep: False for what nobody can see, (n,) bool.
        objects: which text object drew it, 0 = none (made up by pdfium), (n,) uint64.
        width, height: of the displayed page.
        unmapped: share of visible characters that the font gives no Unicode for.
        hidden: how many characters on the page were left out because they cannot be seen.
        image_share: largest share of the page that one image covers.
    """

    codes: np.ndarray
    boxes: np.ndarray
    turn: np.ndarray
    keep: np.ndarray
    objects: np.ndarray
    width: float
    height: float
    unmapped: float = 0.0
    hidden: int = 0
    image_share: float = 0.0


def page_matrix(page: pdfium.PdfPage) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Linear part (2, 2) and offset (2,) from PDF space to the displayed page, and its size."""
    width, height = page.get_size()
    scale = 1000.0
    x, y = ctypes.c_int(), ctypes.c_int()
    points = []
    for px, py in ((0.0, 0.0), (1000.0, 0.0), (0.0, 1000.0)):
        pdfium_c.FPDF_PageToDevice(
            page.raw, 0, 0, int(width * scale), int(height * scale), 0, px, py, x, y
        )
        points.append(np.array([x.value, y.value]) / scale)
    linear = np.stack([(points[1] - points[0]) / 1000, (points[2] - points[0]) / 1000], axis=1)
    return linear, points[0], width, height


def read_glyphs(page: pdfium.PdfPage, textpage: pdfium.PdfTextPage) -> Glyphs:
    """All characters of ``page``. The caller holds pdfium's lock."""
    linear, offset, width, height = page_matrix(page)
    handle = ctypes.cast(textpage.raw, ctypes.c_void_p).value or 0
    n = min(max(pdfium_c.FPDFText_CountChars(textpage.raw), 0), MOST_CHARACTERS)
    codes = np.fromiter(map(_unicode, repeat(handle), range(n)), dtype=np.int64, count=n)
    raw = np.zeros((n, 4), dtype=np.float32)
    start = raw.ctypes.data
    deque(map(_loose_box, repeat(handle), range(n), range(start, start + 16 * n, 16)), maxlen=0)
    objects = np.fromiter(map(_text_object, repeat(handle), range(n)), dtype=np.uint64, count=n)
    for i in np.flatnonzero((codes == 2) | (codes == 0xFFFE)):
        codes[i] = 0x2D if _hyphen(handle, int(i)) == 1 else 0
    glyphs = Glyphs(
        codes,
        _displayed(raw.astype(np.float64), linear, offset),
        np.zeros(n, dtype=np.int8),
        np.ones(n, dtype=bool),
        objects,
        width,
        height,
    )
    if n:
        _fill_turn(glyphs, handle, linear)
        _drop_unseen(glyphs, page)
        _drop_doubled(glyphs)
        _put_accents_on_letters(glyphs)
        mend_ligatures(glyphs.codes, glyphs.boxes, glyphs.objects, glyphs.keep)
        visible = np.flatnonzero(glyphs.keep & (codes > 32))
        sample = visible[:: max(1, len(visible) // 400)]
        if len(sample):
            errors = sum(_map_error(handle, int(i)) == 1 for i in sample)
            glyphs.unmapped = errors / len(sample)
    return glyphs


def _displayed(raw: np.ndarray, linear: np.ndarray, offset: np.ndarray) -> np.ndarray:
    one = raw[:, [0, 1]] @ linear.T + offset
    two = raw[:, [2, 3]] @ linear.T + offset
    return np.hstack([np.minimum(one, two), np.maximum(one, two)])


def _fill_turn(glyphs: Glyphs, handle: int, linear: np.ndarray) -> None:
    _, first, inverse = np.unique(glyphs.objects, return_index=True, return_inverse=True)
    turns = np.zeros(len(first), dtype=np.int8)
    for k, i in enumerate(first):
        clockwise = _angle(handle, int(i))
        if clockwise < 0:
            continue
        x, y = linear @ np.array([np.cos(clockwise), -np.sin(clockwise)])
        degrees = np.degrees(np.arctan2(y, x)) % 360
        quarter = round(degrees / 90)
        askew = abs(degrees - 90 * quarter) > 15
        turns[k] = 4 if askew else quarter % 4
    glyphs.turn[:] = turns[inverse.reshape(-1)]
    made_up = np.flatnonzero(glyphs.objects == 0)
    made_up = made_up[made_up > 0]
    glyphs.turn[made_up] = glyphs.turn[made_up - 1]


def _drop_unseen(glyphs: Glyphs, page: pdfium.PdfPage) -> None:
    """Leaves out text off the page, too small to see, transparent, or white on white."""
    x = (glyphs.boxes[:, 0] + glyphs.boxes[:, 2]) / 2
    y = (glyphs.boxes[:, 1] + glyphs.boxes[:, 3]) / 2
    seen = (x >= -1) & (x <= glyphs.width + 1) & (y >= -1) & (y <= glyphs.height + 1)
    extent = np.maximum(
        glyphs.boxes[:, 3] - glyphs.boxes[:, 1], glyphs.boxes[:, 2] - glyphs.boxes[:, 0]
    )
    ink = (glyphs.codes > 32) & (glyphs.objects != 0)
    on_page = seen.copy()
    seen &= ~(ink & (extent < 0.9))
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    unseen_objects: list[int] = []
    painted: list[tuple[float, float, float, float]] | None = None
    for pointer in np.unique(glyphs.objects[ink]):
        handle = ctypes.cast(int(pointer), pdfium_c.FPDF_PAGEOBJECT)
        mode = pdfium_c.FPDFTextObj_GetTextRenderMode(handle)
        if mode == _INVISIBLE:
            unseen_objects.append(int(pointer))
            continue
        if mode not in (0, 4):  # stroked text is seen whatever its fill
            continue
        if not pdfium_c.FPDFPageObj_GetFillColor(handle, red, green, blue, alpha):
            continue
        if alpha.value == 0:
            seen &= glyphs.objects != pointer
        elif min(red.value, green.value, blue.value) >= 250:
            if painted is None:
                painted = _painted_areas(page)
            mine = glyphs.objects == pointer
            cx, cy = float(x[mine].mean()), float(y[mine].mean())
            if not any(a <= cx <= c and b <= cy <= d for a, b, c, d in painted):
                seen &= ~mine
    if unseen_objects or not seen[ink].any():
        glyphs.image_share = largest_image_share(page)
    if unseen_objects and glyphs.image_share < _OCR_LAYER_SHARE:
        seen &= ~np.isin(glyphs.objects, np.array(unseen_objects, dtype=np.uint64))
    glyphs.hidden = int((ink & on_page & ~seen).sum())
    glyphs.keep &= seen


def _object_box(
    item: pdfium.PdfObject, linear: np.ndarray, offset: np.ndarray
) -> tuple[float, float, float, float] | None:
    try:
        bounds = np.array([item.get_bounds()])
    except pdfium.PdfiumError:
        return None
    a, b, c, d = _displayed(bounds, linear, offset)[0]
    return float(a), float(b), float(c), float(d)


def _painted_areas(page: pdfium.PdfPage) -> list[tuple[float, float, float, float]]:
    """Boxes of whatever may lie behind white letters: coloured areas, images, forms, shadings."""
    linear, offset, _, _ = page_matrix(page)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    areas = []
    for item in page.get_objects(max_depth=1):
        if item.type == pdfium_c.FPDF_PAGEOBJ_TEXT:
            continue
        if item.type == pdfium_c.FPDF_PAGEOBJ_PATH:
            known = pdfium_c.FPDFPageObj_GetFillColor(item.raw, red, green, blue, alpha)
            if known and min(red.value, green.value, blue.value) >= 250:
                continue
        box = _object_box(item, linear, offset)
        if box:
            areas.append(box)
    return areas


def largest_image_share(page: pdfium.PdfPage) -> float:
    """The largest share of the page, 0 to 1, that one image covers."""
    linear, offset, width, height = page_matrix(page)
    best = 0.0
    for item in page.get_objects(filter=(pdfium_c.FPDF_PAGEOBJ_IMAGE,), max_depth=3):
        box = _object_box(item, linear, offset)
        if box and width and height:
            w = min(box[2], width) - max(box[0], 0.0)
            h = min(box[3], height) - max(box[1], 0.0)
            best = max(best, max(w, 0.0) * max(h, 0.0) / (width * height))
    return best


def _drop_doubled(glyphs: Glyphs) -> None:
    """Leaves out the second drawing of a character at the same place (fake bold, shadows)."""
    ink = np.flatnonzero(glyphs.keep & (glyphs.codes > 32))
    if len(ink) < 2:
        return
    boxes, codes = glyphs.boxes[ink], glyphs.codes[ink]
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    for shift in (0.0, 2.0):  # two grids, so that no pair falls between two cells of both
        order = np.lexsort((boxes[:, 0], np.floor((middle + shift) / 4), codes))
        a, b = order[:-1], order[1:]
        size = boxes[a, 2] - boxes[a, 0], boxes[a, 3] - boxes[a, 1]
        same = (
            (codes[a] == codes[b])
            & (np.abs(boxes[a, 0] - boxes[b, 0]) < 0.25 * size[0] + 0.05)
            & (np.abs(middle[a] - middle[b]) < 0.2 * size[1] + 0.05)
            & (np.abs(boxes[b, 3] - boxes[b, 1] - size[1]) < 0.15 * size[1] + 0.05)
            # one glyph that stands for several letters ("ff") gives each the same box
            & ~((glyphs.objects[ink[a]] == glyphs.objects[ink[b]]) & (np.abs(a - b) <= 3))
        )
        second = np.maximum(a, b)[same]
        glyphs.keep[ink[second]] = False


def _put_accents_on_letters(glyphs: Glyphs) -> None:
    """Makes "o" with a separate "¨" drawn over it one "ö"."""
    accents = np.flatnonzero(glyphs.keep & np.isin(glyphs.codes, list(_ACCENTS)))
    if not len(accents):
        return
    boxes = glyphs.boxes
    letters = np.flatnonzero(glyphs.keep & (glyphs.codes >= 65) & (glyphs.codes < 0x250))
    letters = letters[~np.isin(letters, accents)]
    for accent in accents.tolist():
        x = (boxes[accent, 0] + boxes[accent, 2]) / 2
        near = letters[(boxes[letters, 0] < x) & (boxes[letters, 2] > x)]
        overlap = np.minimum(boxes[near, 3], boxes[accent, 3]) - np.maximum(
            boxes[near, 1], boxes[accent, 1]
        )
        near = near[overlap > 0.5 * (boxes[accent, 3] - boxes[accent, 1])]
        for letter in near[np.argsort(np.abs(near - accent))][:1].tolist():
            base = {"ı": "i", "ȷ": "j"}.get(chr(glyphs.codes[letter]), chr(glyphs.codes[letter]))
            composed = unicodedata.normalize("NFC", base + _ACCENTS[glyphs.codes[accent]])
            if len(composed) == 1:
                glyphs.codes[letter] = ord(composed)
                glyphs.keep[accent] = False
