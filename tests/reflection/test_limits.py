"""Bounds against a real endpoint: calls, tokens, money, and a stop that is a stop."""

import itertools
import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from selfrag.models.prices import Price, cost
from selfrag.models.usage import Usage, UsageLedger
from selfrag.reflection.budget import Budget
from selfrag.reflection.casting import Casting, prices_at
from selfrag.reflection.roles import Turn
from selfrag.reflection.run import Run, RunPlan
from selfrag.reflection.state import Stopped
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.reflection.scripted import ScriptedSearch
from tests.support import llm_server as llm_server_module
from tests.support import llm_wire
from tests.support.llm_answers import (
    Answer,
    Request,
    drip,
    failure,
    hang,
    happy_path,
    structured,
    text,
)
from tests.support.llm_server import LlmServer

WAIT = 20
HISTORY = (Turn("How long is leave?", "25 days."),)
SHAPES = [
    Shape(Strategy.SELFRAG, RetrievalPolicy.ADAPTIVE, True, True),
    Shape(Strategy.SELFRAG, RetrievalPolicy.NEVER),
    Shape(Strategy.CRITIQUE, RetrievalPolicy.ADAPTIVE),
    Shape(Strategy.PLAIN, RetrievalPolicy.ALWAYS, True),
]


def run_on(
    server: LlmServer,
    shape: Shape = Shape(),  # noqa: B008
    *,
    question: str = "What is the text of passage 1a?",
    budget: Budget = Budget(),  # noqa: B008
    max_retries: int = 2,
    start: bool = True,
    **settings: Any,
) -> Run:
    """A run whose writer and judge are cast as the service casts them."""
    values = {"llm_base_url": server.url, "chat_model": "scripted", **settings}
    casting = Casting(Settings(_env_file=None, **{**plain_settings(), **values}), lambda: None)
    cancel = threading.Event()

    def guard(used: Usage) -> None:
        if cancel.is_set():
            raise Stopped
        budget.check(used)

    cast = casting.cast(guard)
    plan = RunPlan(
        writer=cast.writer,
        judge=cast.judge,
        search=ScriptedSearch(),
        locate=lambda found, _: (found.page, None),
        usage=cast.ledger.total,
        mode="full",
        max_retries=max_retries,
        keep=4,
        shape=shape,
        history=HISTORY,
        cancel=cancel,
        budget=budget,
    )
    run = Run(question, plan)
    return run.start() if start else run


def never_satisfied(request: Request) -> Answer:
    """Every grade is the one that leads to another attempt."""
    match request.schema:
        case "SupportByClaim":
            claim = {"claim": "x", "document": 0, "quote": "", "support": "not_supported"}
            return structured(thought="", declines=False, claims=[claim])
        case "Usefulness":
            return structured(thought="", score=1, missing="all")
        case "CritiqueOfAnswer":
            return structured(thought="It is wrong.", answer="no")
        case "NewQuery":
            return structured(thought="", query=f"query {time.perf_counter()}")
    return happy_path(request)


def malformed_and_never_satisfied() -> Any:
    """Every second reply is prose, so that every grade takes its repair."""
    turns = itertools.count()

    def answer(request: Request) -> Answer:
        if request.stream:
            return text(f"Attempt {next(turns)} [Doc 1].")
        repair = len(request.body.get("messages", [])) > 2
        return never_satisfied(request) if repair else text("Well, {it} depends.")

    return answer


@pytest.mark.parametrize("decisions", [False, True], ids=["chat", "decisions"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.strategy.value)
@pytest.mark.parametrize("script", ["never", "malformed", "failing", "refusing forms"])
def test_no_endpoint_makes_a_run_call_more_often_than_it_says(
    llm_server: LlmServer, shape: Shape, script: str, decisions: bool
) -> None:
    if script == "failing":
        llm_server.reply(failure(503, "overloaded", x_should_retry="false"))
    elif script == "malformed":
        llm_server.reply(malformed_and_never_satisfied())
    else:
        llm_server.reply(never_satisfied)
    if script == "refusing forms":
        llm_server.refused_forms = {"json_schema", "function_calling"}
    llm_server.decide = lambda _: 0.1
    judge = {"judge": "decisions", "judge_model": "d"} if decisions else {}
    run = run_on(llm_server, shape, **judge)
    end = run.result(WAIT)
    assert end.status in {"answered", "unsupported", "abstained", "failed"}
    assert end.usage is not None
    asked = [
        request for request in llm_server.requests if request.form not in llm_server.refused_forms
    ]
    bound = run.log.snapshot()[0].max_llm_calls
    assert end.usage.llm_calls <= bound
    assert len(asked) <= bound


ODD = [
    (1.5, 2.5),
    (float("nan"), 3),
    ("many", 3),
    (-5, 3),
    (10**30, 3),
    (True, 3),
    ([], {}),
    (3, None),
]


@pytest.mark.parametrize("counts", ODD, ids=str)
def test_run_ends_whatever_an_endpoint_counts(
    llm_server: LlmServer, monkeypatch: pytest.MonkeyPatch, counts: tuple[Any, Any]
) -> None:
    told = {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": 3}
    for module in (llm_wire, llm_server_module):
        monkeypatch.setattr(module, "usage_of", lambda *_: told)
    llm_server.reply(happy_path)
    end = run_on(llm_server, budget=Budget(seconds=1e12)).result(WAIT)
    assert end.status == "answered", end.reason
    assert end.usage is not None
    assert 0 < end.usage.input_tokens + end.usage.output_tokens < 1_000_000


@pytest.mark.parametrize(
    ("read", "written"), [(1.5, 2), ("many", 3), (-5, 3), (3, -5), (10**30, 3), (None, 3), (0, 0)]
)
def test_count_that_is_none_is_estimated(read: Any, written: Any) -> None:
    ledger = UsageLedger()
    with ledger.call("s", "m", [HumanMessage("Four words are here.")]) as call:
        call.answered("Two words.", {"input_tokens": read, "output_tokens": written})  # type: ignore[typeddict-item]
    used = ledger.total()
    assert used.estimated
    assert 0 < used.tokens < 20


def test_run_ends_even_where_what_it_took_cannot_be_told(llm_server: LlmServer) -> None:
    llm_server.reply(happy_path)
    run = run_on(llm_server, start=False)

    def broken() -> Usage:
        raise ValueError("no number")

    run._plan = replace(run._plan, usage=broken)
    end = run.start().result(WAIT)
    assert run.log.closed
    assert end.status == "failed"  # its steps could not be told either
    run.stop()


@pytest.mark.parametrize("calls", [1, 3, 5])
def test_budget_of_calls_is_never_passed_even_side_by_side(
    llm_server: LlmServer, calls: int
) -> None:
    llm_server.delay = 0.05
    run = run_on(llm_server, budget=Budget(calls=calls))
    end = run.result(WAIT)
    assert end.status == "stopped"
    assert f"budget of {calls} call" in end.reason
    assert "BUDGET_CALLS" in end.reason
    time.sleep(0.1)
    assert len(llm_server.requests) <= calls


def test_budget_of_tokens_ends_the_run_with_what_it_has(llm_server: LlmServer) -> None:
    def answer(request: Request) -> Answer:
        return (
            text("The text of passage 1a. " * 3 + "[Doc 1]")
            if request.stream
            else happy_path(request)
        )

    llm_server.reply(answer)
    free = run_on(llm_server).result(WAIT)
    assert free.usage is not None
    grades_and_answer = sum(
        event.usage.input_tokens + event.usage.output_tokens
        for event in run_on(llm_server).log.follow()
        if event.usage and event.step in ("retrieval_decision", "relevance_grader", "generator")
    )
    end = run_on(llm_server, budget=Budget(tokens=grades_and_answer)).result(WAIT)
    assert (end.status, "BUDGET_TOKENS" in end.reason) == ("stopped", True)
    assert end.answer.startswith("The text of passage 1a.")


@pytest.mark.parametrize(
    "schema",
    ["CompleteQuestion", "Decision", "Relevance", None, "SupportByClaim", "VerdictOnClaim"],
)
def test_stop_ends_a_silent_run_within_a_second_and_nothing_follows(
    llm_server: LlmServer, schema: str | None
) -> None:
    llm_server.reply(hang(), when=lambda request: request.schema == schema)
    run = run_on(llm_server, SHAPES[0], llm_timeout=2.0)
    # What is asked side by side has been sent already; nothing may be sent after that.
    together = 2 if schema == "Relevance" else 1
    beside = "Usefulness" if schema == "SupportByClaim" else schema
    assert llm_server.wait_for(
        lambda: (
            {one.schema for one in llm_server.requests} >= {schema, beside}
            and sum(one.schema == schema for one in llm_server.requests) >= together
        )
    )
    began = time.monotonic()
    run.stop()
    end = run.result(1)
    assert time.monotonic() - began < 1
    assert end.status == "stopped"
    log, requests = run.log.snapshot(), len(llm_server.requests)
    # Longer than the call's own time: it fails, and the next step would follow, now.
    run._thread.join(WAIT)
    assert not run._thread.is_alive()
    assert run.log.snapshot() == log
    assert log[-1] is end
    assert len(llm_server.requests) == requests


@pytest.mark.parametrize("shape", [SHAPES[0], Shape(Strategy.PLAIN, RetrievalPolicy.ALWAYS)])
def test_run_on_an_endpoint_that_is_only_kept_alive_ends_and_leaves_no_thread(
    llm_server: LlmServer, shape: Shape
) -> None:
    llm_server.reply(drip())
    run = run_on(llm_server, shape, llm_timeout=1.0)
    end = run.result(10)
    assert end.status == "failed"
    assert "did not answer in 1 s. Try again, or raise LLM_TIMEOUT." in end.reason
    run._thread.join(1)
    assert not run._thread.is_alive()


def test_stopped_run_tries_no_failed_request_again(llm_server: LlmServer) -> None:
    llm_server.reply(failure(503, "overloaded", retry_after="0.5"))
    run = run_on(llm_server)
    assert llm_server.wait_for(lambda: bool(llm_server.requests))
    run.stop()
    run._thread.join(WAIT)
    assert not run._thread.is_alive()
    assert len(llm_server.requests) == 1


def test_cost_is_told_for_each_step_and_the_run(llm_server: LlmServer) -> None:
    run = run_on(llm_server, model_prices={"scripted": (1.0, 10.0)})
    usage = run.to_json()["usage"]
    expected = cost(
        {"scripted": Usage(1, usage["input_tokens"], usage["output_tokens"])},
        {"scripted": Price(1.0, 10.0)},
    )
    assert usage["cost_usd"] == pytest.approx(expected)
    steps = [event.usage.cost_usd for event in run.log.kept()[:-1] if event.usage]
    assert sum(steps) == pytest.approx(expected)
    assert all(steps)


def test_unknown_price_is_an_unknown_cost(
    llm_server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfrag.reflection.casting.is_here", lambda address: False)
    assert run_on(llm_server).to_json()["usage"]["cost_usd"] is None


def test_model_on_this_computer_has_no_fee_but_the_one_that_is_given(
    llm_server: LlmServer,
) -> None:
    assert run_on(llm_server).to_json()["usage"]["cost_usd"] == 0.0
    own = {"scripted": (1.0, 10.0)}
    assert prices_at(llm_server.url, own, ("scripted",))["scripted"] == Price(1.0, 10.0)
    assert "scripted" not in prices_at("https://models.example/v1", {}, ("scripted",))
    assert prices_at(None, {}, ("gpt-4.1",))["gpt-4.1"].input > 0


def test_one_unknown_price_makes_the_sum_unknown_and_the_other_step_is_still_told() -> None:
    ledger = UsageLedger(price=lambda model, used: 0.5 if model == "known" else None)
    ledger.add("a", "known", Usage(1, 10, 10))
    first = ledger.total()
    ledger.add("b", "unknown", Usage(1, 10, 10))
    assert ledger.total().cost_usd is None
    ledger.add("c", "known", Usage(1, 10, 10))
    assert first.cost_usd == 0.5
    assert (ledger.total() - first).cost_usd is None


def test_portuguese_question_is_answered_and_criticised_in_portuguese(
    llm_server: LlmServer,
) -> None:
    def answer(request: Request) -> Answer:
        portuguese = "Quanto" in request.user
        if request.stream:
            follows = "in the language of the question" in request.system
            return text("São 25 dias [Doc 1]." if portuguese and follows else "It is 25 days.")
        if request.schema == "CritiqueOfAnswer":
            asked = "in the language of the question" in request.system
            return structured(thought="Falta o ano." if asked else "No year.", answer="no")
        return happy_path(request)

    llm_server.reply(answer)
    question = "Quantos dias de férias há por ano?"
    run = run_on(llm_server, Shape(Strategy.CRITIQUE, RetrievalPolicy.ALWAYS), question=question)
    end = run.result(WAIT)
    assert end.answer == "São 25 dias [1]."
    refined = llm_server.asked(None)[-1]
    assert "<critique>Falta o ano.</critique>" in refined.user
    assert question in refined.user


def test_answer_in_portuguese_to_a_follow_up_about_english_documents(
    llm_server: LlmServer,
) -> None:
    llm_server.reply(
        structured(thought="", question="Quantos dias há em 2020?"), when="CompleteQuestion"
    )
    run = run_on(llm_server, SHAPES[0], question="E em 2020?")
    run.result(WAIT)
    assert "Keep the language of the question" in llm_server.asked("CompleteQuestion")[0].system
    written = llm_server.asked(None)[0]
    assert "<question>Quantos dias há em 2020?</question>" in written.user
    assert "whatever the language of the documents" in written.system
