"""What the chart of results over time shows and says where series do not differ."""

from selfrag.evaluation.history import ANSWERS, RETRIEVAL
from selfrag.palette import LIGHT
from selfrag.records.results import ResultRecord
from selfrag.ui.history_chart import over_time, over_time_words


def record(kind: str, measure: str, **means: float | None) -> ResultRecord:
    return ResultRecord(
        kind=kind,
        name="a set",
        signature="s",
        asked="a",
        questions=3,
        made_of={},
        means={name: {measure: {"mean": mean}} for name, mean in means.items()},
    )


def test_series_that_tie_are_named_together() -> None:
    one = record(ANSWERS, "faithfulness", plain=0.5, full=0.5, selfrag=0.5)
    said = over_time_words([one, one], "faithfulness")
    assert said == "In the latest result plain, full and selfrag have the same faithfulness: 0.500."


def test_two_that_tie_at_the_top_are_not_said_to_be_all() -> None:
    one = record(ANSWERS, "faithfulness", plain=0.5, full=0.9, selfrag=0.9)
    said = over_time_words([one], "faithfulness")
    assert "full and selfrag have the same faithfulness: 0.900, the highest." in said


def test_lines_that_lie_on_each_other_are_all_seen() -> None:
    records = [record(ANSWERS, "faithfulness", a=0.5, b=0.5, c=0.5, d=0.1) for _ in range(2)]
    lines = over_time(records, "faithfulness", {}, LIGHT, str).data
    assert [line.name for line in lines] == ["a", "b", "c", "d"]
    widths, sizes = [line.line.width for line in lines], [line.marker.size for line in lines]
    assert widths[0] > widths[1] > widths[2] == widths[3]
    assert sizes[0] > sizes[1] > sizes[2] == sizes[3]
    assert len({line.marker.symbol for line in lines}) == 4


def test_a_share_has_its_whole_axis_and_no_more() -> None:
    shares = [record(RETRIEVAL, "nDCG@10", bm25=1.0), record(RETRIEVAL, "nDCG@10", bm25=1.0)]
    low, high = over_time(shares, "nDCG@10", {}, LIGHT, str).layout.yaxis.range
    assert -0.1 < low <= 0 and 1 <= high < 1.1
    seconds = [record(ANSWERS, "seconds", plain=2.0), record(ANSWERS, "seconds", plain=3.0)]
    assert over_time(seconds, "seconds", {}, LIGHT, str).layout.yaxis.rangemode == "tozero"
