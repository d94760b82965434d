"""The reliability diagram's data agree with the calibration error that is reported."""

import numpy as np
import pytest

from selfrag.evaluation.calibration_fit import calibration_error
from selfrag.evaluation.reliability import reliability


def test_weighted_distance_from_the_diagonal_is_the_calibration_error():
    rng = np.random.default_rng(1)
    p = rng.random(500)
    truth = rng.random(500) < p**2
    bins = reliability(p, truth)
    assert sum(item.count for item in bins) == 500
    error = sum(abs(item.said - item.true) * item.count for item in bins) / 500
    assert error == pytest.approx(calibration_error(p, truth))


def test_bins_without_cases_are_left_out_and_a_sure_case_belongs_to_the_last():
    bins = reliability(np.array([0.05, 1.0]), np.array([False, True]))
    assert [(item.low, item.high, item.true, item.count) for item in bins] == [
        (0.0, 0.1, 0.0, 1),
        (0.9, 1.0, 1.0, 1),
    ]
