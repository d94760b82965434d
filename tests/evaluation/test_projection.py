"""Layouts keep neighbours, are the same every time, and bear whatever a library holds."""

import numpy as np
import pytest

from selfrag.evaluation import tsne
from selfrag.evaluation.neighbours import nearest, share_kept
from selfrag.evaluation.projection import FEWEST, lay_out, place, unit


def topics(count: int, of: int = 8, size: int = 32, spread: float = 0.25) -> np.ndarray:
    """Vectors around a few directions, as chunks about a few things are."""
    random = np.random.default_rng(5)
    centres = random.normal(size=(of, size))
    return centres[np.arange(count) % of] + spread * random.normal(size=(count, size))


def test_nearest_are_those_of_a_full_comparison() -> None:
    points = np.random.default_rng(1).normal(size=(700, 6)).astype(np.float32)
    indices, squared = nearest(points, 4)
    for row in (0, 511, 512, 699):
        away = ((points - points[row]) ** 2).sum(axis=1)
        away[row] = np.inf
        assert list(indices[row]) == list(np.argsort(away)[:4])
        assert squared[row] == pytest.approx(np.sort(away)[:4], abs=1e-4)


def test_share_kept_counts_neighbours_in_any_order() -> None:
    assert share_kept(np.array([[1, 2], [0, 2]]), np.array([[2, 1], [0, 3]])) == 0.75


def test_affinities_have_the_perplexity_asked_for() -> None:
    indices, squared = nearest(topics(200), 45)
    # Before they are made symmetric: 2 to the entropy of each row is the perplexity.
    both = tsne.affinities(indices, squared, 15)
    assert both.sum() == pytest.approx(1)
    assert abs(both - both.T).max() < 1e-12
    from_nearest = squared - squared[:, :1]
    low, high = np.zeros(200), np.full(200, 1e6)
    for _ in range(200):
        beta = (low + high) / 2
        weights = np.exp(-from_nearest * beta[:, None])
        weights /= weights.sum(axis=1, keepdims=True)
        entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum(axis=1)
        low, high = (
            np.where(entropy > np.log(15), beta, low),
            np.where(entropy > np.log(15), high, beta),
        )
    wanted = np.zeros((200, 200))
    np.put_along_axis(wanted, indices.astype(int), weights, axis=1)
    assert both.toarray() == pytest.approx((wanted + wanted.T) / 400, abs=1e-8)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 8.0])
def test_repulsion_by_grid_is_that_of_all_pairs(scale: float) -> None:
    layout = scale * np.random.default_rng(2).normal(size=(900, 2))
    exact = tsne.repulsion(layout)
    gridded = tsne.GridRepulsion()(layout)
    assert np.linalg.norm(gridded - exact) < 0.05 * np.linalg.norm(exact)


def test_descent_follows_the_gradient_of_the_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small step from a layout, against differences of Kullback and Leibler's divergence."""
    indices, squared = nearest(topics(30), 12)
    pulls = tsne.affinities(indices, squared, 4)
    layout = np.random.default_rng(3).normal(size=(30, 2))
    dense = pulls.toarray()

    def divergence(at: np.ndarray) -> float:
        near = 1 / (1 + ((at[:, None] - at[None]) ** 2).sum(axis=-1))
        np.fill_diagonal(near, 0)
        held = dense > 0
        return float((dense[held] * np.log(dense[held] / (near / near.sum())[held])).sum())

    slope = np.zeros_like(layout)
    for index in np.ndindex(*layout.shape):
        step = np.zeros_like(layout)
        step[index] = 1e-5
        slope[index] = (divergence(layout + step) - divergence(layout - step)) / 2e-5
    away = layout[:, None] - layout[None]
    near = 1 / (1 + (away**2).sum(axis=-1))
    pulled = ((dense * near)[:, :, None] * away).sum(axis=1)
    assert 4 * (pulled - tsne.repulsion(layout)) == pytest.approx(slope, abs=1e-7)


def test_layout_keeps_neighbours_that_the_main_axes_lose() -> None:
    vectors = topics(1000, of=25)
    indices, _ = nearest(unit(vectors), 10)
    laid = lay_out(vectors)
    centred = unit(vectors) - unit(vectors).mean(axis=0)
    axes = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    by_axes = share_kept(indices, nearest(axes, 10)[0])
    assert laid.kept == pytest.approx(share_kept(indices, nearest(laid.positions, 10)[0]))
    assert laid.kept is not None and laid.kept > 1.5 * by_axes


@pytest.mark.parametrize("count", [5, 60, 900])
def test_same_vectors_give_the_same_layout(count: int) -> None:
    vectors = topics(count)
    assert np.array_equal(lay_out(vectors).positions, lay_out(vectors.copy()).positions)


@pytest.mark.parametrize(
    "vectors",
    [
        np.ones((1, 4)),
        np.eye(2),
        np.ones((60, 8)),
        np.zeros((3, 5)),
        topics(FEWEST - 1),
        topics(FEWEST),
        topics(FEWEST + 1, size=2),
        np.repeat(np.eye(FEWEST + 4), 3, axis=0),
    ],
    ids=["one", "two", "all equal", "zeros", "few", "fewest", "plane", "thrice"],
)
def test_odd_vectors_are_laid_out(vectors: np.ndarray) -> None:
    laid = lay_out(vectors)
    assert laid.positions.shape == (len(vectors), 2)
    assert np.isfinite(laid.positions).all()
    assert np.isfinite(place(vectors[:1], vectors, laid.positions)).all()


def test_equal_vectors_lie_on_one_spot() -> None:
    positions = lay_out(np.repeat(topics(40), 2, axis=0)).positions
    assert np.array_equal(positions[::2], positions[1::2])


def test_two_vectors_lie_apart() -> None:
    first, second = lay_out(np.eye(2)).positions
    assert np.hypot(*(first - second)) > 0.5


def test_new_vector_is_placed_among_its_own_kind() -> None:
    vectors = topics(400)
    laid = lay_out(vectors)
    news = topics(416)[400:]  # two more of each of the eight
    placed = place(news, vectors, laid.positions)
    for number, at in enumerate(placed):
        nearest_here = np.argsort(np.hypot(*(laid.positions - at).T))[:5]
        assert {int(index) % 8 for index in nearest_here} == {number % 8}


def test_new_vector_between_two_kinds_goes_to_one_of_them() -> None:
    """The middle would be a place where nothing lies."""
    vectors = topics(200, of=2)
    laid = lay_out(vectors)
    between = vectors[::2].mean(axis=0) + vectors[1::2].mean(axis=0)
    (at,) = place(between[None], vectors, laid.positions)
    nearest_dot = np.hypot(*(laid.positions - at).T).min()
    assert nearest_dot < 0.1 * np.ptp(laid.positions, axis=0).max()


def test_what_is_told_may_end_it() -> None:
    steps: list[int] = []

    def told(done: int, total: int) -> None:
        steps.append(total)
        if done == 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        lay_out(topics(100), told)
    assert steps == [sum(tsne.ROUNDS)] * 3
