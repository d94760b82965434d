"""Every branch of every router."""

import pytest

from selfrag.reflection import routes
from selfrag.reflection.grades import (
    Claim,
    RetrievalDecision,
    Support,
    SupportGrade,
    UsefulnessGrade,
)
from selfrag.reflection.state import Attempt, State

LOOK = RetrievalDecision(True, "")
DONT = RetrievalDecision(False, "")


def attempt(
    number: int = 1,
    answer: str = "An answer.",
    support: Support | None = None,
    useful: bool | None = None,
) -> Attempt:
    claims = (Claim(answer, support),) if support else ()
    return Attempt(
        number,
        answer,
        (),
        SupportGrade(support, claims=claims) if support else None,
        UsefulnessGrade(useful, 5 if useful else 1),
    )


def test_decision_to_retrieve_goes_to_retrieve_and_else_to_generator():
    assert routes.after_retrieval_decision({"decision": LOOK}) == "retrieve"
    assert routes.after_retrieval_decision({"decision": DONT}) == "generator"


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"relevant": ["a"]}, "generator"),
        ({"relevant": ["a"], "written_from": [("b",)]}, "generator"),
        ({"relevant": []}, "increment_retry_for_retrieval"),
        ({"relevant": [], "retrieval_retries": 3}, "__end__"),
        ({"relevant": [], "dead_end": "no other query"}, "__end__"),
        # The same passages again would give the same answer again.
        ({"relevant": ["a"], "written_from": [("a",)]}, "increment_retry_for_retrieval"),
        ({"relevant": ["a"], "written_from": [("a",)], "retrieval_retries": 3}, "__end__"),
    ],
)
def test_after_relevance_grader(state: State, expected: str):
    assert routes.after_relevance_grader(state, 3) == expected


@pytest.mark.parametrize("label", [Support.FULLY, Support.PARTIALLY, Support.NOT_APPLICABLE])
def test_backed_answer_goes_on_to_usefulness(label: Support):
    state: State = {"attempts": [attempt(support=label)]}
    assert routes.after_support_grader(state, 3) == "usefulness_grader"


def test_answer_without_backing_is_written_again_while_retries_are_left():
    state: State = {"attempts": [attempt(support=Support.NOT)], "retries": 2}
    assert routes.after_support_grader(state, 3) == "increment_retry"
    state["retries"] = 3
    assert routes.after_support_grader(state, 3) == "usefulness_grader"


def test_grade_that_could_not_be_had_is_no_reason_to_write_again():
    state: State = {"attempts": [attempt(support=Support.UNKNOWN)]}
    assert routes.after_support_grader(state, 3) == "usefulness_grader"


def test_attempt_that_only_repeats_an_earlier_one_is_not_made_again():
    state: State = {
        "attempts": [attempt(1, support=Support.NOT), attempt(2, support=Support.NOT)],
        "retries": 1,
    }
    assert routes.after_support_grader(state, 3) == "usefulness_grader"


@pytest.mark.parametrize(
    ("useful", "extra", "expected"),
    [
        (True, {}, "__end__"),
        (None, {}, "__end__"),
        (False, {}, "increment_retry_for_retrieval"),
        (False, {"retrieval_retries": 3}, "__end__"),
        (False, {"dead_end": "no other query"}, "__end__"),
        (False, {"decision": DONT}, "__end__"),
    ],
)
def test_after_usefulness_grader(useful: bool | None, extra: State, expected: str):
    state: State = {"decision": LOOK, "attempts": [attempt(useful=useful)]}
    state.update(extra)
    assert routes.after_usefulness_grader(state, 3) == expected


def test_no_retries_allowed_means_none_are_made():
    unsupported: State = {"attempts": [attempt(support=Support.NOT)]}
    assert routes.after_support_grader(unsupported, 0) == "usefulness_grader"
    useless: State = {"decision": LOOK, "attempts": [attempt(useful=False)]}
    assert routes.after_usefulness_grader(useless, 0) == "__end__"
    assert routes.after_relevance_grader({"relevant": []}, 0) == "__end__"


def test_rewritten_query_is_searched_and_none_ends_the_run():
    assert routes.after_query_rewriter({"query": "other words"}) == "retrieve"
    assert routes.after_query_rewriter({"query": None}) == "__end__"
