"""What a number of questions can tell: intervals, corrected tests, and how many would be needed.

- the interval of a mean: Student's t, cut to the range of the measures: 0 to 1 of shares, from 0 of
  seconds and the like; that of a difference of shares to -1 to 1;
- Holm's correction for several comparisons (Holm 1979, Scandinavian Journal of Statistics 6);
- questions needed: the two-sided paired t-test that finds a difference of this size and spread
  with a probability of 0.8 (Cohen 1988, "Statistical Power Analysis", chapter 2), by the
  noncentral t distribution.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from selfrag.evaluation.paired import Difference, compare, compare_all

ALPHA = 0.05
POWER = 0.8
_MOST = 1_000_000  #: questions past which nobody will label


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure with its 95 % interval; None where it is not defined."""

    mean: float | None
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on the same questions.

    Attributes:
        a, b: their names; the difference is ``a`` less ``b``.
        p_randomisation, p_t: corrected for all pairs by Holm's method; None where no test is
            possible.
        needed: questions that would be needed to tell a difference like the one seen; None
            where there is none to tell or no spread to judge it by.
    """

    a: str
    b: str
    difference: Difference
    p_randomisation: float | None
    p_t: float | None
    needed: int | None

    @property
    def significant(self) -> bool:
        """Whether the randomisation test, corrected, finds a difference."""
        return self.p_randomisation is not None and self.p_randomisation < ALPHA


def mean_interval(values: Sequence[float], *, share: bool = True) -> Mean:
    """The mean of values with its 95 % interval.

    Args:
        values: none below 0, where the interval ends.
        share: whether they run to 1, where the interval then ends as well.

    >>> mean_interval([0.5]).low is None
    True
    """
    if not values:
        return Mean(None, None, None, 0)
    mean = float(np.mean(values))
    if len(values) < 2:
        return Mean(mean, None, None, 1)
    from scipy import stats  # half a second to import, which a kept study need not wait for

    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    reach = float(stats.t.ppf(0.975, len(values) - 1)) * error
    high = mean + reach
    return Mean(mean, max(0.0, mean - reach), min(1.0, high) if share else high, len(values))


def holm(p_values: Sequence[float]) -> list[float]:
    """p values corrected for their number, in the order given.

    >>> [round(p, 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - place)))
        corrected[index] = highest
    return corrected


def questions_needed(mean: float, deviation: float, alpha: float = ALPHA) -> int | None:
    """Questions in all for a two-sided paired t-test with power 0.8.

    Args:
        mean, deviation: of the questions' differences; the deviation with ``ddof=1``.

    Returns:
        None where mean or deviation is 0, or more than a million would be needed.
    """
    if not mean or not deviation:
        return None
    effect = abs(mean) / deviation
    if _power(effect, _MOST, alpha) < POWER:
        return None
    low, high = 1, 2
    while _power(effect, high, alpha) < POWER:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(effect, middle, alpha) >= POWER else (middle, high)
    return high


def _power(effect: float, count: int, alpha: float) -> float:
    from scipy import stats

    freedom = count - 1
    critical = stats.t.ppf(1 - alpha / 2, freedom)
    shift = effect * math.sqrt(count)
    above = stats.nct.sf(critical, freedom, shift)
    below = stats.nct.cdf(-critical, freedom, shift)
    # Far out the noncentral t loses its digits, where the normal one is as good.
    if math.isnan(above) or math.isnan(below):
        return float(stats.norm.sf(critical - shift))
    return float(above + below)


def pairs(values: Mapping[str, Mapping[str, float]]) -> list[Pair]:
    """Every two systems compared on one measure, corrected for the number of comparisons.

    Args:
        values: system -> question -> value; all have the same questions.
    """
    names = list(combinations(values, 2))
    if not names or not all(values.values()):
        return []
    return _paired(values, names, compare_all([(values[a], values[b]) for a, b in names]))


def pairs_in_common(
    values: Mapping[str, Mapping[str, float]],
    wanted: Callable[[str, str], bool] = lambda a, b: True,
    *,
    share: bool = True,
) -> list[Pair]:
    """As `pairs`, where a system may lack values: each two on the questions that both have.

    Two without a question in common are left out.

    Args:
        wanted: whether two systems are to be compared; the correction is for those that are.
        share: whether values run from 0 to 1.
    """
    names = [
        (a, b)
        for a, b in combinations(values, 2)
        if wanted(a, b) and values[a].keys() & values[b].keys()
    ]
    return _paired(values, names, [compare(values[a], values[b], share=share) for a, b in names])


def _paired(
    values: Mapping[str, Mapping[str, float]],
    names: Sequence[tuple[str, str]],
    found: Sequence[Difference],
) -> list[Pair]:
    tested = [index for index, each in enumerate(found) if each.p_t is not None]
    chance = _corrected([found[index].p_randomisation for index in tested])
    student = _corrected([found[index].p_t for index in tested])
    return [
        Pair(
            a,
            b,
            difference,
            chance[tested.index(index)] if index in tested else None,
            student[tested.index(index)] if index in tested else None,
            questions_needed(difference.mean, _deviation(values[a], values[b]), ALPHA / len(names)),
        )
        for index, ((a, b), difference) in enumerate(zip(names, found, strict=True))
    ]


def _corrected(p_values: Sequence[float | None]) -> list[float]:
    return holm([p for p in p_values if p is not None])


def _deviation(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    differences = [a[query] - b[query] for query in a.keys() & b.keys()]
    return float(np.std(differences, ddof=1)) if len(differences) > 1 else 0.0
