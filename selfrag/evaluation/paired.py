"""Whether two systems differ on the same queries, or whether that is chance.

- a two-sided randomisation test of the mean difference (Smucker, Allan and Carterette 2007,
  CIKM, "A Comparison of Statistical Significance Tests for Information Retrieval
  Evaluation"): the sign of each query's difference is flipped at random;
- a two-sided paired t-test, whose interval also says how large the difference may be.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000
SEED = 20240229


@dataclass(frozen=True, slots=True)
class Difference:
    """System ``a`` less system ``b``.

    Attributes:
        queries: how many were compared.
        mean: mean difference.
        low, high: its 95 % confidence interval (t), within -1 and 1 where shares are compared;
            None below two queries.
        p_randomisation, p_t: two-sided; None below two queries.
        wins, ties, losses: queries on which ``a`` is better, equal, worse.
    """

    queries: int
    mean: float
    low: float | None
    high: float | None
    p_randomisation: float | None
    p_t: float | None
    wins: int
    ties: int
    losses: int


def compare(a: Mapping[str, float], b: Mapping[str, float], *, share: bool = True) -> Difference:
    """``a`` against ``b``, both query id -> value, over the queries that both have.

    Args:
        share: whether values run from 0 to 1, as all measures of retrieval do.

    Raises:
        ValueError: they have no query in common.
    """
    common = sorted(a.keys() & b.keys())
    if not common:
        raise ValueError("no query in common")
    shared = [{query: side[query] for query in common} for side in (a, b)]
    return compare_all([(shared[0], shared[1])], share=share)[0]


def compare_all(
    sides: Sequence[tuple[Mapping[str, float], Mapping[str, float]]],
    *,
    share: bool = True,
) -> list[Difference]:
    """Several comparisons on the same queries; each as `compare` has it.

    The same random signs serve all of them, which is most of the work.

    Raises:
        ValueError: the queries are not the same everywhere, or there are none.
    """
    if not sides:
        return []
    queries = sorted(sides[0][0])
    if not queries or any(side.keys() != set(queries) for pair in sides for side in pair):
        raise ValueError("compare systems on the same queries")
    rows = np.array([[a[query] - b[query] for query in queries] for a, b in sides])
    tested = [index for index, row in enumerate(rows) if len(queries) > 1 and np.any(row)]
    chance = dict(zip(tested, _randomisation(rows[tested]), strict=True)) if tested else {}
    most = 1.0 if share else math.inf
    return [_difference(row, chance.get(index), most) for index, row in enumerate(rows)]


def _difference(difference: np.ndarray, p_randomisation: float | None, most: float) -> Difference:
    from scipy import stats  # half a second to import, which a kept study need not wait for

    number = len(difference)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    counts = (wins, number - wins - losses, losses)
    mean = float(difference.mean())
    if number < 2:
        return Difference(number, mean, None, None, None, None, *counts)
    if p_randomisation is None:
        return Difference(number, 0.0, 0.0, 0.0, 1.0, 1.0, *counts)
    if np.all(difference == difference[0]):  # no spread: the t-test has no denominator
        low = high = mean
        p_t = 0.0
    else:
        t = stats.ttest_1samp(difference, 0.0)
        p_t = float(t.pvalue)
        low, high = (float(bound) for bound in t.confidence_interval(0.95))
    low, high = max(-most, low), min(most, high)
    return Difference(number, mean, low, high, p_randomisation, p_t, *counts)


def _randomisation(differences: np.ndarray) -> list[float]:
    """One p for each row."""
    from scipy import stats

    result = stats.permutation_test(
        (differences,),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=256,
        rng=np.random.default_rng(SEED),
        axis=-1,
    )
    return [float(p) for p in result.pvalue]
