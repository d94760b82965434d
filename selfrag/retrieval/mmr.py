"""Maximal marginal relevance, Carbonell and Goldstein 1998 (SIGIR).

Picks one passage after another, each the best by

    lambda * relevance - (1 - lambda) * highest similarity to those already picked

so that near repeats of one paragraph do not fill the list. Lambda 1 is pure relevance.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from selfrag.retrieval.fusion import normalise


def mmr(
    ranked: Sequence[tuple[str, float]],
    vectors: Mapping[str, NDArray[np.float32]],
    *,
    lambda_: float,
    k: int,
) -> list[tuple[str, float]]:
    """The ``k`` chosen ids with the value each was chosen at, in the order chosen.

    Args:
        ranked: candidates with their relevance, best first; it is min-max normalised, so that
            it lies on the same 0 to 1 scale as the similarities.
        vectors: a unit vector for each candidate. One without a vector is similar to nothing.
        lambda_: 1 is pure relevance, 0 pure variety.
        k: how many to choose; all where there are fewer.
    """
    if not ranked:
        return []
    ids = [item for item, _ in ranked]
    relevance = np.array([score for _, score in normalise(ranked)])
    dimension = next((len(vector) for vector in vectors.values()), 1)
    matrix = np.array([vectors.get(item, np.zeros(dimension)) for item in ids])
    similarity = matrix @ matrix.T
    chosen: list[tuple[str, float]] = []
    nearest = np.zeros(len(ids))
    open_ = np.ones(len(ids), dtype=bool)
    for _ in range(min(k, len(ids))):
        value = np.where(open_, lambda_ * relevance - (1 - lambda_) * nearest, -np.inf)
        best = int(np.argmax(value))
        chosen.append((ids[best], float(value[best])))
        open_[best] = False
        nearest = np.maximum(nearest, similarity[best])
    return chosen
