"""What happens to single characters and words: ligatures, widths, accents, direction.

Each rule keeps track of which glyph a character came from, so that a range of the text can
be drawn on the page. Superscripts (m²), fractions and CJK punctuation stay as they are.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

#: Blocks whose characters are only another form of ordinary ones (compatibility forms).
_COMPATIBILITY = (
    (0x2E80, 0x2FDF),  # CJK and Kangxi radicals
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0xFB00, 0xFB4F),  # Latin, Armenian and Hebrew ligatures
    (0xFB50, 0xFDFB),  # Arabic presentation forms A
    (0xFE70, 0xFEFC),  # Arabic presentation forms B
    (0xFF10, 0xFF19),  # full-width digits
    (0xFF21, 0xFF3A),  # full-width letters
    (0xFF41, 0xFF5A),
    (0xFF66, 0xFFDC),  # half-width kana and hangul
    (0x1D400, 0x1D7FF),  # mathematical letters and digits
    (0x2F800, 0x2FA1F),  # CJK compatibility supplement
)
_SOFT_HYPHEN = "\u00ad"
_HYPHENS = "-\u2010\u00ad"
#: Zero-width non-joiner and joiner carry meaning in Persian and Indic scripts.
_KEEP_FORMAT = "\u200c\u200d"
_MIRROR = str.maketrans("()[]{}<>«»", ")(][}{><»«")


@lru_cache(maxsize=20_000)
def character(char: str) -> str:
    """What ``char`` is written as: itself, its plain form, or nothing if nobody can see it."""
    code = ord(char)
    if 0x20 < code < 0x7F:
        return char
    category = unicodedata.category(char)
    if category == "Zs" or char in "\t\r\n":
        return " "
    if char == _SOFT_HYPHEN:
        return char  # dropped or used when lines are joined
    if category in ("Cc", "Cs", "Cn", "Zl", "Zp"):
        return ""
    if category == "Cf":
        return char if char in _KEEP_FORMAT else ""
    if code in (0xFFFC, 0xFFFD, 0xFFFE, 0xFFFF):
        return ""
    for first, last in _COMPATIBILITY:
        if first <= code <= last:
            return unicodedata.normalize("NFKC", char)
    return unicodedata.normalize("NFC", char)


def is_rtl(char: str) -> bool:
    """Whether ``char`` belongs to a script written from right to left."""
    return "\u0590" <= char <= "\u08ff" or "\ufb1d" <= char <= "\ufefc"


def is_unspaced(char: str) -> bool:
    """Whether ``char`` belongs to a script that puts no spaces between words (Han, kana, Thai)."""
    return (
        "\u3000" <= char <= "\u30ff"
        or "\u3400" <= char <= "\u9fff"
        or "\uf900" <= char <= "\ufaff"
        or "\uff00" <= char <= "\uff65"
        or "\u0e00" <= char <= "\u0eff"
        or "\u1780" <= char <= "\u17ff"
        or "\U00020000" <= char <= "\U0003ffff"
    )


def word(raw: str, sources: Sequence[int]) -> tuple[str, list[int]]:
    """The normalised form of a word and the glyph that each of its characters came from."""
    if raw.isascii() and raw.isprintable():
        return raw, list(sources)
    text: list[str] = []
    origin: list[int] = []
    for char, source in zip(raw, sources, strict=True):
        if unicodedata.combining(char) and text:
            composed = unicodedata.normalize("NFC", text[-1] + char)
            if len(composed) == 1:
                text[-1] = composed
                continue
        for out in character(char):
            text.append(out)
            origin.append(source)
    if _SOFT_HYPHEN in text[:-1]:  # inside a word it is only a place where one might break
        kept = [i for i, c in enumerate(text) if c != _SOFT_HYPHEN or i == len(text) - 1]
        text, origin = [text[i] for i in kept], [origin[i] for i in kept]
    return "".join(text), origin


def mirrored(text: str) -> str:
    """``text`` with its brackets turned round, where a right-to-left line has them reversed.

    Some fonts name the glyph as drawn and others as meant; the first unpaired bracket tells.
    """
    depth = 0
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return text.translate(_MIRROR)
    return text


def ends_hyphenated(text: str) -> bool:
    """Whether a line ends in a hyphen that may only be there because the line ended."""
    return len(text) > 1 and text[-1] in _HYPHENS and text[-2].isalpha()


#: First parts of compounds that keep their hyphen when a line ends after it.
_COMPOUND = frozenset(
    {"self", "well", "non", "cross", "high", "low", "long", "short", "half", "ex", "all", "full"}
    | {"multi", "open", "real", "large", "small", "state", "two", "three", "four", "one", "co"}
    | {"pré", "pós", "auto", "meia", "bem", "mal", "recém", "além", "semi", "demi", "mi"}
)


def keeps_hyphen(left: str, right: str, page_text: str) -> bool:
    """Whether ``left-`` and ``right``, at a line's end and start, are a compound.

    They are where the page shows them hyphenated inside a line, where a part is a number or
    a name (capital letter), and for usual first parts ("self-").
    """
    if left.endswith(_SOFT_HYPHEN):
        return False
    stem = left[:-1].rsplit(maxsplit=1)[-1] if left[:-1].strip() else ""
    stem = stem.lstrip("([{\"'“‘«")
    head = right.split(maxsplit=1)[0].rstrip(".,;:!?)]}\"'”’»") if right.strip() else ""
    if not head or not head[0].islower():
        return True
    if (stem + head).casefold() in page_text:
        return False
    lowered = stem.casefold()
    return "-" in stem or lowered in _COMPOUND or f"{stem}-{head}".casefold() in page_text
