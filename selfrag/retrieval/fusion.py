"""Making one ranked list of two.

- ``rrf``: reciprocal rank fusion, Cormack, Clarke and Buettcher 2009 (SIGIR), k = 60;
- ``convex``: weighted sum of min-max normalised scores, Bruch, Gai and Ingber 2023
  (ACM TOIS, "An Analysis of Fusion Functions for Hybrid Retrieval").

Both take lists of ``(id, score)``, best first, and return one such list. Ties are broken by id,
so that the same lists always give the same order.
"""

from collections.abc import Mapping, Sequence

Ranked = Sequence[tuple[str, float]]
RRF_K = 60


def rrf(
    lists: Mapping[str, Ranked], weights: Mapping[str, float] | None = None, k: int = RRF_K
) -> list[tuple[str, float]]:
    """Sum of ``weight / (k + rank)`` over the lists, rank starting at 1.

    >>> rrf({"dense": [("a", .9), ("b", .8)], "bm25": [("b", 7.)]})[0][0]
    'b'
    """
    fused: dict[str, float] = {}
    for name, ranked in lists.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        for rank, (item, _) in enumerate(ranked, start=1):
            fused[item] = fused.get(item, 0.0) + weight / (k + rank)
    return _sorted(fused)


def convex(lists: Mapping[str, Ranked], weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Weighted sum of each list's scores, min-max normalised over that list, 0 to 1.

    A passage that a list does not hold has 0 there. Weights are scaled to sum to 1 over the
    lists that hold anything, so that an empty list does not lower every score.

    >>> convex({"dense": [("a", .9), ("b", .1)], "bm25": [("b", 7.)]}, {"dense": .4, "bm25": .6})
    [('b', 0.6), ('a', 0.4)]
    """
    total = sum(weights.get(name, 0.0) for name, ranked in lists.items() if ranked)
    fused: dict[str, float] = {}
    for name, ranked in lists.items():
        if not ranked:
            continue
        weight = weights.get(name, 0.0) / total if total else 1.0 / len(lists)
        for item, value in normalise(ranked):
            fused[item] = fused.get(item, 0.0) + weight * value
    return _sorted(fused)


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
