"""Intervals, corrections and tests against SciPy; questions needed against published tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from selfrag.evaluation import paired
from selfrag.evaluation.paired import compare, compare_all
from selfrag.evaluation.significance import holm, mean_interval, pairs, questions_needed


def generated(seed: int, count: int = 40) -> dict[str, float]:
    random = np.random.default_rng(seed)
    return {f"q{i:03}": float(v) for i, v in enumerate(random.random(count).round(3))}


def test_interval_of_a_mean_is_scipys() -> None:
    values = list(generated(1).values())
    found = mean_interval(values)
    low, high = stats.t.interval(
        0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)
    )
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-9)


def test_undefined_is_not_zero() -> None:
    assert (mean_interval([]).mean, mean_interval([0.3]).low) == (None, None)
    edge = mean_interval([1.0, 1.0, 1.0, 0.9])
    assert edge.high == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_tests_are_scipys(seed: int) -> None:
    a, b = generated(seed, 12), generated(seed + 50, 12)
    found = compare(a, b)
    keys = sorted(a)
    left, right = [a[k] for k in keys], [b[k] for k in keys]
    assert found.p_t == pytest.approx(stats.ttest_rel(left, right).pvalue, abs=1e-9)
    # With 12 questions every one of the 4,096 signs is tried, so that SciPy's test is exact.
    exact = stats.permutation_test(
        (left, right),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert found.p_randomisation == pytest.approx(exact.pvalue, abs=1e-9)


def test_several_comparisons_are_each_what_it_is_alone() -> None:
    systems = [generated(seed) for seed in range(4)]
    together = compare_all([(systems[0], other) for other in systems])
    assert together == [compare(systems[0], other) for other in systems]
    assert together[0].p_randomisation == 1.0
    with pytest.raises(ValueError, match="same queries"):
        compare_all([(systems[0], {"q": 1.0})])


def test_holm_of_a_worked_example() -> None:
    # 0.01 * 4, 0.015 * 3, 0.03 * 2, 0.4 * 1, none below the one before
    assert holm([0.03, 0.01, 0.4, 0.015]) == pytest.approx([0.06, 0.04, 0.4, 0.045])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    corrected = holm(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    still = True
    for place, index in enumerate(order):
        still = still and p_values[index] * (len(p_values) - place) <= 0.05
        assert (corrected[index] <= 0.05) == still


@pytest.mark.parametrize(("effect", "needed"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_questions_needed_are_those_of_the_tables(effect: float, needed: int) -> None:
    """Cohen's small, medium and large effects in a paired t-test, as G*Power 3.1 gives them."""
    assert questions_needed(effect, 1.0) == needed
    assert questions_needed(-3 * effect, 3.0) == needed


def test_no_number_of_questions_tells_what_is_no_difference() -> None:
    assert questions_needed(0.0, 1.0) is None
    assert questions_needed(0.5, 0.0) is None
    assert questions_needed(1e-6, 1.0) is None


def test_every_pair_is_corrected_for_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paired, "RESAMPLES", 2_000)
    systems = {name: generated(seed) for seed, name in enumerate("abc")}
    found = pairs(systems)
    assert [(pair.a, pair.b) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    alone = [compare(systems[pair.a], systems[pair.b]) for pair in found]
    assert [pair.p_t for pair in found] == holm([each.p_t for each in alone])
    assert [pair.difference for pair in found] == alone


def test_one_question_has_no_test_and_none_has_no_pair() -> None:
    (pair,) = pairs({"a": {"q": 1.0}, "b": {"q": 0.0}})
    assert (pair.p_t, pair.p_randomisation, pair.significant, pair.needed) == (
        None,
        None,
        False,
        None,
    )
    assert pairs({"a": {}, "b": {}}) == []
    (equal,) = pairs({"a": generated(1), "b": generated(1)})
    assert (equal.p_t, equal.needed, equal.difference.ties) == (1.0, None, 40)
