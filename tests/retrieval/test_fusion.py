"""Fusion: worked examples, and both ends of the weights."""

import pytest

from selfrag.retrieval.fusion import convex, normalise, rrf

DENSE = [("a", 0.9), ("b", 0.5), ("c", 0.1)]
BM25 = [("c", 12.0), ("d", 4.0)]


def test_rrf_adds_reciprocal_ranks():
    fused = dict(rrf({"dense": DENSE, "bm25": BM25}))
    assert fused["c"] == pytest.approx(1 / 63 + 1 / 61)
    assert fused["a"] == pytest.approx(1 / 61)
    assert next(iter(fused)) == "c"


def test_rrf_weights_and_k_change_the_order():
    assert rrf({"dense": DENSE, "bm25": BM25}, {"bm25": 0.0})[0][0] == "a"
    assert dict(rrf({"dense": DENSE}, k=1))["a"] == pytest.approx(0.5)


def test_convex_adds_normalised_scores():
    fused = dict(convex({"dense": DENSE, "bm25": BM25}, {"dense": 0.4, "bm25": 0.6}))
    assert fused == pytest.approx({"a": 0.4, "b": 0.2, "c": 0.6, "d": 0.0})


@pytest.mark.parametrize(("weight", "first"), [(1.0, "a"), (0.0, "c")])
def test_convex_at_either_end_is_one_list_alone(weight: float, first: str):
    lists = {"dense": DENSE, "bm25": BM25}
    assert convex(lists, {"dense": weight, "bm25": 1 - weight})[0][0] == first


def test_empty_list_does_not_lower_the_other():
    fused = convex({"dense": DENSE, "bm25": []}, {"dense": 0.4, "bm25": 0.6})
    assert fused[0] == ("a", pytest.approx(1.0))
    assert convex({"dense": [], "bm25": []}, {"dense": 0.4, "bm25": 0.6}) == []


def test_equal_scores_are_all_best():
    assert normalise([("a", 3.0), ("b", 3.0)]) == [("a", 1.0), ("b", 1.0)]


def test_fit_moves_dense_weight_to_the_words_for_that_passage_only():
    lists = {"dense": DENSE, "bm25": BM25}
    fused = dict(convex(lists, {"dense": 0.4, "bm25": 0.6}, {"a": 0.5, "c": 0.5}))
    assert fused == pytest.approx({"a": 0.2, "b": 0.2, "c": 0.8, "d": 0.0})
    ranks = dict(rrf(lists, fit={"c": 0.0}))
    assert ranks["c"] == pytest.approx(2 / 61)
    assert ranks["a"] == pytest.approx(1 / 61)
