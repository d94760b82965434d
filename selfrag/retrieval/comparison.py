"""One question searched in several variants, and which passage each of them found.

A passage has one number in the whole comparison, whoever found it: the passages are numbered in
the order in which a reader meets them, first places first. A mode that reads parents finds every
child that the parent was found by.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from selfrag.errors import ModelError, UserError
from selfrag.models.query_cache import made_anew
from selfrag.retrieval.query import check_query
from selfrag.retrieval.result import Hit, Retrieval
from selfrag.retrieval.variant import Variant

MOST = 6  #: variants in one comparison
TIMES = 3  #: searches of one variant that are timed, after a first that warms up
_MOST_SPENT = 1.0  #: seconds that a variant may take for all of them
Search = Callable[[str, Variant], Retrieval]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one variant found; ``error`` says why it could not search, for the person."""

    variant: Variant
    retrieval: Retrieval | None
    error: str | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The final list; empty where it could not search."""
        return self.retrieval.hits if self.retrieval else ()


@dataclass(frozen=True, slots=True)
class ComparedPassage:
    """A passage that at least one variant has in its final list.

    Attributes:
        number: 1-based, the same in every list and chart.
        hit: as the first variant that has it found it.
        places: its rank in each variant's final list, in the order of the variants; None where
            it is not there.
    """

    number: int
    hit: Hit
    places: tuple[int | None, ...]

    @property
    def chunk_id(self) -> str:
        """The child."""
        return self.hit.chunk_id

    @property
    def finders(self) -> int:
        """How many variants found it."""
        return sum(place is not None for place in self.places)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same question in every variant."""

    question: str
    outcomes: tuple[Outcome, ...]
    passages: tuple[ComparedPassage, ...]

    @property
    def answering(self) -> tuple[int, ...]:
        """Indices of the variants that could search."""
        return tuple(i for i, outcome in enumerate(self.outcomes) if outcome.retrieval)

    def of_hit(self, hit: Hit) -> list[ComparedPassage]:
        """The numbered passages that a hit stands for, its own first."""
        order = {child: place for place, child in enumerate((hit.chunk_id, *hit.children))}
        found = [passage for passage in self.passages if passage.chunk_id in order]
        return sorted(found, key=lambda passage: order[passage.chunk_id])

    def found_by(self, index: int) -> frozenset[int]:
        """Numbers of the passages in a variant's final list."""
        return frozenset(p.number for p in self.passages if p.places[index] is not None)


def compare(search: Search, question: str, variants: Sequence[Variant]) -> Comparison:
    """Search in every variant, one after another, so that their times can be compared.

    A search is repeated as long as that is quick, and the one of the median time is kept; the first
    counts only where it is the only one, since it loads what the others find loaded. The
    question's vector is made each time, as for a question that nobody asked before.

    Args:
        search: one search; what it raises as UserError or ModelError is that variant's error.

    Raises:
        UserError: the question is blank or too long, or there are not two to six variants that
            differ.
    """
    question = check_query(question)
    if not 2 <= len(variants) <= MOST or len(set(variants)) < len(variants):
        raise UserError(f"A comparison needs two to {MOST} different modes: choose them.")
    outcomes = []
    for variant in variants:
        try:
            with made_anew():
                found = _typical(search, question, variant)
            outcomes.append(Outcome(variant, found))
        except (UserError, ModelError) as error:
            outcomes.append(Outcome(variant, None, str(error)))
    return Comparison(question, tuple(outcomes), tuple(_numbered(outcomes)))


def _typical(search: Search, question: str, variant: Variant) -> Retrieval:
    last = search(question, variant)
    spent, timed = last.seconds, [last]
    while len(timed) <= TIMES and spent + last.seconds < _MOST_SPENT:
        last = search(question, variant)
        spent += last.seconds
        timed.append(last)
    warm = sorted(timed[1:] or timed, key=lambda one: one.seconds)
    return warm[(len(warm) - 1) // 2]


def _numbered(outcomes: Sequence[Outcome]) -> list[ComparedPassage]:
    met: dict[str, Hit] = {}
    longest = max((len(outcome.hits) for outcome in outcomes), default=0)
    for place in range(longest):
        for outcome in outcomes:
            if place < len(outcome.hits):
                met.setdefault(outcome.hits[place].chunk_id, outcome.hits[place])
    places = [_places(outcome.hits) for outcome in outcomes]
    return [
        ComparedPassage(number, hit, tuple(found.get(chunk_id) for found in places))
        for number, (chunk_id, hit) in enumerate(met.items(), start=1)
    ]


def _places(hits: Sequence[Hit]) -> dict[str, int]:
    found: dict[str, int] = {}
    for hit in hits:
        for child in (hit.chunk_id, *hit.children):
            found.setdefault(child, hit.rank)
    return found
