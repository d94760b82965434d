"""A sentence as the units that decide what it says: words with meaning, and small words that bind.

Each unit knows whether a denial stands before it and which prepositions lead to it, since "sold
by" is not "sold to" and "leave for managers" is not "leave".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from selfrag.models.telling import BINDING, COORDINATING, DENIES, LEADING, MERELY
from selfrag.models.words import fold, words

AND = "and"  #: stands in `Unit.led_by` for every coordination
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W_]+")
_FAR = 2  #: words before a figure that may bound it
_GROUPED = re.compile(r"[.,](?=\d{3}(?:\D|$))")


@dataclass(frozen=True, slots=True)
class Unit:
    """A word that counts.

    Attributes:
        key: equal for words with the same stem.
        text: as it stands; ``start`` and ``end`` are its place.
        named: a name inside a sentence; figures are none.
        binds: a small word that changes what is said.
        denied: a denial stands before it.
        led_by: prepositions between the unit before and this one, and `AND`.
        before: the two words in front of it, folded.
        owns: a genitive ("V8's").
    """

    key: str
    text: str
    start: int
    end: int
    named: bool
    binds: bool
    denied: bool
    led_by: frozenset[str]
    before: frozenset[str]
    owns: bool

    @property
    def figure(self) -> bool:
        """Whether it is a number in digits."""
        return self.text[0].isdigit()

    @property
    def value(self) -> float:
        """A figure as a number; thousands may be grouped by points or commas."""
        plain = _GROUPED.sub("", self.text).replace(",", ".").replace(":", ".")
        whole, *rest = plain.split(".")
        return float(f"{whole}.{''.join(rest)}")


@lru_cache(maxsize=4096)
def units_of(text: str, language: str) -> tuple[Unit, ...]:
    """The units of ``text`` in order; ``language`` as ISO 639-1, one of `words.LANGUAGES`."""
    return tuple(_units(text, language))


def _units(text: str, language: str) -> Iterator[Unit]:
    meaning = {word.start: word for word in words(text, language)}
    tokens = [(match, fold(match[0])) for match in _TOKEN.finditer(text)]
    denied = False
    led_by: set[str] = set()
    last: Unit | None = None
    for at, (match, token) in enumerate(tokens):
        following = tokens[at + 1][1] if at + 1 < len(tokens) else ""
        if token in DENIES[language] or _contracted(text, match.start(), token):
            denied = denied or following not in MERELY
            continue
        if token in LEADING[language]:
            led_by.add(LEADING[language][token])
        # Not folded: "é" and "è" are verbs.
        if match[0].lower() in COORDINATING[language]:
            led_by.add(AND)
        word = meaning.get(match.start())
        binds = token in BINDING[language]
        if word is None and not binds:
            continue
        if last:
            yield last
        last = Unit(
            key=token if binds or word is None else word.key,
            text=match[0],
            start=match.start(),
            end=match.end(),
            named=bool(word and word.named and not match[0][0].isdigit()),
            binds=binds,
            denied=denied,
            led_by=frozenset(led_by),
            before=frozenset(t for _, t in tokens[max(0, at - _FAR) : at]),
            owns=text[match.end() : match.end() + 2] in ("'s", "’s"),
        )
        denied, led_by = False, set()
    if last:
        # A denial at the very end ("raucht nicht") is of what stands before it.
        yield replace(last, denied=last.denied or denied)


def _contracted(text: str, start: int, token: str) -> bool:
    """The end of "doesn't"."""
    return token == "t" and text[max(0, start - 2) : start].lower() in ("n'", "n’")
