"""Ligatures that a file's Unicode table names by their first letter only.

Some typesetting programs (the Supreme Court's opinions are made with one) say that the glyph
"ﬁ" is an "f": "benefits" is then read as "benefts" and never found. The glyph's width gives
it away: within one font all "f" are equally wide but for these.
"""

import ctypes

import numpy as np
import pypdfium2.raw as pdfium_c

_LEAST = 5  # plain "f" of a font that must be there to compare with
_TWO, _DOUBLE, _THREE = 1.3, 1.87, 2.2  # widths of "fi", "ff" and "ffi" in widths of "f"


def mend_ligatures(
    codes: np.ndarray, boxes: np.ndarray, objects: np.ndarray, keep: np.ndarray
) -> None:
    """Sets the code of an "f" that is too wide for one to that of the ligature it must be.

    Args:
        codes, boxes, objects, keep: see ``Glyphs``; ``codes`` is changed in place.
    """
    found = np.flatnonzero((codes == ord("f")) & keep & (objects != 0))
    # a glyph that the file names in full gives its letters one box, or equal parts of it
    width = boxes[:, 2] - boxes[:, 0]
    same = (boxes[1:] == boxes[:-1]).all(axis=1)
    same |= (np.abs(width[1:] - width[:-1]) < 0.03 * width[:-1]) & np.isin(
        codes[1:], [ord("f"), ord("i"), ord("l")]
    )
    whole = np.zeros(len(codes), dtype=bool)
    whole[1:] |= same
    whole[:-1] |= same
    found = found[~whole[found]]
    if len(found) <= _LEAST:
        return
    fonts = np.array([_font(int(pointer)) for pointer in objects[found]])
    wide = (boxes[found, 2] - boxes[found, 0]) / np.maximum(boxes[found, 3] - boxes[found, 1], 1e-6)
    for font in np.unique(fonts):
        mine = fonts == font
        values, counts = np.unique(np.round(wide[mine], 2), return_counts=True)
        if font == 0 or counts.max() < _LEAST:
            continue
        plain = values[counts.argmax()]
        for index, ratio in zip(found[mine].tolist(), wide[mine] / plain, strict=True):
            if ratio >= _TWO:
                _name(codes, index, float(ratio))


def _font(pointer: int) -> int:
    item = ctypes.cast(pointer, pdfium_c.FPDF_PAGEOBJECT)
    font = pdfium_c.FPDFTextObj_GetFont(item)
    return ctypes.cast(font, ctypes.c_void_p).value or 0


def _name(codes: np.ndarray, index: int, ratio: float) -> None:
    after = "".join(chr(c) if 0 < c < 0x110000 else " " for c in codes[index + 1 : index + 3])
    if not after[:1].islower():
        return
    second = _is_l(after)
    if ratio < _DOUBLE:
        codes[index] = 0xFB02 if second else 0xFB01
    elif ratio < _THREE:
        codes[index] = 0xFB00
    else:
        codes[index] = 0xFB04 if second else 0xFB03


def _is_l(after: str) -> bool:
    """Whether "fl" rather than "fi" stands before ``after``; both glyphs are equally wide.

    A consonant follows "fi" ("first", "benefit"), other vowels than "e" follow "fl" ("flow",
    "conflict"); for "e" the next letter tells ("field", "reflect").
    """
    if after[0] != "e":
        return after[0] in "aiouyàáâãéêíóôõúü"
    return after[1:2] in ("a", "c", "e", "t", "w", "x")
