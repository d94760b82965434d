"""The Answers tab of the Evaluate page, run as Streamlit runs it, and what its pictures say."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from selfrag.documents.samples import sample_files
from selfrag.errors import UserError
from selfrag.evaluation.answers.abstention import Abstention
from selfrag.evaluation.answers.gold import GoldFinder
from selfrag.evaluation.answers.question_files import EXAMPLE
from selfrag.evaluation.answers.questions import read_questions
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.palette import LIGHT, STRATEGIES_DARK, STRATEGIES_LIGHT
from selfrag.reflection.strategy import Strategy
from selfrag.service import SelfRag
from selfrag.ui.answers_charts import silence
from selfrag.ui.answers_words import silence_words
from selfrag.ui.evaluate_place import PART
from tests.pages.test_compare import QUAY, QUESTION, TIDES, harbour, rag, texts  # noqa: F401

PAGE = Path(__file__).resolve().parents[2] / "pages" / "evaluate.py"
CSV = f"""question,ground_truth,answerable,gold
{QUESTION},Thirteen metres.,yes,{TIDES.split(".")[0]}.
Are dogs allowed on the quay in summer?,No.,yes,{QUAY.split(".")[0]}.
Who painted the ceiling of the chapel?,,no,
"""


@pytest.fixture
def app() -> Iterator[AppTest]:
    made = AppTest.from_file(PAGE, default_timeout=60)
    made.session_state[PART] = ":material/edit_note: Answers"
    yield made


def shown(app: AppTest) -> str:
    app.run()
    assert not app.exception
    return texts(app)


def test_without_questions_it_says_what_to_bring(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    said = shown(app)
    assert "Upload a CSV file with questions" in said
    assert not [button for button in app.button if button.label == "Measure"]


def test_what_it_takes_and_what_cannot_be_measured_stand_before_the_start(
    harbour: SelfRag,  # noqa: F811
    app: AppTest,
) -> None:
    harbour.answers.files.add(CSV.encode(), "harbour.csv")
    said = shown(app)
    assert "3 questions · 2 that the documents answer · 1 that the documents cannot answer" in said
    assert "9 answers" in said and "no model calls" in said, "3 strategies, 1 round"
    assert "Without a language model every round gives the same answers" in said
    assert "What will be compared: claims backed (local judge), decided rightly and time" in said
    assert "Will not be measured: faithfulness, answer relevancy" in said
    assert "Correctness will not be compared" in said and "was not compared" not in said
    app.number_input[0].set_value(5)
    assert "45 answers" in shown(app)


def test_study_is_measured_shown_and_kept(harbour: SelfRag, app: AppTest) -> None:  # noqa: F811
    harbour.answers.files.add(CSV.encode(), "harbour.csv")
    shown(app)
    next(button for button in app.button if button.label == "Measure").click().run()
    assert harbour.answers.background().wait(120)
    said = shown(app)
    for part in ("How good the answers are", "Silent where it should be?", "What an answer takes"):
        assert part in said
    assert "with evidence it answered" in said
    assert "**Asked what the documents cannot answer, selfrag abstained on 1 of 1 question" in said
    assert next(box for box in app.selectbox if box.label == "Measure").value == "decided_rightly"
    means = next(it.value for it in app.dataframe if "decided rightly" in it.value)
    selfrag = means.set_index("strategy").loc["selfrag"]
    assert selfrag["decided rightly"] == 1.0 and selfrag["undefined"] == 1
    numbers = means.drop(columns="strategy")
    assert all(map(pd.api.types.is_numeric_dtype, numbers.dtypes)), "no sentence in a cell"
    assert "selfrag: claims backed (local judge) of 1 answer. Why is told below." in said
    next(box for box in app.selectbox if box.label == "Answers to").set_value(
        next(iter(harbour.answers.background().view().ended.study.questions))
    ).run()
    assert "Right answer:" in texts(app) and "round 1" in texts(app)

    (kept,) = harbour.history.all("answers")
    opened = AppTest.from_file(PAGE, default_timeout=60)
    opened.query_params["result"] = kept.id
    assert "Silent where it should be?" in shown(opened)
    assert AnswerStudy.from_json(harbour.history.payload(kept.id)).rounds == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"question\nwhy?\n", "no column ground_truth"),
        (b"", "is empty"),
        (b"question,ground_truth\n", "no question below its header"),
        (b"question,ground_truth\nwhy?,so\nWHY?,so\n", "asks the same as row 2"),
        (b"question,ground_truth,answerable\nwhy?,so,perhaps\n", "Row 2"),
    ],
)
def test_questions_that_cannot_be_read_are_refused_and_not_kept(
    rag: SelfRag,  # noqa: F811
    content: bytes,
    said: str,
) -> None:
    with pytest.raises(UserError, match=said):
        rag.answers.files.add(content, "questions.csv")
    assert rag.answers.files.all() == []


def test_questions_are_their_owners_and_their_name_is_no_path(rag: SelfRag) -> None:  # noqa: F811
    content = EXAMPLE.read_bytes()
    assert rag.answers.files.add(content, "../../out.csv", "a").name == "out"
    assert rag.answers.files.all("a") == ["out.csv"] and rag.answers.files.all() == []
    for act in (rag.answers.files.read, rag.answers.files.remove):
        with pytest.raises(UserError, match="no questions"):
            act("out.csv")
        with pytest.raises(UserError, match="no questions"):
            act("../a/out.csv")
    rag.answers.files.remove("out.csv", "a")
    assert rag.answers.files.all("a") == []


def test_example_asks_about_passages_of_the_sample_library(rag: SelfRag) -> None:  # noqa: F811
    assert all(result.error is None for result in rag.ingest(sample_files()))
    finder = GoldFinder(rag.ready(), rag.chunks, rag.funnel, rag.index, lambda question: {})
    questions = read_questions(EXAMPLE.read_bytes(), EXAMPLE.name)
    found = {row.question: bool(finder.find(row).hits) for row in questions.questions}
    answerable = {row.question: bool(row.answerable) for row in questions.questions}
    assert found == answerable


def test_picture_of_silence_holds_the_four_cells() -> None:
    cells = {
        "plain": Abstention(right=6, confident=4),
        "selfrag": Abstention(right=5, cautious=1, confident=1, declined=3),
        "critique": Abstention(unknown_answered=10),
    }
    drawn = {
        (trace.name, row.split("<br>")[0]): text
        for trace in silence(cells, LIGHT).data
        for row, text in zip(trace.y, trace.text, strict=True)
    }
    assert drawn == {
        ("right: answered", "<b>plain</b>"): "<b>6</b>",
        ("right: answered", "<b>selfrag</b>"): "<b>5</b>",
        ("over-cautious: stayed silent", "<b>selfrag</b>"): "<b>1</b>",
        ("right: stayed silent", "<b>selfrag</b>"): "<b>3</b>",
        ("over-confident: answered", "<b>plain</b>"): "<b>4</b>",
        ("over-confident: answered", "<b>selfrag</b>"): "<b>1</b>",
    }


def test_silence_in_words() -> None:
    assert silence_words("plain", Abstention(unknown_answered=2)).startswith(
        "plain: for none of its answers is it known"
    )
    assert silence_words("selfrag", Abstention(5, 1, 2, 8, unknown_answered=1)) == (
        "selfrag: without evidence it stayed silent 8 of 10 times and answered all the same twice; "
        "with evidence it answered 5 of 6 times and stayed silent all the same once. Of 1 answer "
        "it is not known whether the evidence was retrieved."
    )


def test_every_strategy_has_a_colour_in_both_themes() -> None:
    names = {each.value for each in Strategy}
    assert STRATEGIES_LIGHT.keys() == STRATEGIES_DARK.keys() == names
