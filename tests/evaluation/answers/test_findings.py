"""What a study of answers says first, and that no interval leaves what is possible."""

import re
from dataclasses import replace
from itertools import product

import pytest

from selfrag.evaluation.answers.answering import Answered
from selfrag.evaluation.answers.choice import System, usual_rounds
from selfrag.evaluation.answers.findings import (
    differing,
    headlines,
    leading,
    sentences,
    shown_with_a_warning,
)
from selfrag.evaluation.answers.gold import Gold
from selfrag.evaluation.answers.grades import Grade, Graded
from selfrag.evaluation.answers.local_grader import LocalGrader
from selfrag.evaluation.answers.measures import CLAIMS_BACKED, DECIDED, SPENT
from selfrag.evaluation.answers.questions import Question
from selfrag.evaluation.answers.rows import make_row
from selfrag.evaluation.answers.study import AnswerStudy, make_study
from selfrag.evaluation.answers.text import as_text, notes, tables
from selfrag.evaluation.paired import compare
from selfrag.evaluation.significance import mean_interval
from selfrag.evaluation.study_text import LETTERS
from selfrag.evaluation.verdict import name_of_mean
from selfrag.reflection.strategy import Strategy
from selfrag.settings import Settings
from selfrag.ui.answers_words import spending_words

MEASURES = (CLAIMS_BACKED, DECIDED, *SPENT)
ANSWER = Answered(
    "answered", "It is so.", "It is so.", (), (), None, "", 0.02, 0, 0, 0, False, 0, 0.0
)
SECONDS = {"plain": 0.03, "critique": 0.02, "selfrag": 0.07}


def study(
    unanswerable: int,
    answerable: int,
    silent: tuple[str, ...] = ("selfrag",),
    *,
    rounds: int = 1,
    lapses: tuple[int, ...] = (),
) -> AnswerStudy:
    """All claims are backed; ``silent`` abstain on what cannot be answered, but for the rounds of
    ``lapses``, critique warns."""
    asked = [
        Question(str(n), f"question {n}?", "So.", n >= unanswerable)
        for n in range(unanswerable + answerable)
    ]
    rows = []
    for number, question, strategy in product(range(1, rounds + 1), asked, Strategy):
        name = strategy.value
        given = replace(ANSWER, seconds=SECONDS[name])
        graded = Graded({CLAIMS_BACKED: Grade(1.0)}, declines=False)
        if not question.answerable and name in silent and number not in lapses:
            given = replace(given, status="abstained", answer="", written="")
            graded = Graded({CLAIMS_BACKED: Grade(None, "it abstained")}, declines=True)
        elif not question.answerable and name == "critique":
            given = replace(given, status="unsupported")
        rows.append(make_row(question, System(strategy), number, Gold(), given, graded, MEASURES))
    return make_study(
        "set",
        rows,
        systems=[each.value for each in Strategy],
        rounds=rounds,
        questions={each.id: each.question for each in asked},
        measures=MEASURES,
        writer="quotes",
        judge="local judge",
        unavailable=LocalGrader.unavailable,
    )


def test_deciding_otherwise_is_the_headline_where_quality_ties() -> None:
    made = study(unanswerable=8, answerable=4)
    said = headlines(made)
    assert said[0] == (
        "Asked what the documents cannot answer, selfrag abstained on 8 of 8 questions, plain on 0 "
        "of 8 and critique on 0 of 8; asked what they answer, plain answered 4 of 4 "
        "questions, critique 4 of 4 and selfrag 4 of 4."
    )
    assert said[1].startswith("selfrag is better than plain: +0.667 decided rightly")
    assert said[-1].endswith("can show: claims backed (local judge).")
    assert as_text(made).startswith(said[0])


def test_too_few_questions_are_said_to_be_so_after_the_same_headline() -> None:
    said = headlines(study(unanswerable=2, answerable=3))
    assert said[0].startswith("Asked what the documents cannot answer, selfrag abstained on 2 of 2")
    assert said[1].startswith("No significant difference between selfrag and plain")


def test_all_deciding_alike_is_no_headline() -> None:
    (said,) = headlines(study(unanswerable=3, answerable=3, silent=()))
    assert said.startswith("No difference between strategies") and "decided rightly" in said


def test_what_was_not_compared_and_what_counts_as_answered_are_said() -> None:
    made = study(unanswerable=6, answerable=2)
    assert any(each.startswith("Correctness was not compared") for each in sentences(made))
    assert shown_with_a_warning(made).endswith("still counts as answered here: 6 by critique.")
    assert shown_with_a_warning(made) in notes(made)
    assert shown_with_a_warning(study(2, 2, ("selfrag", "critique"))) == ""
    table = next(rows for title, _, rows in tables(made) if title == made.name)
    assert [row[-1] for row in table] == ["0", "0", "6"], "counted in a column of its own"
    assert all(re.fullmatch(r"\d\.\d{3}( [a-z]+)?", cell) for row in table for cell in row[1:-1])
    assert re.search(r"selfrag +claims backed.* 6 +it abstained", as_text(made))


def test_every_strategy_is_named_with_its_seconds() -> None:
    assert spending_words(study(2, 2)) == (
        "An answer takes 70 ms by selfrag, 30 ms by plain and 20 ms by critique (medians)."
    )


def test_one_slow_answer_moves_neither_the_sentence_nor_the_column_that_it_names() -> None:
    made = study(2, 2)
    slow = replace(made.rows[0], seconds=9.0, measures={**made.rows[0].measures, "seconds": 9.0})
    again = make_study(
        "set",
        [slow, *made.rows[1:]],
        systems=[each.value for each in Strategy],
        rounds=1,
        questions=made.questions,
        measures=MEASURES,
        writer="quotes",
        judge="local judge",
    )
    assert spending_words(again) == spending_words(made)


def test_rounds_are_no_evidence_of_their_own() -> None:
    said = headlines(study(1, 2, rounds=5))[0]
    assert "selfrag abstained on 1 of 1 question, plain on 0 of 1" in said
    assert said.endswith("selfrag 2 of 2 (the same in each of 5 rounds).")
    varied = headlines(study(1, 2, rounds=5, lapses=(2, 3)))[0]
    assert "selfrag abstained on 1 of 1 question" in varied
    assert varied.endswith("(as in most of the 5 rounds of each question).")
    assert headlines(study(1, 2, rounds=5, lapses=(1, 2, 3)))[0].startswith("No difference")


def test_questions_open_on_the_measure_of_the_headline() -> None:
    assert leading(study(8, 4)) == DECIDED
    assert differing(study(1, 2), DECIDED)[0] == ("0", [0.0, 0.0, 1.0])
    assert leading(study(3, 3, silent=())) == CLAIMS_BACKED, "nothing differs: the first one"


def test_letters_stand_only_where_they_say_something() -> None:
    assert "a  plain" in as_text(study(8, 4)) and LETTERS in notes(study(8, 4))
    tied = study(1, 2)
    assert "a  plain" not in as_text(tied) and LETTERS not in notes(tied)


def test_rounds_are_many_only_where_answers_vary() -> None:
    assert usual_rounds(Settings(_env_file=None)) == 1
    for varying in ({"openai_api_key": "k"}, {"evaluation_judge_model": "gpt-4.1"}):
        assert usual_rounds(Settings(_env_file=None, **varying)) == 5


def test_intervals_end_where_values_do() -> None:
    late = mean_interval([0.01, 0.01, 0.01, 0.9], share=False)
    assert late.low == 0.0 and late.high is not None and late.high > 0.9
    slow = mean_interval([1.0, 9.0], share=False)
    assert slow.high is not None and slow.high > 9.0, "seconds have no upper end"
    a = {"p": 1.0, "q": 1.0, "r": 0.1}
    b = dict.fromkeys(a, 0.0)
    assert compare(a, b).high == 1.0 and compare(b, a).low == -1.0
    free = compare(a, b, share=False)
    assert free.high == pytest.approx(0.7 + 4.3027 * 0.3, abs=1e-3)


def test_a_mean_is_called_what_it_is() -> None:
    assert [name_of_mean(each) for each in ("RR@10", "AP", "P@5")] == ["MRR@10", "MAP", "P@5"]
