"""A conversation's title, from its first question."""

import re

LONGEST = 60  #: characters: one line of a list
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")


def title_of(question: str) -> str:
    """The first sentence, on one line, cut at a word and marked as cut where it is too long."""
    text = " ".join(question.split())
    first = _SENTENCE.split(text, maxsplit=1)[0]
    # "Dr. Silva's address?" has its first full stop too soon to be a title.
    text = first if len(first.split()) > 2 or len(text) > LONGEST else text
    return shortened(text)


def shortened(text: str, most: int = LONGEST) -> str:
    """At most ``most`` characters of one line, cut at a word where there is one."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    at_word = cut.rsplit(maxsplit=1)[0] if " " in cut else cut
    return f"{at_word.rstrip(',;:-–')}…"
