"""How long the map of a library takes, against comparing all pairs in the same run."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from selfrag.evaluation import tsne
from selfrag.evaluation.library_map import MOST
from selfrag.evaluation.projection import lay_out

pytestmark = pytest.mark.benchmark


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    best = float("inf")
    for _ in range(3):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def test_pushing_apart_by_grid_takes_a_third_of_all_pairs_or_less() -> None:
    layout = 25 * np.random.default_rng(0).normal(size=(MOST, 2))
    grid = tsne.GridRepulsion()
    assert 3 * seconds(lambda: grid(layout)) < seconds(lambda: tsne.repulsion(layout))


def test_largest_map_takes_a_quarter_of_all_pairs_or_less() -> None:
    random = np.random.default_rng(0)
    vectors = random.normal(size=(40, 384))[np.arange(MOST) % 40]
    vectors = vectors + 0.5 * random.normal(size=vectors.shape)
    layout = 25 * random.normal(size=(MOST, 2))
    round_of_pairs = seconds(lambda: tsne.repulsion(layout))
    begun = time.perf_counter()
    lay_out(vectors)
    taken = time.perf_counter() - begun
    by_pairs = sum(tsne.ROUNDS) * round_of_pairs
    assert 4 * taken < by_pairs, f"{taken:.1f} s against {by_pairs:.1f} s"
