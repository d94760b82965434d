"""Small charts of several answers: one unit on each."""

import pytest

from selfrag.wording import in_one_unit


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ([0.1, 0.095], ["100 ms", "95 ms"]),
        ([0.04, 2.0], ["0.04 s", "2.00 s"]),
        ([0.4, 12.0], ["0.4 s", "12.0 s"]),
        ([12.4, 31.0], ["12 s", "31 s"]),
        ([40.0, 150.0], ["0.7 min", "2.5 min"]),
        ([], []),
    ],
)
def test_times_beside_each_other_are_in_one_unit(seconds: list[float], said: list[str]) -> None:
    assert [in_one_unit(seconds)(each) for each in seconds] == said
