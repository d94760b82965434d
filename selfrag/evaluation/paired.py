"""Whether two systems differ on the same queries, or whether that is chance.

- a two-sided randomisation test of the mean difference (Smucker, Allan and Carterette 2007,
  CIKM, "A Comparison of Statistical Significance Tests for Information Retrieval
  Evaluation"): the sign of each query's difference is flipped at random;
- a two-sided paired t-test, whose interval also says how large the difference may be.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

RESAMPLES = 10_000
SEED = 20240229


@dataclass(frozen=True, slots=True)
class Difference:
    """System ``a`` less system ``b``.

    Attributes:
        queries: how many were compared.
        mean: mean difference.
        low, high: its 95 % confidence interval (t); None below two queries.
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


def compare(a: Mapping[str, float], b: Mapping[str, float]) -> Difference:
    """``a`` against ``b``, both query id -> value, over the queries that both have.

    Raises:
        ValueError: they have no query in common.
    """
    common = sorted(a.keys() & b.keys())
    if not common:
        raise ValueError("no query in common")
    difference = np.array([a[query] - b[query] for query in common])
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    counts = (wins, len(common) - wins - losses, losses)
    mean = float(difference.mean())
    if len(common) < 2:
        return Difference(len(common), mean, None, None, None, None, *counts)
    if not wins and not losses:
        return Difference(len(common), 0.0, 0.0, 0.0, 1.0, 1.0, *counts)
    if np.all(difference == difference[0]):  # no spread: the t-test has no denominator
        low = high = mean
        p_t = 0.0
    else:
        t = stats.ttest_1samp(difference, 0.0)
        p_t = float(t.pvalue)
        low, high = (float(bound) for bound in t.confidence_interval(0.95))
    return Difference(len(common), mean, low, high, _randomisation(difference), p_t, *counts)


def _randomisation(difference: np.ndarray) -> float:
    result = stats.permutation_test(
        (difference,),
        lambda values, axis: np.mean(values, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=256,
        rng=np.random.default_rng(SEED),
    )
    return float(result.pvalue)
