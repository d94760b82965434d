"""The grades of a study are traced with the answers, and only where tracing is on."""

import time
from collections.abc import Callable

import pytest

from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.measures import RAGAS
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.service import SelfRag
from tests.support.langsmith_server import LangSmithServer
from tests.support.llm_server import LlmServer
from tests.support.serving import free_port

PLAIN = AnswerChoice(strategies=("plain",), rounds=1)


@pytest.fixture
def traced(library: Callable[..., SelfRag], llm_server: LlmServer) -> Callable[[str], SelfRag]:
    """Opens the library with a scripted model, traced to an endpoint."""
    return lambda endpoint: library(
        llm_base_url=llm_server.url,
        openai_api_key="secret-of-openai",
        chat_model="scripted",
        langsmith_tracing=True,
        langsmith_api_key="secret-of-langsmith",
        langsmith_endpoint=endpoint,
    )


def test_every_call_of_the_judge_stands_in_the_trace_of_its_answer(
    traced: Callable[[str], SelfRag], questions: QuestionSet, llm_server: LlmServer
) -> None:
    with LangSmithServer() as langsmith:
        rag = traced(langsmith.url)
        made = rag.answers.measure(questions, PLAIN)
        rag.tracing.close()
        langsmith.wait_for("grading of an answer", strategy="plain", round="1")
        runs = list(langsmith.runs.values())
    gradings = [it for it in runs if it["name"] == "grading of an answer"]
    assert len(gradings) == len(made.study.rows) == 4
    assert {it["inputs"]["question"] for it in gradings} == {
        each.question for each in questions.questions
    }
    assert all(set(it["outputs"]) == set(RAGAS) and not it.get("error") for it in gradings)
    asked = [it for it in runs if it.get("run_type") == "llm"]
    assert len(asked) == len(llm_server.requests) == made.spent.llm_calls
    answers = {it["id"] for it in runs if it["name"] == "answer"}
    within = {it["trace_id"] for it in asked}
    assert within - answers == {it["id"] for it in gradings}
    assert "secret-of-" not in repr(runs)


def test_unreachable_endpoint_costs_the_grades_nothing(
    traced: Callable[[str], SelfRag], questions: QuestionSet
) -> None:
    rag = traced(f"http://127.0.0.1:{free_port()}")
    began = time.monotonic()
    made = rag.answers.measure(questions, PLAIN)
    assert time.monotonic() - began < 30
    assert len(made.study.rows) == 4 and made.study.stopped is None


def test_grades_are_traced_nowhere_where_tracing_is_off(
    with_model: SelfRag, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LangSmithServer() as langsmith:
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.setenv("LANGSMITH_API_KEY", "key")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", langsmith.url)
        from langsmith import utils

        utils.get_env_var.cache_clear()
        with_model.answers.measure(questions, PLAIN)
        utils.get_env_var.cache_clear()
        assert not langsmith.keys
