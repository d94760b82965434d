"""The measures of RAGAS and the four cells of abstaining, against numbers worked out by hand."""

import math

import pytest

from selfrag.evaluation.answers import ragas
from selfrag.evaluation.answers.abstention import Abstention, Case, abstention


def test_faithfulness_is_the_share_of_statements_that_are_backed() -> None:
    # "Einstein was born in Germany" is backed, "on 20 March 1879" is not: 1 of 2.
    assert ragas.faithfulness([True, False]) == 0.5
    assert ragas.faithfulness([False, False, False]) == 0.0


def test_answer_relevancy_is_the_mean_cosine_to_the_questions_made_from_the_answer() -> None:
    # cos 0 = 1, cos 60 = 1/2, cos 90 = 0; lengths must not matter: (1 + 0.5 + 0) / 3.
    generated = [[2.0, 0.0], [1.0, math.sqrt(3)], [0.0, 5.0]]
    assert ragas.answer_relevancy([3.0, 0.0], generated) == pytest.approx(0.5)
    assert ragas.answer_relevancy([3.0, 0.0], generated, noncommittal=True) == 0.0
    assert ragas.answer_relevancy([1.0, 0.0], [[-1.0, 0.0]]) == 0.0, "the measure ends at 0"


@pytest.mark.parametrize(
    ("relevant", "value"),
    [
        ([True, True, True, True], 1.0),
        ([True, False, False, True], (1 / 1 + 2 / 4) / 2),
        ([False, True, True, False], (1 / 2 + 2 / 3) / 2),
        ([False, False, False, True], 1 / 4),
    ],
)
def test_context_precision_is_the_mean_precision_at_the_ranks_that_help(
    relevant: list[bool], value: float
) -> None:
    assert ragas.context_precision(relevant) == pytest.approx(value)


def test_context_recall_is_the_share_of_the_ground_truth_that_was_found() -> None:
    # "France is in Western Europe" was found, "its capital is Paris" was not.
    assert ragas.context_recall([True, False]) == 0.5


def test_without_a_denominator_nothing_is_defined() -> None:
    assert ragas.faithfulness([]) is None
    assert ragas.context_recall([]) is None
    assert ragas.context_precision([]) is None
    assert ragas.context_precision([False, False]) is None
    assert ragas.answer_relevancy([1.0], []) is None
    assert ragas.answer_relevancy([0.0], [[1.0]]) is None


def test_four_cells_of_abstaining_and_what_follows_from_them() -> None:
    cases = [
        *[Case(abstained=False, evidence=True)] * 6,
        *[Case(abstained=True, evidence=True)] * 2,
        *[Case(abstained=False, evidence=False)] * 1,
        *[Case(abstained=True, evidence=False)] * 3,
    ]
    found = abstention(cases)
    assert (found.right, found.cautious, found.confident, found.declined) == (6, 2, 1, 3)
    assert found.precision == 3 / 5
    assert found.recall == 3 / 4
    assert found.over_cautious == 2 / 8
    assert found.over_confident == 1 / 4
    assert found.coverage == 7 / 12


def test_unanswerable_question_has_no_evidence_whatever_was_found() -> None:
    found = abstention([Case(False, True, answerable=False), Case(True, None, answerable=False)])
    assert (found.confident, found.declined, found.right) == (1, 1, 0)
    assert found.unanswerable_over_confident == 0.5


def test_unknown_evidence_enters_no_cell_and_is_counted() -> None:
    found = abstention([Case(False, None), Case(True, None, answerable=True), Case(True, True)])
    assert (found.unknown_answered, found.unknown_abstained, found.known) == (1, 1, 1)
    assert found.precision == 0.0 and found.recall is None and found.over_confident is None


def test_nothing_measured_is_undefined_everywhere() -> None:
    none = abstention([])
    assert none == Abstention()
    shares = (none.precision, none.recall, none.over_cautious, none.over_confident, none.coverage)
    assert shares == (None,) * 5
