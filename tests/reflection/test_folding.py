"""A run folded from its log: the same from the live log and from the stored one."""

from selfrag.reflection.events import (
    AnswerDelta,
    RunStarted,
    StepStarted,
    parse_event,
)
from selfrag.reflection.folding import RunView, readable
from selfrag.reflection.grades import RelevanceGrade, Rewrite, Support, UsefulnessGrade
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from tests.reflection.scripted import ScriptedJudge, make_run


def once_unsupported() -> ScriptedJudge:
    return ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY)


def outline(view: RunView) -> list[list[str]]:
    return [[step.node for step in stretch.steps] for stretch in view.stretches]


def test_stored_log_folds_to_the_same_view_as_the_live_one():
    run = make_run(once_unsupported())
    run.result(10)
    live = RunView.of(run.log.snapshot())
    stored = [parse_event(event.model_dump(mode="json")) for event in run.log.kept()]
    again = RunView.of(stored)
    assert outline(again) == outline(live)
    assert again.nodes == live.nodes
    assert again.finished == live.finished
    assert [step.event for step in again.steps] == [step.event for step in live.steps]


def test_retry_opens_a_stretch_of_its_own():
    run = make_run(once_unsupported())
    run.result(10)
    view = RunView.of(run.log.snapshot())
    assert outline(view) == [
        ["retrieval_decision", "retrieve", "relevance_grader", "generator", "support_grader"],
        ["generator", "support_grader", "usefulness_grader"],
    ]
    assert view.stretches[0].because is None
    assert view.stretches[1].because is not None
    assert view.nodes.count("increment_retry") == 1


def test_running_step_is_the_one_that_has_no_event_yet():
    view = RunView.of([started(), StepStarted(node="retrieve")])
    assert view.running is not None and view.running.node == "retrieve"
    assert view.waiting == ()


def test_checks_wait_while_the_answer_is_written():
    view = RunView.of([started(), StepStarted(node="generator")])
    assert view.waiting == ("support_grader", "usefulness_grader")


def test_draft_is_that_of_the_latest_attempt():
    view = RunView.of([AnswerDelta(attempt=1, text="First."), AnswerDelta(attempt=2, text="Sec")])
    view.add(AnswerDelta(attempt=2, text="ond. [Doc 4] [Do"))
    assert view.draft == "Second. [1]"


def test_marks_are_numbered_as_they_appear_and_half_a_mark_is_not_shown():
    assert readable("A [Doc 3] b [Doc 1] c [Doc 3] d [Doc") == "A [1] b [2] c [1] d"


def test_nearest_passages_are_all_that_were_found_best_first():
    judge = ScriptedJudge(
        relevance=lambda n: RelevanceGrade(False, "", probability=n / 10),
        useful=lambda _: UsefulnessGrade(True, 5),
        rewriting=lambda n: Rewrite("other words" if n == 1 else None),
    )
    run = make_run(judge)
    assert run.result(10).status == "abstained"
    view = RunView.of(run.log.snapshot())
    assert [search.query for search in view.searches] == ["What is it?", "other words"]
    assert [hit.chunk_id for hit in view.nearest] == [
        "child-2b",
        "child-2a",
        "child-1b",
        "child-1a",
    ]


def started() -> RunStarted:
    return RunStarted(
        run_id="r",
        question="q",
        strategy="selfrag",
        writer="w",
        judge="j",
        language_model=False,
        max_retries=3,
        mode="full",
    )


def test_strategy_that_checks_nothing_waits_for_no_check():
    run = make_run(ScriptedJudge(), shape=Shape(Strategy.PLAIN, RetrievalPolicy.ALWAYS))
    run.result(10)
    view = RunView()
    for event in run.log.snapshot()[:-1]:
        view.add(event)
        assert view.waiting == ()
    assert [step.node for step in view.steps] == ["retrieve", "generator"]
