"""MMR at both ends of lambda and between."""

import numpy as np
import pytest

from selfrag.retrieval.mmr import mmr

RANKED = [("a", 1.0), ("a-again", 0.9), ("b", 0.5), ("c", 0.1)]
VECTORS = {
    "a": np.array([1.0, 0.0, 0.0], dtype=np.float32),
    "a-again": np.array([1.0, 0.0, 0.0], dtype=np.float32),
    "b": np.array([0.0, 1.0, 0.0], dtype=np.float32),
    "c": np.array([0.0, 0.0, 1.0], dtype=np.float32),
}


def chosen(lambda_: float, k: int = 4) -> list[str]:
    return [item for item, _ in mmr(RANKED, VECTORS, lambda_=lambda_, k=k)]


def test_lambda_one_is_pure_relevance():
    assert chosen(1.0) == ["a", "a-again", "b", "c"]


def test_lambda_zero_is_pure_variety():
    assert chosen(0.0)[-1] == "a-again"


def test_near_repeat_gives_way_to_something_else():
    assert chosen(0.5, k=2) == ["a", "b"]


@pytest.mark.parametrize("k", [1, 3, 9])
def test_at_most_k_are_chosen_and_none_twice(k: int):
    items = chosen(0.5, k)
    assert len(items) == min(k, len(RANKED)) == len(set(items))


def test_passage_without_a_vector_is_similar_to_nothing():
    assert [item for item, _ in mmr(RANKED, {}, lambda_=0.5, k=4)] == ["a", "a-again", "b", "c"]


def test_nothing_to_choose_from():
    assert mmr([], {}, lambda_=0.5, k=3) == []
