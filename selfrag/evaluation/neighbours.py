"""Nearest neighbours, all pairs compared, in blocks: exact, and quick for some thousand points."""

import numpy as np

_BLOCK = 512  #: rows that are compared with all others at once


def nearest(points: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` nearest other points of each, by Euclidean distance.

    Args:
        points: shape (n, dimensions), n > k.

    Returns:
        Indices and squared distances, both of shape (n, k), nearest first.
    """
    points = np.ascontiguousarray(points, dtype=np.float32)
    count = len(points)
    squares = np.einsum("ij,ij->i", points, points)
    indices = np.empty((count, k), dtype=np.int32)
    distances = np.empty((count, k), dtype=np.float32)
    for start in range(0, count, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, count))
        block = squares[rows, None] + squares[None] - 2 * points[rows] @ points.T
        block[rows - start, rows] = np.inf  # a point is no neighbour of itself
        chosen = np.argpartition(block, k - 1, axis=1)[:, :k]
        found = np.take_along_axis(block, chosen, 1)
        order = np.lexsort((chosen, found), axis=1)  # ties by index: the same every time
        indices[rows] = np.take_along_axis(chosen, order, 1)
        distances[rows] = np.take_along_axis(found, order, 1).clip(0)
    return indices, distances


def share_kept(before: np.ndarray, after: np.ndarray) -> float:
    """The mean share of each point's neighbours in ``before`` that it also has in ``after``.

    Args:
        before, after: indices of neighbours, both of shape (n, k).

    Returns:
        0 to 1; around k / n for a random layout.
    """
    kept = [np.isin(old, new).mean() for old, new in zip(before, after, strict=True)]
    return float(np.mean(kept))
