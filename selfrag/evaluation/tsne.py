"""t-SNE: points on a plane so that neighbours stay neighbours.

van der Maaten & Hinton 2008 (JMLR 9), in three parts:

1. `affinities`: how strongly each point holds on to its nearest neighbours;
2. `repulsion`: how strongly all points push each other apart. Summed over all pairs that takes
   time by the square; for many points `GridRepulsion` interpolates on a grid and takes a Fourier
   transform, which takes time by their number (FIt-SNE: Linderman et al. 2019, Nature Methods
   16);
3. `descend`: first with the neighbours' hold made stronger, from the two main axes of the data,
   which makes the layout the same every time and keeps more of its global order (Kobak & Berens
   2019, Nature Communications 10).

NumPy and SciPy only: the libraries that have it, or UMAP, weigh 60 to 250 MB when installed, or
have no wheel for some machine that this program runs on.
"""

from collections.abc import Callable

import numpy as np
from scipy import fft, sparse

PERPLEXITY = 15.0
NEIGHBOURS = 45  #: three times the perplexity, as usual
ROUNDS = (120, 230)  #: with exaggeration, and without
_EXAGGERATION = 12.0
_MOMENTUM = (0.5, 0.8)
ALL_PAIRS_TO = 800  #: points
_NODES = 3  #: of interpolation in each interval, along each axis
#: Least and most along an axis. More are closer to all pairs (a wide layout's repulsion is off by
#: a tenth with 110, a third with 70), and keep hardly more neighbours (0.481 against 0.477).
_INTERVALS = (50, 110)
_BISECTIONS = 40


def affinities(indices: np.ndarray, squared: np.ndarray, perplexity: float) -> sparse.csr_matrix:
    """The probabilities p_ij of t-SNE over nearest neighbours: symmetric, they sum to 1.

    Args:
        indices, squared: each point's neighbours and squared distances, nearest first.
        perplexity: the effective number of neighbours, less than there are.
    """
    count, k = indices.shape
    target = np.log(min(perplexity, 0.95 * k))
    from_nearest = squared.astype(np.float64) - squared[:, :1]
    beta = 1 / np.maximum(from_nearest.mean(axis=1), 1e-12)
    low, high = np.zeros(count), np.full(count, np.inf)
    for _ in range(_BISECTIONS):
        weights = np.exp(-from_nearest * beta[:, None])
        total = weights.sum(axis=1)
        entropy = np.log(total) + beta * (from_nearest * weights).sum(axis=1) / total
        wide = entropy > target
        low, high = np.where(wide, beta, low), np.where(wide, high, beta)
        beta = np.where(np.isinf(high), beta * 2, (low + high) / 2)
    weights = np.exp(-from_nearest * beta[:, None])
    weights /= weights.sum(axis=1, keepdims=True)
    starts = np.arange(0, count * k + 1, k)
    one_way = sparse.csr_matrix((weights.ravel(), indices.ravel(), starts), shape=(count, count))
    both = (one_way + one_way.T).tocsr()
    both.sort_indices()
    return both / both.sum()


def repulsion(layout: np.ndarray) -> np.ndarray:
    """sum_j q_ij^2 (y_i - y_j) / Z of each point, with q = 1 / (1 + d^2) and Z = sum q."""
    x, y = layout[:, 0], layout[:, 1]
    across, up = x[:, None] - x, y[:, None] - y
    near = 1 / (1 + across * across + up * up)
    total = near.sum() - len(layout)
    near *= near
    return np.column_stack([(near * across).sum(axis=1), (near * up).sum(axis=1)]) / total


class GridRepulsion:
    """The same, nearly, for many points. Keeps what depends on the grid only."""

    def __init__(self) -> None:
        self._grid: tuple[int, float] | None = None
        self._kernels: tuple[np.ndarray, np.ndarray] | None = None
        self._size = 0

    def __call__(self, layout: np.ndarray) -> np.ndarray:
        """As `repulsion`."""
        count = len(layout)
        lowest = layout.min()
        span = max(float(layout.max()) - lowest, 1e-6)
        # A power of 1.2: the grid changes seldom, and its kernels with it.
        span = 1.2 ** np.ceil(np.log(span) / np.log(1.2)) * (1 + 1e-9)
        intervals = int(np.clip(np.ceil(span), *_INTERVALS))
        side = intervals * _NODES
        first, second = self._for(side, span / side)
        spread = _interpolation(layout - lowest, span / intervals, intervals)
        charges = np.column_stack([np.ones(count), layout - lowest]).astype(np.float32)
        onto = np.ascontiguousarray((spread.T @ charges).T).reshape(3, side, side)
        moved = fft.rfft2(onto, s=(self._size, self._size))
        pushes = np.concatenate([moved[:1] * first, moved * second])
        felt = fft.irfft2(pushes, s=(self._size, self._size))[:, :side, :side]
        back = spread @ np.ascontiguousarray(felt.reshape(4, -1).T)
        total = max(float(back[:, 0].sum(dtype=np.float64)) - count, 1e-12)
        pushed = back[:, 1:2] * charges[:, 1:] - back[:, 2:]
        return pushed.astype(np.float64) / total

    def _for(self, side: int, step: float) -> tuple[np.ndarray, np.ndarray]:
        if self._kernels is None or self._grid != (side, step):
            self._size = size = fft.next_fast_len(2 * side, real=True)
            away = np.arange(size)
            away = np.minimum(away, size - away) * step
            near = 1 / (1 + away[:, None] ** 2 + away[None] ** 2)
            near = near.astype(np.float32)
            self._kernels = fft.rfft2(near), fft.rfft2(near**2)
            self._grid = side, step
        return self._kernels


def _interpolation(at: np.ndarray, width: float, intervals: int) -> sparse.csr_matrix:
    """Lagrange weights of each point on the nodes of its interval: (n, side * side)."""
    count, side = len(at), intervals * _NODES
    scaled = at / width
    interval = np.minimum(scaled.astype(np.int32), intervals - 1)
    inside = scaled - interval
    nodes = (np.arange(_NODES) + 0.5) / _NODES
    weights = np.ones((count, 2, _NODES), dtype=np.float32)
    for this in range(_NODES):
        for other in range(_NODES):
            if other != this:
                weights[:, :, this] *= (inside - nodes[other]) / (nodes[this] - nodes[other])
    node = interval[:, :, None] * _NODES + np.arange(_NODES, dtype=np.int32)
    cells = (node[:, 0, :, None] * side + node[:, 1, None, :]).reshape(count, -1)
    products = (weights[:, 0, :, None] * weights[:, 1, None, :]).reshape(count, -1)
    starts = np.arange(0, cells.size + 1, _NODES**2)
    return sparse.csr_matrix((products.ravel(), cells.ravel(), starts), shape=(count, side * side))


def descend(
    pulls: sparse.csr_matrix,
    start: np.ndarray,
    told: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Lay the points out.

    Args:
        pulls: `affinities`.
        start: first layout, shape (n, 2); only its shape counts, it is made small.
        told: after each round the number done and of all; may raise to end it.

    Returns:
        The layout, shape (n, 2), centred.
    """
    count = len(start)
    layout = start / max(float(start.std(axis=0).max()), 1e-12) * 1e-4
    velocity, gains = np.zeros_like(layout), np.ones_like(layout)
    rows = np.repeat(np.arange(count, dtype=np.int32), np.diff(pulls.indptr))
    columns = pulls.indices
    push = repulsion if count <= ALL_PAIRS_TO else GridRepulsion()
    done = 0
    for rounds, hold, momentum in zip(ROUNDS, (_EXAGGERATION, 1.0), _MOMENTUM, strict=True):
        rate = count / hold
        for _ in range(rounds):
            x, y = layout[:, 0], layout[:, 1]
            across, up = x[rows] - x[columns], y[rows] - y[columns]
            pull = pulls.data / (1 + across * across + up * up)
            pulled = np.column_stack(
                [np.bincount(rows, pull * away, minlength=count) for away in (across, up)]
            )
            slope = 4 * (hold * pulled - push(layout))
            turned = np.sign(slope) != np.sign(velocity)
            gains = np.maximum(np.where(turned, gains + 0.2, gains * 0.8), 0.01)
            velocity = momentum * velocity - rate * gains * slope
            layout = layout + velocity
            done += 1
            if told is not None:
                told(done, sum(ROUNDS))
    centred: np.ndarray = layout - layout.mean(axis=0)
    return centred
