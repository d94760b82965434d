"""How was this answered: the sentences say what the log says, and nothing else."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from selfrag.reflection.account import how_answered
from selfrag.reflection.events import RunFinished, parse_event
from selfrag.reflection.explain import PURPOSE, meaning
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import (
    Critique,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
)
from selfrag.reflection.story import tell
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.retrieval.result import Mode, Retrieval
from tests.reflection.scripted import ScriptedJudge, ScriptedWriter, hit, make_run


def account(
    judge: ScriptedJudge | None = None, writer: ScriptedWriter | None = None, **more
) -> str:
    run = make_run(judge, writer, **more)
    run.result(20)
    return how_answered(RunView.of(run.log.kept()))


def test_one_search_quoted_and_backed():
    assert account() == (
        "Your documents were searched once, which brought 2 passages in 1 document. "
        "The answer quotes sentences from 2 passages; no language model was used. "
        "Its one claim was checked and found backed."
    )


def test_what_was_put_aside_is_counted():
    judge = ScriptedJudge(relevance=lambda n: RelevanceGrade(n == 1, ""))
    assert "2 passages in 1 document; 1 of them was put aside as not to the point." in account(
        judge
    )


def test_answer_written_again_says_why_and_by_whom():
    judge = ScriptedJudge(
        support=lambda n: Support.NOT if n == 1 else Support.FULLY,
        is_language_model=True,
        name="gpt-judge",
    )
    told = account(judge, ScriptedWriter(is_language_model=True, name="gpt-writer"))
    assert (
        "gpt-writer wrote the answer from 2 passages, and again because some claim had no" in told
    )
    assert "Its one claim was checked by gpt-judge and found backed." in told


def test_nothing_relevant_is_no_answer():
    judge = ScriptedJudge(
        relevance=lambda _: RelevanceGrade(False, ""),
        rewriting=lambda n: Rewrite("other words" if n == 1 else None),
    )
    told = account(judge)
    assert "searched twice, each time in other words, which brought 4 passages" in told
    assert "none of them helps with the question" in told
    assert told.endswith("So no answer is given, rather than a guess.")


def test_passage_that_another_search_finds_by_another_chunk_is_one_passage():
    searches = iter(["first", "second"])

    def search(query: str) -> Retrieval:
        found = replace(hit("a"), chunk_id=f"child-of-{next(searches)}")
        return Retrieval(query=query, mode=Mode.FULL, hits=(found,), stages=(), seconds=0.0)

    judge = ScriptedJudge(
        relevance=lambda _: RelevanceGrade(False, ""),
        rewriting=lambda n: Rewrite("other words" if n == 1 else None),
    )
    told = account(judge, search=search)
    assert "which brought 1 passage in 1 document; it does not help." in told


def test_no_search_no_backing():
    judge = ScriptedJudge(decide=lambda _: RetrievalDecision(False, "a greeting"))
    told = account(judge, ScriptedWriter(is_language_model=True, name="gpt"))
    assert told.startswith("Your documents were not searched. gpt wrote the answer without your")


def test_strategy_that_checks_nothing_says_so():
    told = account(shape=Shape(Strategy.PLAIN, RetrievalPolicy.ALWAYS))
    assert told.endswith("Its claims were not checked one by one.")


@pytest.mark.parametrize("status", ["stopped", "failed"])
def test_run_that_broke_off_says_so(status: str):
    run = make_run()
    end = run.result(20).model_copy(update={"status": status})
    told = how_answered(RunView.of([*run.log.kept()[:-1], end]))
    assert "checked and found" not in told
    assert told.endswith({"stopped": "checked.", "failed": "ended."}[status])


def test_run_that_was_cut_off_with_the_application_denies_no_step():
    run = make_run()
    cut_off = {"status": "stopped", "answer": "", "stopped_by": "cut_off"}
    end = run.result(20).model_copy(update=cut_off)
    told = how_answered(RunView.of([run.log.kept()[0], end]))
    assert told == "It was stopped; none of its steps is kept."


def test_run_whose_time_was_over_at_once_was_stopped_before_anything():
    run = make_run()
    over = {"status": "stopped", "answer": "", "reason": "no time", "stopped_by": "budget"}
    end = run.result(20).model_copy(update=over)
    told = how_answered(RunView.of([run.log.kept()[0], end]))
    assert told == "It was stopped before anything was written."


@pytest.mark.parametrize(
    ("reason", "by"),
    [
        ("stopped before anything was written", "asked"),
        ("its budget of 3 calls (BUDGET_CALLS) is spent", "budget"),
        ("the application was ended before the answer was finished", "cut_off"),
    ],
)
def test_stored_logs_of_earlier_versions_tell_what_stopped_a_run(reason: str, by: str):
    kept = make_run().result(20).model_dump(mode="json") | {"status": "stopped", "reason": reason}
    del kept["stopped_by"]
    end = parse_event(kept)
    assert isinstance(end, RunFinished)
    assert end.stopped_by == by
    assert parse_event(kept | {"status": "answered"}).stopped_by is None


def test_answer_that_quotes_denies_no_model_that_judged():
    told = account(ScriptedJudge(is_language_model=True))
    assert "quotes sentences from 2 passages; no language model wrote it." in told


def test_run_under_way_has_no_account_yet():
    run = make_run()
    run.result(20)
    assert how_answered(RunView.of(run.log.kept()[:-1])) == ""


JUDGES: list[Callable[[], ScriptedJudge]] = [
    ScriptedJudge,
    lambda: ScriptedJudge(decide=lambda _: RetrievalDecision(False, "")),
    lambda: ScriptedJudge(relevance=lambda _: RelevanceGrade(False, "")),
    lambda: ScriptedJudge(relevance=lambda _: RelevanceGrade(None, "", error="no reply")),
    lambda: ScriptedJudge(support=lambda _: Support.NOT),
    lambda: ScriptedJudge(support=lambda _: Support.UNKNOWN),
    lambda: ScriptedJudge(criticise=lambda _: Critique(False, "too long")),
]
SHAPES = [
    Shape(),
    Shape(claim=True),
    Shape(Strategy.CRITIQUE, RetrievalPolicy.ALWAYS),
    Shape(Strategy.PLAIN, RetrievalPolicy.NEVER),
]


@pytest.mark.parametrize("make", JUDGES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_step_of_every_kind_of_run_is_explained(make, shape: Shape):
    run = make_run(make(), shape=shape)
    run.result(20)
    for event in run.log.kept():
        if tell(event) is not None:
            assert event.step in PURPOSE
            assert meaning(event).endswith(".")
