"""A question as keyword search asks it, whatever language it is in.

A library is searched with the question as each of its languages stems it, and each of those
knows its own stop words only. "How fast is it?" would keep all four words for French, where
"how" is rarer than any name: a footnote in English in a French document would outrank every
passage that answers. So a stop word of the question's own language is none of its words.

That language is a guess, and words are a stop word here and the matter there (German "die" and
"war", Portuguese "as"). So a word goes where it is more likely to be a stop word than not: where
the probabilities of the languages that have it as one come to more than a half. "war crimes"
keeps both words and "Was war das?" none; "que" goes whether the question is Portuguese or Spanish.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from selfrag.index.languages import LANGUAGES, encoder
from selfrag.models.language import likely_languages

_WORD = re.compile(r"\w+")
_MORE_LIKELY_THAN_NOT = 0.5


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        text: with a blank for each stop word of its own language.
        language: ISO 639-1 code of its own language; None where no language is more likely than
            all others together.
    """

    text: str
    language: str | None


def understood(text: str) -> Question:
    """The question without its function words, and the language that it is in."""
    likely = likely_languages(text)
    language = max(likely, key=likely.__getitem__, default=None)
    if language is not None and likely[language] <= _MORE_LIKELY_THAN_NOT:
        language = None

    def blanked(word: re.Match[str]) -> str:
        as_one = sum(share for code, share in likely.items() if _is_stop_word(word[0], code))
        return " " if as_one > _MORE_LIKELY_THAN_NOT else word[0]

    return Question(_WORD.sub(blanked, text), language)


@lru_cache(maxsize=65_536)
def _is_stop_word(word: str, language: str) -> bool:
    return language in LANGUAGES and not encoder(language, 1.0).embed_query(word).indices
