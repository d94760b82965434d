"""What a study says, in sentences: which is better, by how much, and whether that is chance."""

from collections.abc import Mapping

from selfrag.evaluation.significance import Pair
from selfrag.evaluation.study import Study
from selfrag.retrieval.variant import Variant
from selfrag.wording import count


def verdict(study: Study, most: int = 3) -> list[str]:
    """The sentences, the most important first; at most ``most`` about pairs."""
    number = len(study.questions)
    if not number:
        return [
            "No question has a relevant passage yet: label at least two questions to see which "
            "mode finds more."
        ]
    if number == 1:
        return [
            "One question is not enough for a test: what it says may be chance. Label at least "
            "one more."
        ]
    if len(study.figures) < 2:
        return [f"One mode on {count(number, 'question')}: there is nothing to compare it with."]
    best = study.ranked()[0]
    about = sorted(
        (pair for pair in study.pairs if best in (pair.a, pair.b)),
        key=lambda pair: not pair.significant,
    )
    return [_sentence(study, pair, best) for pair in about[:most]]


def _sentence(study: Study, pair: Pair, best: str) -> str:
    names = {name: label(name) for name in (pair.a, pair.b)}
    return about_pair(pair, best, name_of_mean(study.measure), names, "finds more than")


def about_pair(
    pair: Pair, first_name: str, measure: str, names: Mapping[str, str], is_: str
) -> str:
    """What the test of two systems says.

    Args:
        first_name: the one of the two that the sentence begins with.
        measure: its name for people.
        names: those of both systems for people.
        is_: what the first one does where the difference is significant: "finds more than".
    """
    number = pair.difference.queries
    sign = 1 if pair.a == first_name else -1
    first, second = names[first_name], names[pair.b if pair.a == first_name else pair.a]
    difference = pair.difference
    if not difference.wins and not difference.losses:
        return (
            f"{first} and {second} are equal on every one of {count(number, 'question')}: there "
            "is nothing to test."
        )
    mean = difference.mean * sign
    if pair.significant:
        bounds = sorted(sign * bound for bound in (difference.low or 0.0, difference.high or 0.0))
        return (
            f"{first} {is_} {second}: {mean:+.3f} {measure} "
            f"(95 % interval {bounds[0]:+.3f} to {bounds[1]:+.3f}, "
            f"p {probability(pair.p_randomisation)})."
        )
    said = (
        f"No significant difference between {first} and {second} that "
        f"{count(number, 'question')} can show ({mean:+.3f} {measure}, "
        f"p {probability(pair.p_randomisation)})"
    )
    if pair.needed is None or pair.needed <= number:
        return f"{said}."
    return (
        f"{said}: if the difference is what it seems, about "
        f"{count(_rounded(pair.needed - number), 'more question')} would be needed to tell."
    )


def name_of_mean(measure: str) -> str:
    """The mean of a measure as it is usually called; ir-measures names that of one question.

    >>> name_of_mean("RR@10"), name_of_mean("AP"), name_of_mean("nDCG@10")
    ('MRR@10', 'MAP', 'nDCG@10')
    """
    kind, at, depth = measure.partition("@")
    return {"RR": "MRR", "AP": "MAP"}.get(kind, kind) + at + depth


def label(variant: str) -> str:
    """A variant as people read it."""
    return Variant.parse(variant).label


def probability(p: float | None) -> str:
    """``= 0.012``, ``< 0.001``; ``undefined``."""
    if p is None:
        return "undefined"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def _rounded(number: int) -> int:
    """Two figures: the spread of a few questions tells no more."""
    step = 10 ** max(0, len(str(number)) - 2)
    return max(step, round(number / step) * step)
