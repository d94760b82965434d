"""Strategies, claims and follow-up questions: which steps there are, and how they end."""

import itertools
import random

import pytest

from selfrag.errors import ModelError
from selfrag.reflection.budget import Budget
from selfrag.reflection.events import (
    ClaimVerdict,
    Generated,
    QuestionRewritten,
    SelfCritiqued,
    parse_event,
)
from selfrag.reflection.grades import (
    Critique,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
    UsefulnessGrade,
    Verdict,
    VerdictGrade,
)
from selfrag.reflection.graph import build_graph
from selfrag.reflection.roles import Turn
from selfrag.reflection.story import tell, verdict
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy, max_llm_calls
from tests.reflection.scripted import ScriptedJudge, ScriptedSearch, ScriptedWriter, make_run

WAIT = 20
ALWAYS, NEVER, ADAPTIVE = RetrievalPolicy.ALWAYS, RetrievalPolicy.NEVER, RetrievalPolicy.ADAPTIVE
PLAIN = Shape(Strategy.PLAIN, ALWAYS)
CRITIQUE = Shape(Strategy.CRITIQUE, ALWAYS)
CLAIM = Shape(claim=True)
FOLLOW_UP = Shape(follow_up=True)
HISTORY = (Turn("How long is leave?", "25 days."),)
SHAPES = [
    Shape(strategy, retrieval, follow_up, claim)
    for strategy, retrieval, follow_up, claim in itertools.product(
        Strategy, RetrievalPolicy, (False, True), (False, True)
    )
]
FAILED = Critique(False, "It leaves out the year.")


def steps(run) -> list[str]:
    run.result(WAIT)
    return [event.step for event in run.log.kept()][1:-1]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (PLAIN, ["retrieve", "generator"]),
        (Shape(Strategy.PLAIN, NEVER), ["generator"]),
        (Shape(Strategy.PLAIN, ADAPTIVE), ["retrieval_decision", "retrieve", "generator"]),
        (CRITIQUE, ["retrieve", "generator", "self_critique"]),
        (Shape(Strategy.CRITIQUE, NEVER), ["generator", "self_critique"]),
        (
            Shape(Strategy.SELFRAG, ALWAYS),
            ["retrieve", "relevance_grader", "generator", "support_grader", "usefulness_grader"],
        ),
        (
            Shape(Strategy.SELFRAG, NEVER),
            ["generator", "support_grader", "usefulness_grader"],
        ),
    ],
)
def test_strategy_and_retrieval_decide_which_steps_there_are(shape: Shape, expected: list[str]):
    run = make_run(shape=shape)
    assert steps(run) == expected
    drawn = set(build_graph(3, shape).get_graph().nodes)
    assert set(expected) <= drawn, "drawn from the compiled graph"
    assert ("retrieval_decision" in drawn) == shape.decides
    assert all(parse_event(event.model_dump(mode="json")) == event for event in run.log.kept())


def test_plain_answer_is_delivered_as_not_checked():
    end = make_run(shape=PLAIN).result(WAIT)
    assert (end.status, end.support, end.useful) == ("answered", Support.UNKNOWN, None)
    assert verdict(end).title == "Answered, not checked"
    assert end.citations[0].document == "handbook.pdf"


def test_plain_does_not_answer_from_memory_where_nothing_was_found():
    writer = ScriptedWriter()
    end = make_run(writer=writer, search=ScriptedSearch(lambda _: []), shape=PLAIN).result(WAIT)
    assert writer.given == []
    assert end.status == "abstained"


def test_critique_that_fails_leads_to_one_refinement_and_never_more():
    writer = ScriptedWriter()
    judge = ScriptedJudge(criticise=lambda _: FAILED)
    run = make_run(judge, writer, shape=CRITIQUE, max_retries=3)
    assert steps(run) == [
        *["retrieve", "generator", "self_critique", "increment_retry", "generator"]
    ]
    end = run.result(WAIT)
    assert judge.asked["critique"] == 1
    assert (end.answer, end.retries) == ("Answer number 2. [1]", 1)
    (_, first), (_, second) = writer.given
    assert first is None
    assert second is not None
    assert second.critique == "It leaves out the year."
    assert "not checked after that" in end.reason


def test_critique_that_was_not_mended_makes_the_answer_unsupported():
    judge = ScriptedJudge(criticise=lambda _: FAILED)
    shape = Shape(Strategy.CRITIQUE, ALWAYS, refines=False)
    end = make_run(judge, shape=shape).result(WAIT)
    assert (end.status, end.reason) == ("unsupported", "It leaves out the year.")


def test_critique_that_could_not_be_had_does_not_count_as_passed():
    judge = ScriptedJudge(criticise=lambda _: Critique(None, error="no reply"))
    run = make_run(judge, shape=CRITIQUE)
    end = run.result(WAIT)
    assert "could not be had: no reply" in end.reason
    (event,) = [event for event in run.log.kept() if isinstance(event, SelfCritiqued)]
    assert tell(event) == "The answer could not be looked at once more"


@pytest.mark.parametrize("found", list(Verdict))
def test_statement_ends_with_its_verdict_and_the_sentences_for_and_against(found: Verdict):
    from selfrag.reflection.grades import Evidence

    evidence = (Evidence(1, "It is so."), Evidence(2, "It is not.", against=True))
    judge = ScriptedJudge(weigh=lambda _: VerdictGrade(found, "why", evidence, 0.8))
    run = make_run(judge, shape=CLAIM)
    assert steps(run)[-1] == "claim_verdict"
    end = run.result(WAIT)
    assert end.verdict is found
    assert [(item.quote, item.against) for item in end.evidence] == [
        ("It is so.", False),
        ("It is not.", True),
    ]
    event = next(event for event in run.log.kept() if isinstance(event, ClaimVerdict))
    assert "1 sentence for, 1 sentence against" in str(tell(event))
    data = run.to_json()
    assert data["verdict"] == found.value
    assert data["evidence"][1]["against"] is True


def test_statement_that_nothing_speaks_of_has_not_enough_evidence_and_asks_no_judge():
    judge = ScriptedJudge(relevance=lambda _: RelevanceGrade(False))
    end = make_run(judge, shape=CLAIM, max_retries=0).result(WAIT)
    assert (end.status, end.verdict) == ("abstained", Verdict.NOT_ENOUGH)
    assert "claim" not in judge.asked


def test_statement_that_needs_no_documents_gets_no_verdict():
    judge = ScriptedJudge(decide=lambda _: RetrievalDecision(False, "thanks"))
    run = make_run(judge, shape=CLAIM)
    assert "claim_verdict" not in steps(run)
    assert run.result(WAIT).verdict is None


def test_verdict_that_could_not_be_had_is_none_and_not_a_no():
    judge = ScriptedJudge(weigh=lambda _: VerdictGrade(None, error="no reply"))
    run = make_run(judge, shape=CLAIM)
    assert run.result(WAIT).verdict is None
    assert any(event.error == "no reply" for event in run.log.kept())


def test_follow_up_is_made_self_contained_before_anything_else_and_the_original_is_kept():
    search = ScriptedSearch()
    run = make_run(search=search, shape=FOLLOW_UP, history=HISTORY, question="And theirs?")
    assert steps(run)[0] == "question_rewritten"
    event = next(event for event in run.log.kept() if isinstance(event, QuestionRewritten))
    assert (event.original, event.question) == ("And theirs?", "And theirs? (of the law)")
    assert event.changed
    assert event.turns == 1
    assert search.queries == ["And theirs? (of the law)"]
    assert run.to_json()["question"] == "And theirs?"


def test_follow_up_that_could_not_be_completed_is_taken_as_it_stands():
    search = ScriptedSearch()
    judge = ScriptedJudge(completing=lambda _: Rewrite(None, error="no reply"))
    run = make_run(judge, search=search, shape=FOLLOW_UP, history=HISTORY)
    assert run.result(WAIT).status == "answered"
    assert search.queries == ["What is it?"]


def _random_judge(rng: random.Random) -> ScriptedJudge:
    """Any grade at any time, among them none at all; and an endpoint that fails for good."""

    def maybe(*choices):
        choice = rng.choice(choices)
        if rng.random() < 0.01:
            raise ModelError("The key was refused: check OPENAI_API_KEY.", fatal=True)
        return choice

    return ScriptedJudge(
        decide=lambda _: RetrievalDecision(maybe(True, True, False), ""),
        relevance=lambda _: RelevanceGrade(maybe(True, False, None)),
        support=lambda _: maybe(*Support),
        useful=lambda _: UsefulnessGrade(maybe(True, False, False, None), maybe(1, 3, 5, None)),
        rewriting=lambda n: Rewrite(maybe(f"query {n}", "What is it?", None)),
        criticise=lambda _: Critique(maybe(True, False, None), "why"),
        weigh=lambda _: VerdictGrade(maybe(*Verdict, None)),
        completing=lambda question: Rewrite(maybe(f"{question} of it", None)),
        is_language_model=rng.random() < 0.5,
    )


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s.strategy}-{s.retrieval}")
def test_every_strategy_ends_within_its_bound_and_repeats_nothing(shape: Shape):
    for seed in range(4):
        rng = random.Random(f"{shape}{seed}")
        judge = _random_judge(rng)
        writer = ScriptedWriter(lambda n, rng=rng: rng.choice([f"Answer {n}. [Doc 1]", "Same."]))
        search = ScriptedSearch(lambda n, rng=rng: rng.choice([[], ["a"], ["a", f"{n}c"]]))
        retries = rng.randint(0, 3)
        run = make_run(judge, writer, search, max_retries=retries, shape=shape, history=HISTORY)
        end = run.result(WAIT)
        assert end.status in {"answered", "unsupported", "abstained", "failed"}
        asked = sum(judge.asked.values()) + len(writer.given)
        assert asked <= max_llm_calls(retries, 4, shape)
        inputs = [(p, f and (f.answer, f.unsupported, f.critique)) for p, f in writer.given]
        assert len(inputs) == len(set(inputs))
        assert shape.searches or not search.queries


def test_bound_is_stated_when_the_run_begins_and_is_nothing_without_a_language_model():
    started = make_run(shape=CRITIQUE).log.snapshot()[0]
    assert started.max_llm_calls == 0
    assert max_llm_calls(3, 4, PLAIN) == 1
    assert max_llm_calls(3, 4, CRITIQUE) == 2 * 1 + 2
    assert max_llm_calls(0, 4) == 2 * (1 + 4 + 2) + 1


def test_seconds_are_a_budget_that_ends_even_a_step_that_says_nothing():
    import threading

    free = threading.Event()
    judge = ScriptedJudge(support=lambda _: free.wait(WAIT) and Support.FULLY)
    run = make_run(judge, budget=Budget(seconds=0.2))
    end = run.result(3)
    free.set()
    assert end.status == "stopped"
    assert "0.2 seconds (BUDGET_SECONDS)" in end.reason
    assert end.answer == "Answer number 1. [Doc 1]"
    assert run.log.snapshot()[0].budget == {"seconds": 0.2}


def test_attempts_are_told_apart_in_the_log():
    run = make_run(ScriptedJudge(criticise=lambda _: FAILED), shape=CRITIQUE)
    run.result(WAIT)
    written = [event for event in run.log.kept() if isinstance(event, Generated)]
    assert [event.mended for event in written] == [[], ["It leaves out the year."]]
