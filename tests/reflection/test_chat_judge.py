"""The chat judge: grades that follow from what was said, and errors that are grades."""

import threading
from typing import Any

import pytest

from selfrag.errors import ModelError
from selfrag.models.chat import make_chat_model
from selfrag.models.usage import Usage, UsageLedger
from selfrag.reflection.chat_judge import ChatJudge, label_of
from selfrag.reflection.grades import Claim, RelevanceGrade, Support
from tests.support.llm_answers import Answer, Request, failure, refusal, structured, text
from tests.support.llm_server import LlmServer
from tests.support.passages import passage

QUESTION = "How long is annual leave?"
LEAVE = passage(1, "Annual leave is 25 days a year. Unused days lapse in March.")
BIKES = passage(2, "Bicycles are parked in the “blue” shed.")
PASSAGES = [LEAVE, BIKES]


def judge_of(server: LlmServer, ledger: UsageLedger | None = None, **options: Any) -> ChatJudge:
    model = make_chat_model(model="scripted", base_url=server.url, max_retries=0)
    return ChatJudge(model, "scripted", ledger or UsageLedger(), **options)


def claim(words: str, document: int, quote: str, support: str) -> dict[str, Any]:
    return {"claim": words, "document": document, "quote": quote, "support": support}


def support(server: LlmServer, *claims: dict[str, Any], declines: bool = False) -> Any:
    server.reply(structured(thought="Checked.", declines=declines, claims=list(claims)))
    return judge_of(server).grade_support(QUESTION, "An answer. [Doc 1]", PASSAGES)


@pytest.mark.parametrize(("answer", "retrieve"), [("yes", True), ("no", False)])
def test_decision_is_what_the_model_decides(
    llm_server: LlmServer, answer: str, retrieve: bool
) -> None:
    llm_server.reply(structured(thought="Because.", answer=answer))
    decision = judge_of(llm_server).decide_retrieval(QUESTION)

    assert (decision.retrieve, decision.thought, decision.error) == (retrieve, "Because.", None)


def test_documents_are_looked_at_where_the_decision_could_not_be_had(
    llm_server: LlmServer,
) -> None:
    llm_server.reply(text("Well..."))
    decision = judge_of(llm_server).decide_retrieval(QUESTION)

    assert decision.retrieve
    assert decision.error is not None


def test_each_document_is_graded_by_itself_and_in_order(llm_server: LlmServer) -> None:
    def grade(request: Request) -> Answer:
        return structured(thought="x", answer="yes" if "25 days" in request.user else "no")

    llm_server.reply(grade)
    grades = judge_of(llm_server).grade_relevance(QUESTION, [BIKES, LEAVE, BIKES])

    assert [grade.relevant for grade in grades] == [False, True, False]
    assert all(request.user.count("<document ") == 1 for request in llm_server.requests)


def test_documents_are_graded_side_by_side_up_to_the_limit(llm_server: LlmServer) -> None:
    together = threading.Barrier(3, timeout=60)

    def grade(request: Request) -> Answer:
        together.wait()
        return structured(thought="x", answer="yes")

    llm_server.reply(grade)
    passages = [passage(number, "Text.") for number in range(1, 7)]
    grades = judge_of(llm_server, max_concurrency=3).grade_relevance(QUESTION, passages)

    assert len(grades) == 6
    assert llm_server.most_at_once == 3


def test_grade_that_could_not_be_had_is_neither_yes_nor_no(llm_server: LlmServer) -> None:
    def grade(request: Request) -> Answer:
        return text("Hm.") if "Bicycles" in request.user else structured(thought="x", answer="no")

    llm_server.reply(grade)
    first, second = judge_of(llm_server).grade_relevance(QUESTION, PASSAGES)

    assert first.relevant is False
    assert second.relevant is None
    assert second.error is not None
    assert "usable form" in second.error


def test_all_documents_in_one_request(llm_server: LlmServer) -> None:
    llm_server.reply(
        structured(
            grades=[
                {"document": 2, "thought": "sheds", "answer": "no"},
                {"document": 1, "thought": "leave", "answer": "yes"},
                {"document": 9, "thought": "made up", "answer": "yes"},
            ]
        )
    )
    judge = judge_of(llm_server, one_request=True)
    grades = judge.grade_relevance(QUESTION, [*PASSAGES, passage(3, "Third.")])

    assert grades[:2] == [RelevanceGrade(True, "leave"), RelevanceGrade(False, "sheds")]
    assert grades[2].relevant is None
    assert grades[2].error == "scripted gave no grade for this document."
    assert len(llm_server.requests) == 1


def test_document_graded_both_ways_has_no_grade(llm_server: LlmServer) -> None:
    grades = [{"document": 1, "thought": "x", "answer": answer} for answer in ("yes", "no")]
    llm_server.reply(structured(grades=[*grades, {"document": 2, "thought": "", "answer": "no"}]))
    first, second = judge_of(llm_server, one_request=True).grade_relevance(QUESTION, PASSAGES)

    assert (first.relevant, second.relevant) == (None, False)


FULL = claim("Leave is 25 days.", 1, "annual leave is 25 days a year", "fully_supported")
PART = claim("Bikes go to the shed.", 2, 'in the "blue" shed', "partially_supported")
NONE = claim("Leave is paid.", 0, "", "not_supported")


@pytest.mark.parametrize(
    ("claims", "label"),
    [
        ([FULL], Support.FULLY),
        ([FULL, FULL], Support.FULLY),
        ([PART], Support.PARTIALLY),
        ([FULL, PART], Support.PARTIALLY),
        ([FULL, NONE], Support.PARTIALLY),
        ([NONE], Support.NOT),
        ([NONE, NONE], Support.NOT),
    ],
)
def test_label_follows_from_the_claims(
    llm_server: LlmServer, claims: list[dict[str, Any]], label: Support
) -> None:
    assert support(llm_server, *claims).label is label


def test_quote_is_given_as_it_stands_in_the_document(llm_server: LlmServer) -> None:
    grade = support(llm_server, FULL, PART)

    assert grade.claims == (
        Claim("Leave is 25 days.", Support.FULLY, 1, "Annual leave is 25 days a year"),
        Claim("Bikes go to the shed.", Support.PARTIALLY, 2, "in the “blue” shed"),
    )


@pytest.mark.parametrize(
    ("document", "quote"),
    [
        (1, "Annual leave is 30 days a year"),  # made up
        (2, "Annual leave is 25 days a year"),  # of another document
        (7, "Annual leave is 25 days a year"),  # of no document
        (0, "Annual leave is 25 days a year"),
        (1, ""),
        (1, "days"),  # says nothing
    ],
)
def test_claim_without_a_true_quote_is_not_supported_whatever_the_judge_says(
    llm_server: LlmServer, document: int, quote: str
) -> None:
    grade = support(llm_server, claim("Leave is long.", document, quote, "fully_supported"))

    assert grade.label is Support.NOT
    assert grade.claims == (Claim("Leave is long.", Support.NOT),)
    assert grade.unsupported == ("Leave is long.",)


def test_answer_that_only_declines_has_nothing_to_support(llm_server: LlmServer) -> None:
    grade = support(llm_server, declines=True)

    assert (grade.label, grade.error) == (Support.NOT_APPLICABLE, None)


def test_no_claims_for_an_answer_that_makes_some_is_no_grade(llm_server: LlmServer) -> None:
    grade = support(llm_server, declines=False)

    assert grade.label is Support.UNKNOWN
    assert grade.error is not None
    assert len(llm_server.requests) == 2, "the model was told and asked once more"


def test_support_without_passages_is_not_asked_for(llm_server: LlmServer) -> None:
    grade = judge_of(llm_server).grade_support("Hi", "Hello!", [])

    assert grade.label is Support.NOT_APPLICABLE
    assert llm_server.requests == []


@pytest.mark.parametrize(
    ("score", "useful_from", "useful"), [(5, 4, True), (4, 4, True), (3, 4, False), (3, 3, True)]
)
def test_useful_from_the_threshold(
    llm_server: LlmServer, score: int, useful_from: int, useful: bool
) -> None:
    llm_server.reply(structured(thought="x", score=score, missing="the  carry-over\nrule"))
    judge = judge_of(llm_server, useful_from=useful_from)
    grade = judge.grade_usefulness(QUESTION, "An answer.", PASSAGES)

    assert (grade.useful, grade.score, grade.missing) == (useful, score, "the carry-over rule")


@pytest.mark.parametrize("score", [0, 6, "high", None])
def test_score_off_the_scale_is_no_grade(llm_server: LlmServer, score: Any) -> None:
    llm_server.reply(structured(thought="x", score=score, missing=""))
    grade = judge_of(llm_server).grade_usefulness(QUESTION, "An answer.", PASSAGES)

    assert (grade.useful, grade.score) == (None, None)
    assert grade.error is not None


def test_rewrite_is_told_what_was_tried_and_what_is_missing(llm_server: LlmServer) -> None:
    llm_server.reply(structured(thought="Official term.", query='"vacation entitlement"'))
    rewrite = judge_of(llm_server).rewrite(QUESTION, [QUESTION, "leave days"], "carry-over", [])

    assert rewrite.query == "vacation entitlement"
    asked = llm_server.requests[0].user
    assert "- leave days" in asked
    assert "<missing>carry-over</missing>" in asked


@pytest.mark.parametrize("query", ["", "  ", "Leave  days?", "how long is annual leave"])
def test_rewrite_that_repeats_a_query_is_none(llm_server: LlmServer, query: str) -> None:
    llm_server.reply(structured(thought="x", query=query))
    rewrite = judge_of(llm_server).rewrite(QUESTION, ["leave days"], "", PASSAGES)

    assert (rewrite.query, rewrite.error) == (None, None)


def every_grade(judge: ChatJudge) -> list[str | None]:
    """The error of every kind of grade."""
    return [
        judge.decide_retrieval(QUESTION).error,
        *[grade.error for grade in judge.grade_relevance(QUESTION, PASSAGES)],
        judge.grade_support(QUESTION, "An answer.", PASSAGES).error,
        judge.grade_usefulness(QUESTION, "An answer.", PASSAGES).error,
        judge.rewrite(QUESTION, [QUESTION], "", PASSAGES).error,
    ]


@pytest.mark.parametrize(
    "answer",
    [
        text("No idea."),
        text(""),
        text("{}"),
        refusal(),
    ],
)
@pytest.mark.parametrize("one_request", [False, True])
def test_no_method_raises_for_what_a_model_says(
    llm_server: LlmServer, answer: Answer, one_request: bool
) -> None:
    llm_server.reply(answer)

    assert all(every_grade(judge_of(llm_server, one_request=one_request)))


@pytest.mark.parametrize(
    "answer",
    [
        failure(401, "wrong key"),
        failure(500, "boom"),
        failure(429, "slow", retry_after="86400"),
    ],
)
def test_endpoint_that_is_of_no_use_ends_every_method(
    llm_server: LlmServer, answer: Answer
) -> None:
    llm_server.reply(answer)
    judge = judge_of(llm_server)
    for grade in (
        lambda: judge.decide_retrieval(QUESTION),
        lambda: judge.grade_relevance(QUESTION, PASSAGES),
        lambda: judge.grade_support(QUESTION, "An answer.", PASSAGES),
        lambda: judge.grade_usefulness(QUESTION, "An answer.", PASSAGES),
        lambda: judge.rewrite(QUESTION, [], "", PASSAGES),
    ):
        with pytest.raises(ModelError) as caught:
            grade()
        assert caught.value.fatal


def test_usage_is_counted_by_step_and_by_run(llm_server: LlmServer) -> None:
    ledger, other = UsageLedger(), UsageLedger()
    judge_of(llm_server, other).decide_retrieval(QUESTION)
    every_grade(judge_of(llm_server, ledger))

    calls = {step: usage.llm_calls for step, usage in ledger.by_step().items()}
    assert calls == {
        "retrieval_decision": 1,
        "relevance": 2,
        "support": 1,
        "usefulness": 1,
        "rewrite": 1,
    }
    assert not ledger.total().estimated
    assert ledger.by_step()["retrieval_decision"] == other.total()
    assert list(ledger.by_model()) == ["scripted"]


def test_usage_is_estimated_and_marked_where_the_endpoint_gives_none(
    llm_server: LlmServer,
) -> None:
    llm_server.reply(structured(usage=False, thought="x", answer="yes"))
    ledger = UsageLedger()
    judge_of(llm_server, ledger).decide_retrieval(QUESTION)

    sent = llm_server.requests[0]
    expected = -(-len(f"{sent.system}\n{sent.user}") // 4)
    assert ledger.total() == Usage(1, expected, 9, estimated=True)


def test_repair_is_counted(llm_server: LlmServer) -> None:
    llm_server.in_turn(text("Hm."), structured(thought="x", answer="no"))
    ledger = UsageLedger()
    judge_of(llm_server, ledger).decide_retrieval(QUESTION)

    assert ledger.by_step()["retrieval_decision"].llm_calls == 2


class _BudgetSpent(Exception):
    pass


def test_guard_ends_the_run_before_the_next_call(llm_server: LlmServer) -> None:
    def guard(used: Usage) -> None:
        if used.llm_calls >= 1:
            raise _BudgetSpent

    judge = judge_of(llm_server, UsageLedger(guard))
    judge.decide_retrieval(QUESTION)
    with pytest.raises(_BudgetSpent):
        judge.grade_relevance(QUESTION, PASSAGES)
    assert len(llm_server.requests) == 1


def test_label_of_no_claims_is_not_applicable() -> None:
    assert label_of(()) is Support.NOT_APPLICABLE
