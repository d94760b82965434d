"""The graph from question to end: retries that change something, bounds, and honest endings."""

import itertools
import random
import threading

import pytest

from selfrag.errors import ModelError
from selfrag.reflection.events import (
    Generated,
    QueryRewritten,
    RelevanceGraded,
    RetryCounted,
    StepStarted,
    parse_event,
)
from selfrag.reflection.grades import (
    Claim,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
    SupportGrade,
    UsefulnessGrade,
)
from selfrag.reflection.graph import NODES, RETRIES, build_graph, recursion_limit
from selfrag.reflection.strategy import max_llm_calls
from tests.reflection.scripted import ScriptedJudge, ScriptedSearch, ScriptedWriter, make_run

WAIT = 20
NO = UsefulnessGrade(False, 1, missing="the year")
STATUSES = {"answered", "unsupported", "abstained", "failed", "stopped"}


def steps(run) -> list[str]:
    return [event.step for event in run.log.kept()]


def test_graph_has_seven_nodes_and_two_retry_nodes():
    drawn = set(build_graph(3).get_graph().nodes) - {"__start__", "__end__"}
    assert drawn == {*NODES, *RETRIES}
    assert (len(NODES), len(RETRIES)) == (7, 2)


def test_happy_path_emits_each_step_once_and_in_order():
    run = make_run()
    end = run.result(WAIT)
    assert steps(run) == [
        "run_started",
        "retrieval_decision",
        "retrieve",
        "relevance_grader",
        "generator",
        "support_grader",
        "usefulness_grader",
        "run_finished",
    ]
    assert (end.status, end.support, end.useful) == ("answered", Support.FULLY, True)
    assert end.answer == "Answer number 1. [1]"
    assert [(item.number, item.document, item.page) for item in end.citations] == [
        (1, "handbook.pdf", 1)
    ]


def test_every_step_is_announced_before_it_ends_and_time_only_grows():
    run = make_run()
    run.result(WAIT)
    events = run.log.snapshot()
    announced = [event.node for event in events if isinstance(event, StepStarted)]
    assert announced == [step for step in steps(run) if not step.startswith("run_")]
    times = [event.at_s for event in events]
    assert times == sorted(times)


def test_answer_arrives_in_pieces_that_make_up_the_whole():
    run = make_run()
    run.result(WAIT)
    pieces = [event.text for event in run.log.snapshot() if event.step == "answer_delta"]
    assert len(pieces) == 3
    assert "".join(pieces) == "Answer number 1. [Doc 1]"


def test_question_that_needs_no_documents_is_answered_without_a_search():
    search = ScriptedSearch()
    judge = ScriptedJudge(decide=lambda _: RetrievalDecision(False, "a greeting"))
    end = make_run(judge, ScriptedWriter(lambda _: "Hello."), search).result(WAIT)
    assert search.queries == []
    assert end.status == "answered"
    assert end.support is Support.NOT_APPLICABLE


@pytest.mark.parametrize(
    ("useful", "status", "support"),
    [
        (UsefulnessGrade(True, 5), "unsupported", Support.UNKNOWN),
        (UsefulnessGrade(False, 1), "abstained", Support.NOT_APPLICABLE),
        (UsefulnessGrade(None, error="not had"), "abstained", Support.NOT_APPLICABLE),
    ],
)
def test_answer_said_to_decline_and_to_be_useful_is_kept_as_unchecked(useful, status, support):
    judge = ScriptedJudge(
        support=lambda _: Support.NOT_APPLICABLE, useful=lambda _: useful, is_language_model=True
    )
    end = make_run(judge, max_retries=0).result(WAIT)
    assert (end.status, end.support) == (status, support)
    assert ("contradicts itself" in end.reason) is (status == "unsupported")
    assert end.answer.startswith("Answer number 1.") is (status == "unsupported")


def test_second_attempt_is_told_which_claims_were_not_backed():
    writer = ScriptedWriter()
    judge = ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY)
    run = make_run(judge, writer)
    end = run.result(WAIT)
    (_, first), (_, second) = writer.given
    assert first is None
    assert second is not None
    assert second.unsupported == ("Answer number 1. [Doc 1]",)
    assert (end.status, end.retries, end.answer) == ("answered", 1, "Answer number 2. [1]")
    assert any(isinstance(event, RetryCounted) for event in run.log.kept())


@pytest.mark.parametrize("queries", [0, 1, 2])
def test_retry_for_which_no_other_query_was_found_is_not_counted(queries: int):
    judge = ScriptedJudge(
        relevance=lambda _: RelevanceGrade(False, ""),
        rewriting=lambda n: Rewrite(f"query {n}" if n <= queries else None),
    )
    search = ScriptedSearch()
    end = make_run(judge, search=search).result(WAIT)
    assert end.status == "abstained"
    assert end.retries == len(search.queries) - 1 == queries


def test_second_search_uses_a_rewritten_query_and_grades_only_what_is_new():
    judge = ScriptedJudge(useful=lambda n: NO if n == 1 else UsefulnessGrade(True, 5))
    search = ScriptedSearch(lambda n: ["a", "b"] if n == 1 else ["b", "c"])
    run = make_run(judge, search=search)
    end = run.result(WAIT)
    assert search.queries == ["What is it?", "query 1"]
    assert judge.graded == ["parent-a", "parent-b", "parent-c"]
    grades = [event for event in run.log.kept() if isinstance(event, RelevanceGraded)]
    assert [grade.earlier for grade in grades[1].grades] == [True, False]
    assert (end.status, end.retries) == ("answered", 1)


def test_query_that_was_tried_already_is_not_searched_again():
    judge = ScriptedJudge(useful=lambda _: NO, rewriting=lambda _: Rewrite("what is IT"))
    search = ScriptedSearch()
    run = make_run(judge, search=search)
    end = run.result(WAIT)
    assert search.queries == ["What is it?"]
    rewritten = next(event for event in run.log.kept() if isinstance(event, QueryRewritten))
    assert rewritten.query is None
    assert end.status == "abstained"


def test_search_that_brings_nothing_new_leads_to_no_second_answer():
    writer = ScriptedWriter()
    judge = ScriptedJudge(useful=lambda _: NO)
    make_run(judge, writer, ScriptedSearch(lambda _: ["a"])).result(WAIT)
    assert len(writer.given) == 1


def test_nothing_relevant_ends_without_an_answer_and_says_what_was_searched_for():
    writer = ScriptedWriter()
    judge = ScriptedJudge(relevance=lambda _: RelevanceGrade(False, "off topic"))
    end = make_run(judge, writer, max_retries=1).result(WAIT)
    assert writer.given == []
    assert end.status == "abstained"
    assert "What is it?" in end.answer
    assert "query 1" in end.answer


def test_best_attempt_is_delivered_not_the_last():
    labels = iter([Support.NOT, Support.NOT, Support.NOT, Support.NOT])
    useful = iter([UsefulnessGrade(False, 3), UsefulnessGrade(False, 3)])
    judge = ScriptedJudge(support=lambda _: next(labels), useful=lambda _: next(useful, NO))
    writer = ScriptedWriter()
    end = make_run(judge, writer, max_retries=1).result(WAIT)
    assert end.status == "unsupported"
    labels = iter([Support.PARTIALLY, Support.NOT, Support.NOT])
    judge = ScriptedJudge(
        support=lambda _: next(labels), useful=lambda n: UsefulnessGrade(False, 3)
    )
    end = make_run(judge, ScriptedWriter(), max_retries=1).result(WAIT)
    assert (end.answer, end.support) == ("Answer number 1. [1]", Support.PARTIALLY)


def test_answer_that_never_passed_is_not_delivered_as_answered():
    judge = ScriptedJudge(support=lambda _: Support.NOT)
    end = make_run(judge).result(WAIT)
    assert end.status == "unsupported"
    assert end.support is Support.NOT


def test_support_that_could_not_be_graded_does_not_count_as_passed():
    end = make_run(ScriptedJudge(support=lambda _: Support.UNKNOWN)).result(WAIT)
    assert end.status == "unsupported"
    assert "could not be checked" in end.reason


def test_passages_without_a_grade_are_kept_and_come_last():
    grades = iter([RelevanceGrade(None, error="no reply"), RelevanceGrade(True)])
    writer = ScriptedWriter()
    make_run(ScriptedJudge(relevance=lambda _: next(grades)), writer).result(WAIT)
    assert writer.given[0][0] == ("parent-1b", "parent-1a")


def test_citation_of_a_passage_that_is_not_there_is_removed_and_counted():
    end = make_run(writer=ScriptedWriter(lambda _: "So it is. [Doc 9] [Doc 2]")).result(WAIT)
    assert end.removed_citations == 1
    assert end.answer == "So it is. [1]"


@pytest.mark.parametrize("step", ["decide", "relevance", "support", "useful"])
def test_model_that_cannot_be_asked_ends_the_run_as_failed_with_its_sentence(step: str):
    def refuse(_: int):
        raise ModelError("The key was refused: check OPENAI_API_KEY.", fatal=True)

    end = make_run(ScriptedJudge(**{step: refuse})).result(WAIT)
    assert end.status == "failed"
    assert "OPENAI_API_KEY" in end.reason


def test_bug_in_a_step_ends_the_run_and_is_not_shown_as_an_answer(caplog):
    def broken(_: int):
        raise ZeroDivisionError

    end = make_run(ScriptedJudge(support=broken)).result(WAIT)
    assert end.status == "failed"
    assert "ZeroDivisionError" in end.reason
    assert "run " in caplog.text


def test_stop_ends_the_run_at_once_and_keeps_what_was_written():
    go_on = threading.Event()

    class Slow(ScriptedWriter):
        def write(self, question, passages, feedback=None):
            yield "The first words "
            go_on.wait(WAIT)
            yield "and the rest."

    run = make_run(writer=Slow())
    assert any(event.step == "answer_delta" for event in run.follow())
    run.stop()
    end = run.result(1)
    go_on.set()
    assert end.status == "stopped"
    assert end.answer == "The first words"
    assert run.log.snapshot()[-1] is end


def test_log_survives_the_way_through_json():
    run = make_run()
    run.result(WAIT)
    for event in run.log.kept():
        assert parse_event(event.model_dump(mode="json")) == event


def test_json_contract_of_a_run():
    data = make_run().to_json()
    assert set(data) >= {
        "run_id",
        "question",
        "answer",
        "status",
        "support",
        "useful",
        "retries",
        "citations",
        "events",
        "usage",
        "elapsed_s",
    }
    assert set(data["citations"][0]) >= {"number", "document", "page", "quote"}
    assert set(data["usage"]) >= {"llm_calls", "input_tokens", "output_tokens"}
    assert all({"step", "at_s"} <= set(event) for event in data["events"])


@pytest.mark.parametrize("seed", range(60))
def test_any_judge_comes_to_an_end_within_bounds_and_never_repeats_itself(seed: int):
    rng = random.Random(seed)
    calls = itertools.count()

    def maybe(*choices):
        next(calls)
        return rng.choice(choices)

    judge = ScriptedJudge(
        decide=lambda _: RetrievalDecision(maybe(True, True, True, False), ""),
        relevance=lambda _: RelevanceGrade(maybe(True, False, None)),
        support=lambda _: maybe(*Support),
        useful=lambda _: UsefulnessGrade(maybe(True, False, False, None), maybe(1, 3, 5, None)),
        rewriting=lambda n: Rewrite(maybe(f"query {n}", "What is it?", None)),
    )
    writer = ScriptedWriter(lambda n: maybe(f"Answer {n}. [Doc 1]", "The same. [Doc 1]"))
    search = ScriptedSearch(lambda n: maybe([], ["a"], ["a", "b"], [f"{n}c"]))
    retries = rng.randint(0, 4)
    run = make_run(judge, writer, search, max_retries=retries)
    end = run.result(WAIT)
    assert end.status in STATUSES - {"failed", "stopped"}
    asked = sum(judge.asked.values()) + len(writer.given)
    assert asked <= max_llm_calls(retries, 4)
    assert len(search.queries) == len(set(search.queries))
    inputs = [
        (passages, feedback and (feedback.answer, feedback.unsupported))
        for passages, feedback in writer.given
    ]
    assert len(inputs) == len(set(inputs))
    assert all(
        isinstance(event.attempt, int) for event in run.log.kept() if isinstance(event, Generated)
    )


@pytest.mark.parametrize("retries", [0, 1, 3, 10])
def test_judge_that_never_agrees_stays_within_the_recursion_limit(retries: int):
    judge = ScriptedJudge(support=lambda _: Support.NOT, useful=lambda _: NO)
    run = make_run(judge, max_retries=retries)
    assert run.result(WAIT).status in {"unsupported", "abstained"}
    nodes = sum(isinstance(event, StepStarted) for event in run.log.snapshot())
    assert nodes < recursion_limit(retries)


def test_answer_without_marks_cites_what_its_claims_were_found_in():
    class Finding(ScriptedJudge):
        def grade_support(self, question, answer, passages):
            claims = (Claim("It is blue.", Support.FULLY, 2, "passage 1b"),)
            return SupportGrade(Support.FULLY, "", claims)

    end = make_run(Finding(), ScriptedWriter(lambda _: "It is blue.")).result(WAIT)
    assert end.answer == "It is blue [1]."
    assert [(item.number, item.quote) for item in end.citations] == [(1, "passage 1b")]
    end = make_run(Finding(), ScriptedWriter(lambda _: "Blue, as they say.")).result(WAIT)
    assert end.answer == "Blue, as they say. [1]"
