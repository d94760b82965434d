"""An answer's statements, one by one, with the passages that each cites."""

import re
from dataclasses import dataclass

from selfrag.models.sentences import split_sentences
from selfrag.models.words import guess_language, words

_MARKS = re.compile(r"(?:\s*\[Doc\s*\d+\])+", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
#: Behind marks that end a statement stand its stop, a line end, or the next one's capital.
_NEXT = re.compile(r"\s*(?:[.!?;:…。！？]|$|\n|[\"'“‘«(\[¿¡•*-]*[^\W\d_a-zß-ÿ]|\d)")
_LEADING = " \t\n.,;:!?…-–•*"


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer without its marks, and the numbers they cite."""

    text: str
    cited: tuple[int, ...]


def split_statements(answer: str) -> list[Statement]:
    """The statements in order; what says nothing is left out: a lone word, and a lead-in, unless
    there is nothing else, as where a line that ends in a colon was quoted."""
    every = _split(answer)
    return [it for it in every if not it.text.endswith((":", "："))] or every


def _split(answer: str) -> list[Statement]:
    found: list[Statement] = []
    start = 0
    pending = ""
    for marks in [*_MARKS.finditer(answer), None]:
        end = marks.start() if marks else len(answer)
        pending += answer[start:end]
        start = marks.end() if marks else end
        if marks and not _NEXT.match(answer, marks.end()):
            continue
        cited = tuple(int(n) for n in _NUMBER.findall(marks[0])) if marks else ()
        found.extend(_statements(pending, cited))
        pending = ""
    return found


def _statements(text: str, cited: tuple[int, ...]) -> list[Statement]:
    language = guess_language(text)
    return [
        Statement(bare, cited)
        for sentence in split_sentences(text)
        if (bare := sentence.text.lstrip(_LEADING).strip()) and words(bare, language)
    ]
