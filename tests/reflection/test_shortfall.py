"""Budgets that are too small for an answer, before and after the question."""

from pathlib import Path

import pytest

from selfrag.diagnosis import examine
from selfrag.reflection.events import RunStarted
from selfrag.reflection.options import RunOptions
from selfrag.reflection.shortfall import shortfall
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood. "
QUESTION = "What is the tidal range of Saint Malo?"


def settings(**values) -> Settings:
    model = {"llm_base_url": "http://127.0.0.1:1/v1", "chat_model": "scripted"}
    return Settings(_env_file=None, **{**plain_settings(), **model, **values})


def lacking(*, follow_up: bool = False, **values):
    given = settings(**values)
    return shortfall(given, RunOptions.of(given), follow_up=follow_up)


@pytest.fixture
def opened(llm_server: LlmServer, open_rag, tmp_path: Path):
    """Opens a library with a document of several passages, and a language model."""

    def make(**values):
        here = tmp_path / f"store{values['budget_calls']}"
        rag = open_rag(
            llm_base_url=llm_server.url, chat_model="scripted", storage_dir=here, **values
        )
        list(rag.ingest([make_pdf(tmp_path / "a.pdf", [TIDES * 14] * 4)]))
        return rag

    return make


def test_budget_of_what_an_answer_takes_lacks_nothing():
    assert lacking() is None
    assert lacking(budget_calls=8) is None
    assert lacking(budget_calls=7) is not None
    assert lacking(budget_calls=8, follow_up=True) is not None
    assert lacking(budget_calls=1, writer="quotes", judge="local") is None


def test_strategies_that_the_budget_allows_are_named_the_most_thorough_first():
    found = lacking(budget_calls=3)
    assert found is not None
    assert "usually takes 8 calls, and the budget allows 3 (BUDGET_CALLS)" in found.warning
    assert found.warning.endswith("fewer checks: critique (2 calls) or plain (1 call).")
    one = lacking(budget_calls=1)
    assert one is not None
    assert one.cure == "Raise BUDGET_CALLS, or choose fewer checks: plain (1 call)."
    # Looking always has been asked for, and takes no decision.
    alone = lacking(budget_calls=1, strategy="critique")
    assert alone is not None
    assert alone.warning.startswith("An answer with these checks usually takes 2 calls")


def test_budget_of_tokens_is_looked_at_before_the_last_call_only():
    found = lacking(budget_tokens=500)
    assert found is not None
    assert found.setting == "BUDGET_TOKENS"
    assert [strategy.value for strategy, _ in found.within] == ["plain"]
    assert lacking(budget_tokens=1, strategy="plain") is None
    assert lacking(budget_tokens=1_000_000) is None


def test_bound_that_is_told_is_the_budgets_where_that_is_less(opened):
    for calls, said in ((3, 3), (1_000, 75)):
        run = opened(budget_calls=calls).start(QUESTION)
        end = run.result(60)
        started = run.log.snapshot()[0]
        assert isinstance(started, RunStarted)
        assert started.max_llm_calls == said
        assert end.usage is not None
        assert end.usage.llm_calls <= said


def test_stop_says_that_the_budget_was_too_small_and_what_it_allows(opened):
    end = opened(budget_calls=3).start(QUESTION).result(60)
    assert (end.status, end.stopped_by) == ("stopped", "budget")
    assert end.reason == (
        "its budget of 3 calls (BUDGET_CALLS) is spent, and an answer with these checks usually "
        "takes 8 calls. Raise BUDGET_CALLS, or choose fewer checks: critique (2 calls) or plain "
        "(1 call)."
    )


@pytest.mark.parametrize("strategy", ["critique", "plain"])
def test_strategy_that_is_named_does_give_an_answer(opened, strategy: str):
    end = opened(budget_calls=3).start(QUESTION, strategy=strategy).result(60)
    assert (end.status, end.stopped_by) == ("answered", None)


def test_diagnosis_says_that_no_answer_can_be_had(opened):
    (check,) = [it for it in examine(opened(budget_calls=3)) if it.name == "budget"]
    assert check.verdict == "problem"
    assert "BUDGET_CALLS" in check.sentence
    assert "budget" not in {it.name for it in examine(opened(budget_calls=20))}
