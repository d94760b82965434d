"""The language of a text, offline.

py3langid (a naive Bayes model over byte n-grams, Lui and Baldwin 2012; 4.4 MB) decides
among the languages that people's documents are likely to be in: leaving out its rarer ones
raises its accuracy on questions of one line from 0.975 to 0.995 (FaQuAD, Portuguese), where
lingua reaches 0.98 and is 96 MB. Loaded at the first call (0.3 s), 0.1 ms a question.
"""

import re
from functools import lru_cache
from typing import Any

#: ISO 639-1 codes that can be the answer.
LANGUAGES = (
    *("en", "pt", "es", "fr", "de", "it", "nl", "sv", "da", "no", "fi", "pl", "cs", "sk", "sl"),
    *("hr", "ro", "hu", "bg", "ru", "uk", "el", "tr", "ar", "fa", "he", "hi", "th", "vi", "id"),
    *("ca", "la", "zh", "ja", "ko"),
)
_SAMPLE = 6_000  # characters that are looked at
_LEAST_LETTERS = 8
_SURE = 0.8
_CONCEIVABLE = 0.05
_NOISE = re.compile(r"https?://\S+|\S+@\S+|[\d_\W]+")


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    known = set(identifier.labels)
    identifier.set_languages([code for code in LANGUAGES if code in known])
    return identifier


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of the language that most of ``text`` is in.

    None where the text is too short (under eight letters), or the probability is below 0.8.
    A long text is sampled at its beginning, middle and end.
    """
    if len(text) > _SAMPLE:
        part, middle = _SAMPLE // 3, len(text) // 2
        text = " ".join((text[:part], text[middle : middle + part], text[-part:]))
    words = _words(text)
    if sum(c.isalpha() for c in words) < (2 if _east_asian(words) else _LEAST_LETTERS):
        return None
    code, probability = _identifier().classify(words)
    return str(code) if probability >= _SURE else None


def likely_languages(text: str) -> dict[str, float]:
    """ISO 639-1 code -> probability that ``text`` is in that language, of those of 0.05 and up.

    Of a line of text: two or three words are in many languages a little, rather than in one.
    """
    words = _words(text[:_SAMPLE])
    if not words:
        return {}
    ranked = _identifier().rank(words)
    return {str(code): float(share) for code, share in ranked if share >= _CONCEIVABLE}


def _words(text: str) -> str:
    return _NOISE.sub(" ", text).strip()


def _east_asian(text: str) -> bool:
    return any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" for c in text[:50])
