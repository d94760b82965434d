"""Making one ranked list of two.

- ``rrf``: reciprocal rank fusion, Cormack, Clarke and Buettcher 2009 (SIGIR), k = 60;
- ``convex``: weighted sum of min-max normalised scores, Bruch, Gai and Ingber 2023
  (ACM TOIS, "An Analysis of Fusion Functions for Hybrid Retrieval").

``fit`` moves weight from the dense list to the other for single passages: those in a language
that the embedding model does not know.

Both take lists of ``(id, score)``, best first, and return one such list. Ties are broken by id,
so that the same lists always give the same order.
"""

from collections.abc import Mapping, Sequence

Ranked = Sequence[tuple[str, float]]
#: Passage id -> share of the dense weight that is left to it, 0 to 1; others keep all of it.
Fit = Mapping[str, float]
RRF_K = 60
DENSE = "dense"


def rrf(
    lists: Mapping[str, Ranked],
    weights: Mapping[str, float] | None = None,
    k: int = RRF_K,
    fit: Fit | None = None,
) -> list[tuple[str, float]]:
    """Sum of ``weight / (k + rank)`` over the lists, rank starting at 1.

    >>> rrf({"dense": [("a", .9), ("b", .8)], "bm25": [("b", 7.)]})[0][0]
    'b'
    """
    given = {name: 1.0 if weights is None else weights.get(name, 1.0) for name in lists}
    fused: dict[str, float] = {}
    for name, ranked in lists.items():
        for rank, (item, _) in enumerate(ranked, start=1):
            weight = _weight(given, name, item, fit)
            fused[item] = fused.get(item, 0.0) + weight / (k + rank)
    return _sorted(fused)


def convex(
    lists: Mapping[str, Ranked], weights: Mapping[str, float], fit: Fit | None = None
) -> list[tuple[str, float]]:
    """Weighted sum of each list's scores, min-max normalised over that list, 0 to 1.

    A passage that a list does not hold has 0 there. Weights are scaled to sum to 1 over the
    lists that hold anything, so that an empty list does not lower every score.

    >>> convex({"dense": [("a", .9), ("b", .1)], "bm25": [("b", 7.)]}, {"dense": .4, "bm25": .6})
    [('b', 0.6), ('a', 0.4)]
    """
    filled = {name: ranked for name, ranked in lists.items() if ranked}
    total = sum(weights.get(name, 0.0) for name in filled)
    scaled = {
        name: weights.get(name, 0.0) / total if total else 1.0 / len(lists) for name in filled
    }
    fused: dict[str, float] = {}
    for name, ranked in filled.items():
        for item, value in normalise(ranked):
            fused[item] = fused.get(item, 0.0) + _weight(scaled, name, item, fit) * value
    return _sorted(fused)


def _weight(weights: Mapping[str, float], name: str, item: str, fit: Fit | None) -> float:
    """A list's weight for one passage: what the dense list loses, the others gain."""
    if not fit or item not in fit:
        return weights[name]
    lost = weights.get(DENSE, 0.0) * (1 - fit[item])
    if name == DENSE:
        return weights[name] - lost
    others = sum(weight for other, weight in weights.items() if other != DENSE)
    return weights[name] + (lost * weights[name] / others if others else 0.0)


def normalise(ranked: Ranked) -> list[tuple[str, float]]:
    """Scores scaled so that the list's best is 1 and its worst 0; all 1 where they are equal."""
    if not ranked:
        return []
    low = min(score for _, score in ranked)
    high = max(score for _, score in ranked)
    if high == low:
        return [(item, 1.0) for item, _ in ranked]
    return [(item, (score - low) / (high - low)) for item, score in ranked]


def _sorted(fused: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))
