"""Claims that are quotes: do they stand in a passage, and does what surrounds them agree?"""

import re
from collections.abc import Sequence

from selfrag.models.sentences import split_sentences
from selfrag.models.words import fold
from selfrag.quotes import find_quote
from selfrag.reflection.answer_claims import Statement
from selfrag.reflection.cleaning import clean_text
from selfrag.reflection.grades import Claim, Support
from selfrag.reflection.roles import Passage

_DOC_MARK = re.compile(r"[\[(](\s*doc(?:ument)?s?\.?\s*[\d,\s]+)[\])]", re.IGNORECASE)
#: Before a quoted part of a sentence, these may turn its sense around.
_TURNS = re.compile(
    r"\b(?:not|no|never|false|untrue|myth|deny|denied|denies|if|unless|nao|nunca|falso|se|nem"
    r"|jamas|si|pas|faux|ne|nicht|kein\w*|falsch|wenn|non|falso)\b|n't\b"
)


def quoted_claim(statement: Statement, passages: Sequence[Passage]) -> Claim | None:
    """The statement as a fully supported claim where it is a quote; else None.

    The passages that it cites are looked in first, then all others: a right sentence with a
    wrong mark is told with the passage where it really stands. A part of a sentence whose other
    part may deny it ("It is not true that ...") is no quote.
    """
    cited_first = sorted(passages, key=lambda p: p.number not in statement.cited)
    for passage in cited_first:
        source = clean_text(passage.text)
        # The writer takes the brackets off marks that a passage forges; so is it compared.
        masked = _DOC_MARK.sub(r" \1 ", source)
        found = find_quote(statement.text, masked)
        if found and not _denied(masked, *found):
            return Claim(statement.text, Support.FULLY, passage.number, source[found[0] : found[1]])
    return None


def _denied(source: str, start: int, end: int) -> bool:
    for sentence in split_sentences(source):
        if sentence.start < start < sentence.end:
            return bool(_TURNS.search(fold(source[sentence.start : start])))
    return False
