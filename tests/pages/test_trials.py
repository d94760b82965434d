"""Answers side by side on the page, run as Streamlit runs it, over a real library."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.palette import LIGHT
from selfrag.reflection.contrast import Side
from selfrag.reflection.folding import RunView
from selfrag.reflection.strategy import Strategy
from selfrag.reflection.way import Way
from selfrag.service import SelfRag
from selfrag.settings import Settings
from selfrag.ui.trial_charts import bars, claims_chart, figures
from selfrag.wording import duration
from tests.support.llm_answers import failure
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

PAGE = Path(__file__).resolve().parents[2] / "pages" / "runs.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"
NOWHERE = "Who is the president of France?"


def opened(folder: Path, **settings) -> SelfRag:
    process.close()
    return process.open_once(
        Settings(_env_file=None, storage_dir=folder / "storage", reranker_model="none", **settings)
    )


@pytest.fixture
def rag(tmp_path: Path) -> Iterator[SelfRag]:
    yield opened(tmp_path)
    process.close()


@pytest.fixture
def harbour(rag: SelfRag, tmp_path: Path) -> SelfRag:
    list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
    return rag


def page(**address: str) -> AppTest:
    app = AppTest.from_file(PAGE, default_timeout=90)
    for name, value in address.items():
        app.query_params[name] = value
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def ask(app: AppTest, question: str = QUESTION) -> AppTest:
    app.text_input(key="trial-question").set_value(question)
    press(app, "Ask")
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return run(app)


def texts(app: AppTest) -> str:
    drawn = (*app.title, *app.markdown, *app.caption, *app.error, *app.info)
    shown = [str(element.value) for element in drawn]
    return "\n".join(shown).replace("\\", "").replace(":gray[]", "")


def shown(app: AppTest) -> str:
    return "".join(app.query_params["trial"])


def test_an_empty_library_says_what_to_do(rag: SelfRag) -> None:
    app = page()
    assert "Your library is empty" in texts(app)
    assert not app.text_input


def test_asked_in_three_ways_all_are_shown_with_what_differs(harbour: SelfRag) -> None:
    app = ask(page())
    said = texts(app)
    for way in Strategy:
        assert f"##### {way.value}" in said
    assert "plain answered without checking any claim" in said
    assert "selfrag answered, and found every claim backed by a source." in said
    assert "What each took" in said
    assert "No language model was asked" in said
    assert "plain and critique quote the same sentences" in said
    trial = harbour.trials.get(shown(app))
    assert (trial.question, len(trial.runs)) == (QUESTION, 3)


def test_only_the_one_that_checks_says_that_nothing_answers(harbour: SelfRag) -> None:
    said = texts(ask(page(), NOWHERE))
    assert "selfrag gave no answer, since nothing that was found answers the question" in said
    assert "plain answered without checking any claim" in said


def test_answers_are_opened_again_by_their_address_with_question_and_ways(
    harbour: SelfRag,
) -> None:
    ways = [Way(Strategy.PLAIN), Way.parse("selfrag:retrieval=always")]
    trial_id = harbour.trials.start(QUESTION, ways, casting=harbour.casting)
    for run_id in harbour.trials.get(trial_id).runs:
        harbour.run(run_id).result(30)
    app = page(trial=trial_id)
    assert app.text_input(key="trial-question").value == QUESTION
    assert app.session_state["trial-ways"] == list(map(str, ways))
    assert "##### selfrag (retrieval always)" in texts(app)
    other = page()  # and listed for whoever looks without an address
    labels = [button.label.replace("\\", "") for button in other.button]
    press(
        other,
        next(b.label for b, name in zip(other.button, labels, strict=True) if QUESTION in name),
    )
    assert shown(other) == trial_id
    assert "##### selfrag (retrieval always)" in texts(other)


def test_address_that_names_nothing_is_told(harbour: SelfRag) -> None:
    assert "no longer there" in texts(page(trial="0" * 32))
    assert "no longer there" not in texts(page(trial="nonsense"))


def test_question_that_is_brought_along_waits_to_be_asked(harbour: SelfRag) -> None:
    app = page(q=QUESTION)
    assert app.text_input(key="trial-question").value == QUESTION
    assert harbour.trials.count() == 0


def test_blank_question_is_refused_in_a_sentence(harbour: SelfRag) -> None:
    app = ask(page(), "  ")
    assert app.error
    assert harbour.trials.count() == 0
    assert "##### plain" not in texts(app)


def test_one_way_is_not_enough(harbour: SelfRag) -> None:
    app = page()
    app.session_state["trial-ways"] = ["selfrag"]
    run(app)
    assert "Choose 2 to 4 ways" in texts(app)
    ask(app)
    assert "Name 2 to 4 ways" in texts(app)


def test_another_way_is_added_and_asked(harbour: SelfRag) -> None:
    app = page()
    app.selectbox(key="trial-own-strategy").set_value(Strategy.PLAIN)
    run(app)
    assert next(button for button in app.button if button.label == "Add it").disabled
    app.selectbox(key="trial-own-strategy").set_value(Strategy.SELFRAG)
    run(app)
    press(app, "Add it")
    trial = harbour.trials.get(shown(ask(app)))
    assert [str(way) for way in trial.ways][-1] == "selfrag:retrieval=always"


def test_deleted_they_are_gone(harbour: SelfRag) -> None:
    app = ask(page())
    press(app, "Delete these answers")
    press(app, "Delete")
    assert harbour.trials.count() == 0
    assert "trial" not in app.query_params


def test_two_earlier_answers_are_chosen_and_left_again(harbour: SelfRag) -> None:
    trial = harbour.trials.get(shown(ask(page())))
    app = page(a=trial.runs[0], b=trial.runs[2])
    assert "What differs" in texts(app)
    assert "Strategy: plain in A, selfrag in B." in texts(app)
    options = app.selectbox(key="side-a").options
    assert len(set(options)) == len(options) == 2  # without the one that B is
    app.segmented_control(key="answers-kind").set_value("One question, several ways")
    run(app)
    assert "a" not in app.query_params
    assert "What differs" not in texts(app)
    assert app.text_input(key="trial-question")


def test_one_that_fails_is_told_in_its_column_and_answered_again(tmp_path: Path) -> None:
    with LlmServer() as server:
        rag = opened(tmp_path, llm_base_url=server.url, max_retries=0)
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
        server.reply(failure(401, "no"), when=lambda request: request.schema is None, times=1)
        app = ask(page())
        assert len(app.error) == 1
        assert "failed" in texts(app)
        assert "Together usually" in texts(app)
        press(app, "Try again")
        assert not app.error
        assert "All 3" not in texts(app)
        trial = rag.trials.get(shown(app))
        assert [rag.run(run_id).result(1).status for run_id in trial.runs] == ["answered"] * 3
        assert "How often the model was asked: plain once, critique twice" in texts(app)
    process.close()


def test_charts_and_figures_hold_the_numbers_of_the_runs(harbour: SelfRag) -> None:
    trial = harbour.trials.get(shown(ask(page())))
    sides = [
        Side(way.label, RunView.of(harbour.events(run_id)))
        for way, run_id in zip(trial.ways, trial.runs, strict=True)
    ]
    drawn = bars(sides, lambda side: side.end.elapsed_s, duration, LIGHT)
    assert list(drawn.data[0].x) == [side.end.elapsed_s for side in sides]
    claims = claims_chart(sides, LIGHT)
    assert [(trace.name, list(trace.x)) for trace in claims.data] == [("backed", [0, 0, 1])]
    assert claims.data[0].marker.color == LIGHT.good
    heads, rows = figures(sides)
    assert heads == ["", "plain", "critique", "selfrag"]
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["Claims backed"] == ["–", "–", "1 of 1 claim"]
    assert by_name["Model calls"] == ["0", "0", "0"]
