"""What the map of the library draws and says."""

import numpy as np
import plotly.graph_objects as go
import pytest

from selfrag.evaluation.library_map import LibraryMap
from selfrag.palette import LIGHT, MODES_LIGHT
from selfrag.retrieval.comparison import ComparedPassage, Comparison, Outcome
from selfrag.retrieval.result import Hit, Mode
from selfrag.retrieval.variant import Variant
from selfrag.ui.compare_map import reading, where
from selfrag.ui.compare_map_chart import SHAPES, Placed, draw_chart

HOSTILE = '<img src=x onerror=alert(1)> <a href="http://evil.example">click</a> %{x} & co'


def library(count: int = 200, total: int | None = None, kept: float | None = 0.52) -> LibraryMap:
    """A line of chunks, one apart."""
    positions = np.zeros((count, 2), dtype=np.float32)
    positions[:, 0] = np.arange(count)
    return LibraryMap(
        tuple(f"c{n}" for n in range(count)),
        tuple(f"d{n % 2}" for n in range(count)),
        tuple(range(1, count + 1)),
        (HOSTILE,) * count,
        np.ones((count, 3), dtype=np.float16),
        positions,
        total or count,
        kept,
    )


def compared(*places: tuple[int | None, int | None]) -> Comparison:
    """Passages at places in the lists of two modes."""
    passages = tuple(
        ComparedPassage(
            number,
            Hit(1, f"c{number}", "d0", HOSTILE, 3, HOSTILE, (), "p", ""),
            place,
        )
        for number, place in enumerate(places, start=1)
    )
    modes = (Variant(Mode.BM25), Variant(Mode.DENSE))
    return Comparison("?", tuple(Outcome(mode, None) for mode in modes), passages)


def test_each_mode_has_its_own_shape_colour_and_word() -> None:
    placed = Placed((1.0, 1.0), {1: (0.0, 0.0), 2: (5.0, 0.0)})
    figure = draw_chart(library(), placed, compared((1, 1), (None, 2)), {}, MODES_LIGHT, LIGHT)
    chunks, bm25, dense, question = figure.data
    assert (chunks.name, chunks.marker.color, len(chunks.x)) == ("chunk", LIGHT.quiet, 200)
    assert (bm25.name, bm25.marker.color, len(bm25.x)) == ("bm25", MODES_LIGHT["bm25"], 1)
    assert (dense.name, dense.marker.color, len(dense.x)) == ("dense", MODES_LIGHT["dense"], 2)
    assert bm25.marker.symbol != dense.marker.symbol and bm25.marker.size < dense.marker.size
    assert (question.name, question.marker.color) == ("your question", LIGHT.path)
    assert len(set(SHAPES)) == 6


def test_text_of_documents_takes_no_effect_in_what_hovering_shows() -> None:
    names = {"d0": HOSTILE, "d1": HOSTILE}
    placed = Placed(None, {1: (0.0, 0.0)})
    figure = draw_chart(library(), placed, compared((1, None)), names, MODES_LIGHT, LIGHT)
    for trace in figure.data:
        assert trace.hoverinfo == "text" and trace.hovertemplate is None
        for text in trace.hovertext:
            plain = text.replace("<b>", "").replace("</b>", "").replace("<br>", "")
            assert "<" not in plain and "&lt;img" in plain


def test_document_is_marked_and_nothing_else_is_coloured_by_it() -> None:
    figure = draw_chart(
        library(), Placed(None, {}), compared((1, 1)), {}, MODES_LIGHT, LIGHT, marked="d1"
    )
    others, mine = figure.data
    assert len(mine.x) == len(others.x) == 100 and mine.marker.color == LIGHT.text


def texts_beside(figure: go.Figure) -> list[str]:
    """What is written beside passages."""
    return [each.text for each in figure.layout.annotations if each.text != "your question"]


@pytest.mark.parametrize("side", [(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)])
def test_words_of_the_question_lie_on_no_passage(side: tuple[float, float]) -> None:
    """Passages stand close to the question, all on one side of it."""
    flat = library()
    flat.positions[:, 1] = np.linspace(-80, 80, 200)
    across, up = side
    passages = {n: (100 + across * n * 6.0, up * n * 6.0) for n in range(1, 5)}
    found = compared(*[(n, n) for n in range(1, 5)])
    figure = draw_chart(flat, Placed((100.0, 0.0), passages), found, {}, MODES_LIGHT, LIGHT)
    words = next(each for each in figure.layout.annotations if each.text == "your question")
    towards = words.ax * across - words.ay * up
    beside = words.ax if up else words.ay
    assert towards < 0 or abs(beside) > 24
    assert abs(words.ax) > 40 or abs(words.ay) > 24, "nor on the star"


def test_passages_on_one_spot_share_one_number_text() -> None:
    placed = Placed((9.0, 0.0), {1: (8.0, 0.0), 2: (8.0, 0.0), 3: (12.0, 0.0)})
    found = compared((1, 1), (2, 2), (3, 3))
    around = draw_chart(library(), placed, found, {}, MODES_LIGHT, LIGHT, around=True)
    assert texts_beside(around) == ["1, 2", "3"]
    low, high = around.layout.xaxis.range
    assert low < 8 and 12 < high < 20
    whole = draw_chart(library(), placed, found, {}, MODES_LIGHT, LIGHT, chosen="c3")
    assert texts_beside(whole) == ["3"]
    low, high = whole.layout.xaxis.range
    assert low < 0 and high > 199


@pytest.mark.parametrize("around", [False, True])
def test_map_of_one_spot_has_an_extent(around: bool) -> None:
    one = library(1)
    placed = Placed((0.0, 0.0), {1: (0.0, 0.0)})
    figure = draw_chart(one, placed, compared((1, 1)), {}, MODES_LIGHT, LIGHT, around=around)
    low, high = figure.layout.xaxis.range
    assert low < 0 < high


def test_sentence_says_which_passages_lie_elsewhere() -> None:
    question = (0.0, 0.0)
    assert where(library(), Placed(question, {1: (3.0, 0.0), 2: (90.0, 0.0)})).startswith(
        "1 of 2 passages lies near your question (among the 10 chunks closest to it); passage 2 "
        "lies elsewhere"
    )
    assert where(library(), Placed(question, {1: (3.0, 0.0), 2: (4.0, 0.0)})) == (
        "All 2 passages lie near your question (among the 10 chunks closest to it)."
    )
    assert where(library(), Placed(question, {1: (50.0, 0.0), 2: (90.0, 0.0)})).startswith(
        "None of the 2 passages lies near"
    )
    assert where(library(), Placed(None, {1: (3.0, 0.0)})) == ""


def test_reading_tells_what_is_left_out_and_how_far_to_trust_it() -> None:
    assert "one of 200 chunks, drawn evenly from the 203,417" in reading(library(total=203_417))
    assert "5 are among its ten nearest here" in reading(library())
    assert "nearest here" not in reading(library(kept=None))
    assert "mean nothing" in reading(library())
