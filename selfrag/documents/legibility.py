"""Whether extracted characters are text: fonts without a Unicode table give gibberish.

Two degrees, since a wrong verdict costs either noise in the index or a lost page:
- *gibberish*: the font says for most glyphs that it knows no Unicode, or most characters are
  unassigned, private or of scripts mixed inside words. Nobody could find the page by these,
  so it is treated like a scan (OCR reads the picture);
- *doubtful*: letters, but hardly any word is built like one (a bad OCR layer, a shifted
  alphabet). The page stays searchable and says that its text looks unreadable.
"""

import re
import unicodedata
from enum import Enum
from functools import lru_cache

_WORD = re.compile(r"\S+")
_LATIN_WORD = re.compile(
    r"^[\"'“”‘’«»(\[{¿¡*•–—-]*(?:[^\W\d_]?[^\W\d_A-Z]*|[^\W\d_]+)(?:[-'’./&][^\W\d_]+)*"
    r"(?:['’]s)?[\"'“”‘’«»)\]}.,;:!?…*%–—-]*$"
)
_SAMPLE = 1_500  # characters of a page that are looked at
_VOWELS = frozenset("aeiouyæœøıå")
_FEW_VOWELS = 0.25  # of a Latin text's letters; natural ones have 0.35 to 0.5
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_BOXES = 0.02  # of the signs of a text that is shown: one here or there is passed over
_LEAST = 24  # characters below which nothing can be said


class Legibility(Enum):
    """How readable a page's extracted text is."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    GIBBERISH = "gibberish"


def legibility(text: str, unmapped: float = 0.0) -> Legibility:
    """How readable ``text`` is; ``unmapped`` is the share of glyphs without Unicode."""
    text = text[:_SAMPLE]
    letters = [c for c in text if not c.isspace()]
    if len(letters) < _LEAST:
        return Legibility.DOUBTFUL if unmapped > 0.5 else Legibility.GOOD
    strange = [c for c in letters if not " " < c <= "~"]
    odd = sum(_script(c) == "odd" for c in strange) / len(letters)
    words = _WORD.findall(text)
    long = [w for w in words if len(w) > 2]
    mixed = sum(not w.isascii() and _mixed(w) for w in long) / len(long) if long else 0.0
    if odd > 0.3 or unmapped > 0.6 or mixed > 0.4:
        return Legibility.GIBBERISH
    latin = [w for w in words if _LATIN.search(w)]
    if len(latin) > 0.6 * len(words) and len("".join(latin)) >= _LEAST:
        built = sum(bool(_LATIN_WORD.match(w)) for w in latin) / len(latin)
        plain = unicodedata.normalize("NFD", "".join(latin).casefold())
        letters = [c for c in plain if c.isalpha()]
        vowels = sum(c in _VOWELS for c in letters) / max(1, len(letters))
        if built < 0.55 or vowels < _FEW_VOWELS or odd > 0.1:
            return Legibility.DOUBTFUL
    return Legibility.DOUBTFUL if odd > 0.15 or unmapped > 0.3 else Legibility.GOOD


def shows_as_text(text: str) -> bool:
    """Whether a person who is shown ``text`` sees letters, and not boxes for signs that the file
    does not name. It may be found by the words among them all the same.
    """
    signs = [c for c in text if not c.isspace()]
    boxes = sum(c == "\N{REPLACEMENT CHARACTER}" or _script(c) == "odd" for c in signs)
    return boxes <= _BOXES * len(signs) and legibility(text) is not Legibility.GIBBERISH


@lru_cache(maxsize=20_000)
def _script(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Co", "Cn", "Cs", "Cc"):
        return "odd"
    if not category.startswith("L"):
        return ""
    name = unicodedata.name(char, "odd").split(" ", 1)[0].split("-", 1)[0]
    if name in ("HIRAGANA", "KATAKANA", "CJK", "HANGUL", "FULLWIDTH", "HALFWIDTH", "IDEOGRAPHIC"):
        return "EAST"
    if name in ("GREEK", "MATHEMATICAL", "DOUBLE", "SCRIPT", "BLACK", "MICRO", "OHM", "ANGSTROM"):
        return ""  # stands in formulas beside Latin letters
    return name


def _mixed(word: str) -> bool:
    scripts = {_script(c) for c in word} - {"", "EAST", "MODIFIER"}
    return len(scripts) > 1
