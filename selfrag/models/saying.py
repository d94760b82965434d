"""Does a sentence say what a statement says, or the opposite? From the words alone.

Sharing names and a topic is not saying the same ("we compared A with B" does not say that A is
faster), so much is asked for:

1. every word of the statement that carries meaning, and every small word that binds ("only",
   "than", "before"), stands in the sentence, in the same order and led by the same prepositions,
   with few words between, and none of another name;
2. what is denied in the one is denied in the other, and nothing else is;
3. the sentence makes no reservation that the statement does not make ("may", "if", "but"), and
   does not narrow it down ("only for", "the successor of");
4. its figures are no bounds ("at least 20") that the statement does not have.

It says the opposite where all this holds but for one thing: another figure in the same place,
a denial, or a word in the same place that means the opposite ("slowest", "fastest"). What is said
in other words is neither: to know it takes a reader.
"""

import re
from dataclasses import dataclass
from enum import Enum

from selfrag.models.halves import second_half
from selfrag.models.telling import (
    BOUNDS,
    FOR,
    KINDS,
    LIMITING,
    NARROWING,
    ROUGHLY,
    SPARING,
    opposite,
    reservations,
)
from selfrag.models.units import AND, Unit, units_of
from selfrag.models.words import fold

BETWEEN = 3  #: units that may stand between two of the statement's
FEWEST = 2  #: units of a statement below which it can't be told what it says
_ROUGH = 0.15  #: a figure this much off is no other one where either is a rough one
_ENDS_LATE = ("de", "nl")  # a denial of the verb may stand at the end of the sentence
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_TIGHT = re.compile(r"[\s-]*")
_TO = r"\s*(?:[-–—]|to|a|à|bis|tot)\s*"
_RANGE_BEHIND, _RANGE_BEFORE = re.compile(rf"{_TO}\d"), re.compile(rf"\d{_TO}$")
_BEHIND = re.compile(r"\s*(\w+)(?: \w+)?")
_PURPOSE = re.compile(r"\s*(?:for \w+ing|para \w+[aei]r|pour \w+(?:er|ir|re)|per \w+re)$")
_YEAR = re.compile(r"(?:1\d|20)\d\d")


class Said(Enum):
    """What a sentence says of a statement."""

    SAME = "same"
    OPPOSITE = "opposite"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    units: tuple[Unit, ...]
    language: str

    def gap(self, left: int, right: int) -> tuple[Unit, ...]:
        return self.units[left + 1 : right]

    def tight(self, left: int) -> bool:
        """Whether a unit and the next stand side by side, without a comma or a small word."""
        one, other = self.units[left], self.units[left + 1]
        return _TIGHT.fullmatch(self.text[one.end : other.start]) is not None


def says(statement: str, sentence: str, language: str) -> Said:
    """Whether ``sentence`` says the same as ``statement``, the opposite, or neither.

    Args:
        language: of the sentence (ISO 639-1). What is said in another one is never the same.
    """
    asked = _Read(statement, units_of(statement, language), language)
    if len(asked.units) < FEWEST:
        return Said.NEITHER
    if reservations(sentence, language) - reservations(statement, language):
        return Said.NEITHER
    # What stands in brackets is passed over first: it is said by the way.
    wholes = (_ASIDE.sub(" ", sentence), sentence)
    texts = dict.fromkeys((*wholes, *(said for it in wholes for said in second_half(it, language))))
    found = [_weigh(asked, _Read(text, units_of(text, language), language)) for text in texts]
    return next((said for said in (Said.SAME, Said.OPPOSITE) if said in found), Said.NEITHER)


def _weigh(asked: _Read, found: _Read) -> Said:
    """Walks both from unit to unit. Of the ways to a place only the differences count, so that
    a text of one word again and again takes no longer than another."""
    if not {u.key for u in asked.units if u.named} <= {u.key for u in found.units}:
        return Said.NEITHER
    ways = {
        (place, _differing(asked, 0, found, place))
        for place in range(len(found.units))
        if _meets(asked, 0, found, place) and not _narrowed_before(asked, found, place)
    }
    for at in range(1, len(asked.units)):
        ways = {
            (place, differing + _differing(asked, at, found, place))
            for left, differing in ways
            if differing <= 1
            for place in range(left + 1, min(left + 2 + BETWEEN, len(found.units)))
            if _meets(asked, at, found, place) and _leads_on(asked, at, found, left, place)
        }
    least = min((n for place, n in ways if not _narrowed_behind(found, place)), default=None)
    return {0: Said.SAME, 1: Said.OPPOSITE}.get(2 if least is None else least, Said.NEITHER)


def _differing(asked: _Read, at: int, found: _Read, place: int) -> int:
    unit, there = asked.units[at], found.units[place]
    return (unit.key != there.key) + (unit.denied != there.denied)


def _meets(asked: _Read, at: int, found: _Read, place: int) -> bool:
    """Whether a unit of the sentence is that of the statement, or stands for its opposite."""
    unit, there = asked.units[at], found.units[place]
    if unit.figure != there.figure or unit.owns != there.owns:
        return False
    if unit.key == there.key:
        return not unit.figure or unit.before & BOUNDS == there.before & BOUNDS
    if not unit.figure:
        return opposite(unit.text, there.text)
    return _other_figure(asked, at, found, place)


def _other_figure(asked: _Read, at: int, found: _Read, place: int) -> bool:
    """Whether there is another figure of the same kind, so that both can't be right."""
    unit, there = asked.units[at], found.units[place]
    around = unit.before | there.before
    if around & BOUNDS or _in_range(found.text, there) or _tells_which(asked, at):
        return False
    known = {it.key for it in asked.units}, {it.key for it in found.units}
    if there.key in known[0] or unit.key in known[1]:
        return False
    if bool(_YEAR.fullmatch(unit.text)) != bool(_YEAR.fullmatch(there.text)):
        return False
    allowed = _ROUGH * max(unit.value, there.value) if around & ROUGHLY else 0.0
    return abs(unit.value - there.value) > allowed


def _tells_which(asked: _Read, at: int) -> bool:
    """Whether a figure tells which one is meant ("Table 3 shows"), not how many there are."""
    if not at or not asked.tight(at - 1):
        return False
    counts = at + 1 < len(asked.units) and asked.tight(at)
    return at == 1 or not counts


def _in_range(text: str, unit: Unit) -> bool:
    behind = _RANGE_BEHIND.match(text[unit.end :])
    return bool(behind or _RANGE_BEFORE.search(text[: unit.start]))


def _leads_on(asked: _Read, at: int, found: _Read, left: int, right: int) -> bool:
    """Whether the sentence gets from one place to the next as the statement does."""
    between = found.gap(left, right)
    wanted = asked.units[at].led_by
    led_by = frozenset().union(*(unit.led_by for unit in found.units[left + 1 : right + 1]))
    if between and found.tight(left) and not asked.tight(at - 1) and not found.units[left].figure:
        return False  # "the Acme building was sold" is not said of Acme
    if AND in led_by - wanted or not wanted <= led_by:
        return False
    if led_by != wanted and not (between and all(_kind(unit) for unit in between)):
        return False
    if any(unit.binds or unit.denied or unit.owns for unit in between):
        return False
    # A name may tell which kind ("JavaScript programs"); else somebody else is spoken of.
    return all(found.tight(place) for place in range(left + 1, right) if found.units[place].named)


def _narrowed_before(asked: _Read, found: _Read, first: int) -> bool:
    """Whether what stands before leaves only a part of what is said, or denies it."""
    if not first:
        return False
    units = found.units
    beside, opening = units[first - 1], fold(found.text[: units[0].start]).split()
    return (
        fold(beside.text) in LIMITING
        or any(unit.denied for unit in units[:first])
        or bool(units[first].led_by - asked.units[0].led_by and not _kind(beside))
        or bool(opening and opening[0] in NARROWING)
    )


def _narrowed_behind(found: _Read, last: int) -> bool:
    """Whether what stands behind leaves only a part of what is said, or denies it."""
    rest = found.units[last + 1 :]
    if rest and fold(rest[0].text) in SPARING:
        return True
    if found.language in _ENDS_LATE and any(unit.denied for unit in rest):
        return True
    behind = _BEHIND.match(fold(found.text[found.units[last].end :]))
    return behind is not None and behind[1] in FOR and not _PURPOSE.match(behind[0])


def _kind(unit: Unit) -> bool:
    return fold(unit.text) in KINDS
