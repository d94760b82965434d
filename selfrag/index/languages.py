"""How keyword search cuts text into words, language by language.

Words are separated, lowercased, freed of stop words and stemmed by the engine, as
fastembed's ``Qdrant/bm25`` does. Scripts written without spaces between words would come
out as one word per sentence; their runs are cut into overlapping pairs of characters
instead, the practice of Lucene's CJKBigramFilter: no dictionary, and a word is found
however its sentence would have been segmented. Korean is treated so too, because its
particles are written onto the word.
"""

import itertools
import re
import unicodedata
from functools import lru_cache

import qdrant_edge as engine

#: ISO 639-1 code -> the engine's name of a language that it has stop words or a stemmer for.
LANGUAGES = {
    "ar": "arabic",
    "az": "azerbaijani",
    "bn": "bengali",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "he": "hebrew",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "kk": "kazakh",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sl": "slovene",
    "sv": "swedish",
    "tg": "tajik",
    "tr": "turkish",
}
_NAMES = frozenset(LANGUAGES.values())
#: Languages that the engine can stem, but has no stop words for.
_STEMMED_ONLY = {
    "hy": engine.SnowballLanguage.Armenian,
    "ta": engine.SnowballLanguage.Tamil,
}

_UNSPACED = re.compile(
    "["
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Kana
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7af"  # Hangul
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece"  # Thai, Lao
    "\u1000-\u1049\u1780-\u17d3"  # Burmese, Khmer
    "]+"
)


@lru_cache(maxsize=64)
def encoder(language: str, avg_len: float) -> engine.Bm25:
    """The engine's BM25 for a language.

    Args:
        language: ISO 639-1 code or the engine's name ("pt" or "portuguese"). A language
            that the engine does not know gets neither stop words nor stemming.
        avg_len: the average length of a chunk in words, which BM25 weighs lengths against.
    """
    name = LANGUAGES.get(language, language)
    if name in _NAMES:
        return engine.Bm25(engine.Bm25Config(language=name, avg_len=avg_len))
    stemmer: engine.SnowballParams | engine.DisabledStemmer = engine.DisabledStemmer()
    if language in _STEMMED_ONLY:
        stemmer = engine.SnowballParams(_STEMMED_ONLY[language])
    no_words = engine.StopwordsSet(set(), set())
    return engine.Bm25(engine.Bm25Config(avg_len=avg_len, stopwords=no_words, stemmer=stemmer))


def spaced(text: str, *, singles: bool) -> str:
    """The text with unspaced scripts cut into pairs; all else is left as it is.

    Args:
        singles: give each character too. Documents have them so that a query of a single
            character finds something; queries do not, they would find too much.
    """
    # Half a surrogate pair, as broken PDFs give, cannot be passed to the engine.
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return _UNSPACED.sub(lambda run: _pairs(run.group(), singles), clean)


def _pairs(run: str, singles: bool) -> str:
    # Tone marks and viramas stack onto letters; the engine would cut words at them.
    letters = [letter for letter in run if not unicodedata.combining(letter)]
    pairs = [first + second for first, second in itertools.pairwise(letters)]
    return " ".join(["", *pairs, *(letters if singles or not pairs else []), ""])
