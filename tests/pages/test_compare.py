"""The Compare page, run as Streamlit runs it, over a real library in a folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.errors import ModelError
from selfrag.evaluation.mapping import MapView
from selfrag.palette import DARK, LIGHT, MODES_DARK, MODES_LIGHT
from selfrag.records.labels import Relevance
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.settings import Settings
from selfrag.ui import compare_charts
from tests.support.pdf_factory import make_pdf

PAGE = Path(__file__).resolve().parents[2] / "pages" / "compare.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUAY = "Dogs are not allowed on the quay of Saint Malo in summer. In winter they are welcome."
QUESTION = "What is the tidal range of Saint Malo?"


@pytest.fixture
def rag(tmp_path: Path) -> Iterator[SelfRag]:
    process.close()
    settings = Settings(_env_file=None, storage_dir=tmp_path / "storage", reranker_model="none")
    yield process.open_once(settings)
    process.close()


@pytest.fixture
def harbour(rag: SelfRag, tmp_path: Path) -> SelfRag:
    (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES, QUAY])])
    assert result.error is None
    return rag


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60)


def texts(app: AppTest) -> str:
    drawn = (*app.title, *app.markdown, *app.caption, *app.error, *app.warning, *app.info)
    drawn += (*app.success, *app.button)
    shown = [str(getattr(element, "label", "") or element.value) for element in drawn]
    shown += [f"{list(table.value.columns)}\n{table.value.to_string()}" for table in app.table]
    return "\n".join(shown).replace("\\", "").replace(":gray[]", "")


def compare(app: AppTest, question: str = QUESTION, modes: str = "bm25;hybrid") -> AppTest:
    app.query_params["q"] = question
    app.query_params["modes"] = modes
    app.run()
    assert not app.exception
    return app


def test_an_empty_library_says_what_to_do(rag: SelfRag, app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert "Your library is empty" in texts(app)
    assert not app.text_input


def test_address_names_question_and_modes(harbour: SelfRag, app: AppTest) -> None:
    compare(app, modes="bm25;hybrid:fusion=rrf;nonsense")
    assert app.text_input[0].value == QUESTION
    assert "passages are found by every mode" in texts(app) or "same" in texts(app)
    assert "hybrid, RRF" in texts(app)
    assert "".join(app.query_params["modes"]) == "bm25;hybrid:fusion=rrf"


def test_address_that_names_too_many_modes_is_told_which_are_shown(
    harbour: SelfRag, app: AppTest
) -> None:
    compare(app, modes=";".join([*Mode, "hybrid:fusion=rrf"]))
    assert "these are the first 6" in texts(app)
    assert len(app.session_state["compare-kept"][1].outcomes) == 6


def test_question_is_searched_once_for_all_that_is_clicked(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare(app)
    monkeypatch.setattr(harbour, "compare", lambda *_: pytest.fail("searched again"))
    app.toggle[0].set_value(True).run()
    assert not app.exception
    assert "an order that says nothing" in texts(app)


def test_blind_hides_what_tells_who_found_what(harbour: SelfRag, app: AppTest) -> None:
    compare(app)
    assert "Who found what" in texts(app)
    app.toggle[0].set_value(True).run()
    said = texts(app)
    assert "Who found what" not in said and "by one alone" not in said
    assert "rank in" not in said


def test_labels_are_counted(harbour: SelfRag, app: AppTest) -> None:
    hit = harbour.retrieve(QUESTION, Mode.BM25).hits[0]
    harbour.labels.put(QUESTION, hit, Relevance.RELEVANT)
    assert "1 label on 1 question" in texts(compare(app))


def test_labels_say_what_they_can_and_no_more(harbour: SelfRag, app: AppTest) -> None:
    for number, question in enumerate((QUESTION, "Are dogs allowed?")):
        hit = harbour.retrieve(question, Mode.DENSE).hits[0]
        harbour.labels.put(question, hit, Relevance.RELEVANT)
        said = texts(compare(app))
        assert ("not enough for a test" in said) == (number == 0)
    assert "nothing to test" in said or "No significant difference" in said
    assert "better/equal/worse" in said
    app.toggle[0].set_value(True).run()
    assert "hidden while you label blind" in texts(app)
    assert "better/equal/worse" not in texts(app)


def test_one_mode_is_not_enough(harbour: SelfRag, app: AppTest) -> None:
    assert "at least two modes" in texts(compare(app, modes="bm25"))


def test_words_that_stand_nowhere_find_nothing(harbour: SelfRag, app: AppTest) -> None:
    said = texts(compare(app, "zxqv", modes="bm25;bm25:k=3"))
    assert "No mode found a passage" in said


def test_stage_that_was_skipped_is_told(harbour: SelfRag, app: AppTest) -> None:
    assert "rerank was skipped" in texts(compare(app, modes="hybrid;hybrid_rerank"))


def test_endpoint_that_does_not_answer_is_told(
    harbour: SelfRag, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_, **__):
        raise ModelError("The endpoint does not answer: try again.")

    monkeypatch.setattr(harbour.funnel, "search", fails)
    assert "The endpoint does not answer" in texts(compare(app))


def test_another_setting_of_a_mode_is_added_and_compared(harbour: SelfRag, app: AppTest) -> None:
    compare(app)
    app.slider(key="own-weight").set_value(0.1).run()
    next(button for button in app.button if button.label == "Add it").click().run()
    assert not app.exception
    assert "hybrid:dense_weight=0.1" in "".join(app.query_params["modes"])
    compared = app.session_state["compare-kept"][1].outcomes
    assert Variant(Mode.HYBRID, dense_weight=0.1) in [each.variant for each in compared]


def test_every_mode_has_a_colour_of_its_own_that_means_nothing_else() -> None:
    for modes, palette in ((MODES_LIGHT, LIGHT), (MODES_DARK, DARK)):
        assert modes.keys() == set(Mode)
        taken = {palette.good, palette.fair, palette.bad, palette.path, palette.quiet}
        assert len({*modes.values(), *taken}) == len(modes) + len(taken)


def test_charts_show_the_numbers_of_the_comparison(harbour: SelfRag) -> None:
    found = harbour.compare(QUESTION, [Variant(Mode.BM25), Variant(Mode.HYBRID)], 2)
    overlap = compare_charts.overlap(found, MODES_LIGHT, LIGHT)
    assert [len(trace.x) for trace in overlap.data] == [len(o.hits) for o in found.outcomes]
    bars = compare_charts.seconds(found, MODES_LIGHT, LIGHT)
    for row, outcome in enumerate(found.outcomes):
        total = sum(trace.x[row] for trace in bars.data)
        assert total == pytest.approx(outcome.retrieval.seconds * 1000)
    label = {found.passages[0].chunk_id: Relevance.RELEVANT}
    ranks = compare_charts.ranks(found, 1, label, None, LIGHT)
    assert {trace.name for trace in ranks.data} <= {"relevant", "not labelled"}
    first = next(trace for trace in ranks.data if trace.name == "relevant")
    assert (first.line.color, first.y[-1]) == (LIGHT.good, found.passages[0].places[1])
    scores = compare_charts.scores(found, 1, None, MODES_LIGHT, LIGHT)
    assert len(scores.data) == 3


def test_library_of_a_few_chunks_has_no_map_and_says_from_when_on(
    harbour: SelfRag, app: AppTest
) -> None:
    harbour.maps.wait(60)
    assert "a map begins to show something from 10 on" in texts(compare(app))


def test_map_is_drawn_once_it_is_there(
    rag: SelfRag, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [f"{TIDES} This is rule {number} of {number + 1}." for number in range(12)]
    (result,) = rag.ingest([make_pdf(tmp_path / "rules.pdf", pages)])
    assert result.error is None
    with monkeypatch.context() as patched:
        patched.setattr(rag.maps, "view", lambda: MapView(progress=0.4))
        assert "Making the map of your library" in str(compare(app).get("progress")[0].proto.text)
    with monkeypatch.context() as patched:
        patched.setattr(rag.maps, "view", lambda: MapView(error="The server is gone: start it."))
        assert "The server is gone: start it." in texts(compare(app))
    assert rag.maps.wait(60).map is not None
    said = texts(compare(app))
    assert "Each dot is one of the 12 chunks of your library." in said
    assert "near your question" in said


def test_question_that_cannot_be_embedded_is_told_under_the_map(
    rag: SelfRag, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [f"{TIDES} This is rule {number} of {number + 1}." for number in range(12)]
    (result,) = rag.ingest([make_pdf(tmp_path / "rules.pdf", pages)])
    assert result.error is None and rag.maps.wait(60).map is not None

    def fails(_: str) -> list[float]:
        raise ModelError("The endpoint does not answer: try again.")

    monkeypatch.setattr(rag.embeddings, "embed_query", fails)
    said = texts(compare(app, modes="bm25;bm25:k=3"))
    assert "Your question is not on the map. The endpoint does not answer" in said
    assert "near your question" not in said


def test_link_to_another_question_is_followed_in_an_open_page(
    harbour: SelfRag, app: AppTest
) -> None:
    compare(app)
    compare(app, "Are dogs allowed?", "dense;full")
    assert app.text_input[0].value == "Are dogs allowed?"
    assert "".join(app.query_params["modes"]) == "dense;full"
    app.text_input[0].set_value(QUESTION).run()
    assert app.text_input[0].value == QUESTION
