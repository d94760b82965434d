"""Words as keyword search sees them: stems without function words, and what they weigh.

Stems and stop words are those of the index (Qdrant's BM25), so that what the judge calls
shared is what the search found. Scripts without blanks are cut into pairs of characters.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from qdrant_edge import Bm25, Bm25Config

LANGUAGES = {
    "en": "english",
    "pt": "portuguese",
    "es": "spanish",
    "fr": "french",
    "de": "german",
    "it": "italian",
    "nl": "dutch",
}
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries meaning.

    Attributes:
        key: equal for words with the same stem.
        text: as it stands.
        start: its place in the text.
        named: begins with a capital inside a sentence, or holds a digit.
    """

    key: str
    text: str
    start: int
    named: bool


@lru_cache(maxsize=8192)
def words(text: str, language: str) -> tuple[Word, ...]:
    """The words of ``text`` in order, without the function words of ``language`` (ISO 639-1)."""
    found: list[Word] = []
    unspaced = _UNSPACED.search(text) is not None
    for match in _WORD.finditer(text):
        token = match[0]
        if unspaced and _UNSPACED.search(token):
            pairs = [token[i : i + 2] for i in range(max(1, len(token) - 1))]
            found.extend(Word(p, p, match.start() + i, False) for i, p in enumerate(pairs))
            continue
        key = _stem(token, language)
        if key:
            named = token[0].isdigit() or (token[0].isupper() and match.start() > 1)
            found.append(Word(key, token, match.start(), named))
    return tuple(found)


@lru_cache(maxsize=256)
def guess_language(text: str) -> str:
    """The language whose function words are most of ``text``; English where none are."""
    counts = dict.fromkeys(LANGUAGES, 0)
    for token, times in Counter(t.lower() for t in _WORD.findall(text[:3000])).items():
        for code in _function_word_of(token):
            counts[code] += times
    return max(counts, key=lambda code: counts[code])


def fold(text: str) -> str:
    """Lower case without accents and compatibility forms, blanks collapsed."""
    if text.isascii():
        return " ".join(text.lower().split())
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


def listed(items: Iterable[str], conjunction: str = "and") -> str:
    """``'a', 'b' and 'c'``."""
    quoted = [f"'{item}'" for item in items]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} {conjunction} {quoted[-1]}"


@lru_cache(maxsize=65536)
def _stem(token: str, language: str) -> str:
    if any(c.isdigit() for c in token):
        return fold(token).strip(".,:").replace(",", "")
    ids = _ids(token.lower(), language)
    return str(ids[0]) if ids else ""


@lru_cache(maxsize=65536)
def _ids(token: str, language: str) -> tuple[int, ...]:
    return tuple(_bm25(language).embed_query(token).indices)


@lru_cache(maxsize=65536)
def _function_word_of(token: str) -> tuple[str, ...]:
    """Codes of the languages that search without this word."""
    if len(token) < 2 or not token.isalpha():
        return ()
    return tuple(code for code in LANGUAGES if not _ids(token, code))


@lru_cache
def _bm25(language: str) -> Bm25:
    return Bm25(Bm25Config(language=LANGUAGES.get(language, "english")))
