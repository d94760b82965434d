"""The two kinds of fit behind the local judge, both convex, both deterministic.

``fit_ranking`` maximises the softmax probability of the sentences that hold the answer among
all of their question (ListNet's top-one loss; Cao et al., 2007). ``fit_logistic`` is logistic
regression. Features are standardised while fitting, and the weights scaled back.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import rankdata

from selfrag.models.calibration import Linear

Floats = NDArray[np.float64]


def fit_ranking(
    features: Sequence[Floats], gold: Sequence[NDArray[np.bool_]], weight: Floats, l2: float = 1e-3
) -> Linear:
    """A scoring of rows; each list needs at least one gold row.

    Args:
        weight: of each list.
    """
    x, mean, scale = _standardised(np.vstack(features))
    sizes = [len(f) for f in features]
    starts = np.cumsum([0, *sizes[:-1]])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    right = np.concatenate(gold).astype(float)
    weight = weight / weight.sum()

    def loss(beta: Floats) -> tuple[float, Floats]:
        scores = x @ beta
        e = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        total, good = np.add.reduceat(e, starts), np.add.reduceat(e * right, starts) + 1e-12
        slope = weight[owner] * (e / total[owner] - e * right / good[owner])
        value = -(weight * np.log(good / total)).sum() + l2 * beta @ beta
        return value, x.T @ slope + 2 * l2 * beta

    beta = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x / scale
    return Linear(beta, float(-mean @ beta))


def fit_logistic(
    features: Floats, truth: NDArray[np.bool_], weight: Floats, l2: float = 3e-3
) -> Linear:
    """Log-odds of ``truth``."""
    x, mean, scale = _standardised(features)
    sign = np.where(truth, 1.0, -1.0)
    weight = weight / weight.sum()

    def loss(beta: Floats) -> tuple[float, Floats]:
        margin = sign * (x @ beta[:-1] + beta[-1])
        slope = -weight * sign / (1 + np.exp(np.clip(margin, -30, 30)))
        value = (weight * np.logaddexp(0, -margin)).sum() + l2 * beta[:-1] @ beta[:-1]
        return value, np.append(x.T @ slope + 2 * l2 * beta[:-1], slope.sum())

    found = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B").x
    beta = found[:-1] / scale
    return Linear(beta, float(found[-1] - mean @ beta))


def _standardised(x: Floats) -> tuple[Floats, Floats, Floats]:
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    return (x - mean) / scale, mean, scale


def area_under_curve(scores: Floats, truth: NDArray[np.bool_]) -> float:
    """ROC AUC (Mann-Whitney), ties counted half; NaN where one class is empty."""
    positive = int(truth.sum())
    negative = len(truth) - positive
    if not positive or not negative:
        return float("nan")
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


def calibration_error(probabilities: Floats, truth: NDArray[np.bool_], bins: int = 10) -> float:
    """Expected calibration error over equal-width bins (Guo et al., 2017)."""
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(probabilities[place == b].mean() - truth[place == b].mean()) * (place == b).mean()
            for b in range(bins)
            if (place == b).any()
        )
    )


def best_threshold(
    probabilities: Floats, truth: NDArray[np.bool_], weight: Floats, beta: float
) -> float:
    """The probability from which a yes gives the highest F-beta, in steps of 0.01."""

    def f_beta(threshold: float) -> float:
        said = probabilities >= threshold
        hit = weight[said & truth].sum()
        wrong, missed = weight[said & ~truth].sum(), weight[~said & truth].sum()
        return float(
            (1 + beta**2) * hit / max((1 + beta**2) * hit + beta**2 * missed + wrong, 1e-9)
        )

    return max((round(t, 2) for t in np.arange(0.05, 0.96, 0.01)), key=f_beta)
