"""What the charts of a comparison write beside their points."""

from selfrag.ui.compare_charts import _apart


def test_numbers_of_points_that_lie_close_to_the_next_one_are_left_out():
    assert _apart([1.0, 0.7, 0.22, 0.21, 0.1]) == {0, 1}
    assert _apart([1.0, 0.99, 0.5, 0.1]) == {1, 2}


def test_point_with_none_after_it_has_its_number():
    assert _apart([0.4]) == {0}
    assert _apart([0.9, 0.4]) == {0, 1}
    assert _apart([]) == set()
