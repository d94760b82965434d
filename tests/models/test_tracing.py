"""Tracing to LangSmith: what is sent, how a run links to it, and that it is off otherwise."""

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from selfrag.diagnosis import Verdict, examine
from selfrag.interfaces.schemas.answers import AnswerResult
from selfrag.models.tracing import Tracing
from selfrag.records.labels import Relevance
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.settings import Settings
from tests.support.langsmith_server import PROJECT, TENANT, LangSmithServer
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf
from tests.support.serving import free_port

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"


@pytest.fixture
def langsmith() -> Iterator[LangSmithServer]:
    with LangSmithServer() as server:
        yield server


@pytest.fixture
def traced(open_rag: Callable[..., SelfRag], tmp_path: Path) -> Callable[..., SelfRag]:
    """Opens a library with a document, traced to an endpoint."""

    def open_(endpoint: str, **settings: Any) -> SelfRag:
        rag = open_rag(
            langsmith_tracing=True,
            langsmith_api_key="secret-of-langsmith",
            langsmith_endpoint=endpoint,
            reranker_model="none",
            **settings,
        )
        (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])])
        assert result.error is None
        return rag

    return open_


def project_known(rag: SelfRag) -> None:
    """Wait until the address of traces is known, as it is after the first answer."""
    rag.start(QUESTION).result(60)
    until = time.monotonic() + 20
    while rag.tracing._project_url is None and time.monotonic() < until:
        time.sleep(0.02)


def shown(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What a person reads of it; the client's own lines go to our handler and no further."""
    assert not logging.getLogger("langsmith").propagate
    told = [it for it in caplog.records if it.levelno >= logging.WARNING]
    return [it.getMessage() for it in told if not it.name.startswith("langsmith")]


def test_failures_of_another_endpoint_are_not_told_of_this_one(
    langsmith: LangSmithServer, caplog: pytest.LogCaptureFixture
) -> None:
    def tracing(endpoint: str) -> Tracing:
        return Tracing(
            Settings(
                langsmith_tracing=True,
                langsmith_api_key=SecretStr("secret-of-langsmith"),
                langsmith_endpoint=endpoint,
            )
        )

    here, gone = tracing(langsmith.url), tracing(f"http://127.0.0.1:{free_port()}")
    client = logging.getLogger("langsmith.client")
    client.warning("Failed to get info from %s: it is down", gone.endpoint)
    (said,) = shown(caplog)
    assert said.startswith(f"LangSmith at {gone.endpoint} takes no traces")
    gone.close()
    client.warning("Failed to get info from %s: it is still down", gone.endpoint)
    client.error("Error in the queue")
    assert [it.split(" takes")[0] for it in shown(caplog)[1:]] == [f"LangSmith at {here.endpoint}"]
    here.close()


def test_an_answer_is_traced_and_links_to_its_trace(
    traced: Callable[..., SelfRag], langsmith: LangSmithServer, llm_server: LlmServer
) -> None:
    rag = traced(
        langsmith.url,
        llm_base_url=llm_server.url,
        openai_api_key="secret-of-openai",
        chat_model="scripted",
    )
    project_known(rag)
    run = rag.start(QUESTION)
    end = run.result(60)
    trace = langsmith.wait_for("answer", run=run.id)
    assert end.trace_url is not None
    assert end.trace_url.endswith(f"/o/{TENANT}/projects/p/{PROJECT}/r/{trace['id']}?poll=true")
    assert AnswerResult(**run.to_json()).trace_url == end.trace_url
    inside = [it for it in langsmith.runs.values() if it["trace_id"] == trace["id"]]
    asked = sum(it.get("run_type") == "llm" for it in inside)
    assert end.usage is not None and asked == end.usage.llm_calls, "every call of a model is there"
    assert TIDES[:40] in repr(inside), "so are the passages"
    assert "secret-of-openai" not in repr(langsmith.runs)
    assert langsmith.keys == {"secret-of-langsmith"}


def test_an_evaluation_is_traced_once_and_keeps_its_link(
    traced: Callable[..., SelfRag], langsmith: LangSmithServer
) -> None:
    rag = traced(langsmith.url)
    project_known(rag)
    rag.labels.put(QUESTION, rag.retrieve(QUESTION).hits[0], Relevance.RELEVANT)
    done = rag.studies.measure_labels([Variant.parse("bm25")])
    trace = langsmith.wait_for("evaluation of retrieval")
    assert trace["outputs"]["means"]["bm25"]["nDCG@10"]["mean"] == 1.0
    (kept,) = rag.history.all()
    assert kept.id == done.result_id
    assert kept.trace_url is not None and trace["id"] in kept.trace_url
    rag.studies.measure_labels([Variant.parse("bm25")])
    rag.tracing.close()
    assert [it["name"] for it in langsmith.runs.values()].count("evaluation of retrieval") == 1


@pytest.mark.parametrize("down", ["nobody listens", "errors"])
def test_an_endpoint_that_is_down_costs_no_answer_and_no_time(
    traced: Callable[..., SelfRag],
    langsmith: LangSmithServer,
    down: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    langsmith.status = 500
    url = langsmith.url if down == "errors" else f"http://127.0.0.1:{free_port()}"
    rag = traced(url)
    rag.start(QUESTION).result(60)  # loads the models
    end = rag.start(QUESTION).result(10)
    assert end.status == "answered" and "thirteen metres" in end.answer
    assert end.trace_url is None
    began = time.monotonic()
    rag.tracing.close()
    assert time.monotonic() - began < 4
    (only,) = shown(caplog)
    assert url in only and "takes no traces" in only


def test_a_redirect_takes_neither_key_nor_trace_to_another_origin(
    langsmith: LangSmithServer, caplog: pytest.LogCaptureFixture
) -> None:
    with LangSmithServer() as elsewhere:
        langsmith.moved_to = elsewhere.url
        tracing = Tracing(
            Settings(
                langsmith_tracing=True,
                langsmith_api_key=SecretStr("secret-of-langsmith"),
                langsmith_endpoint=langsmith.url,
            )
        )
        tracing.record("private", {"question": QUESTION}, {}, 0.1)
        until = time.monotonic() + 20
        while not shown(caplog) and time.monotonic() < until:
            time.sleep(0.02)
        tracing.close()
        assert langsmith.keys == {"secret-of-langsmith"}, "it did ask"
        assert not elsewhere.keys and not elsewhere.runs
    (said,) = shown(caplog)
    assert "set LANGSMITH_ENDPOINT" in said and "secret" not in said


def test_advice_of_the_client_is_not_shown(
    traced: Callable[..., SelfRag],
    langsmith: LangSmithServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from langsmith import utils

    monkeypatch.setenv("LANGSMITH_DISABLE_RUN_COMPRESSION", "false")
    utils.get_env_var.cache_clear()
    langsmith.multipart = True  # without compression, which the client warns of
    rag = traced(langsmith.url)
    project_known(rag)
    rag.tracing.close()
    utils.get_env_var.cache_clear()
    assert langsmith.paths >= {"/runs/multipart"}
    assert not shown(caplog)


def test_nothing_is_traced_by_variables_that_are_not_ours(
    open_rag: Callable[..., SelfRag],
    langsmith: LangSmithServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGSMITH_TRACING_V2"):
        monkeypatch.setenv(name, "true")
    for name in ("LANGCHAIN_ENDPOINT", "LANGSMITH_ENDPOINT"):
        monkeypatch.setenv(name, langsmith.url)
    monkeypatch.setenv("LANGCHAIN_API_KEY", "key")
    from langsmith import utils

    utils.get_env_var.cache_clear()
    rag = open_rag(langsmith_tracing=False, reranker_model="none")
    (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])])
    assert result.error is None
    assert not rag.tracing.on
    end = rag.start(QUESTION).result(60)
    assert end.status == "answered" and end.trace_url is None
    from langchain_core.runnables import RunnableLambda

    RunnableLambda(lambda value: value).invoke("outside of a run")
    assert not utils.tracing_is_enabled()
    assert not langsmith.runs and not langsmith.keys
    utils.get_env_var.cache_clear()


def test_doctor_says_when_tracing_is_on_and_when_the_key_is_missing(
    open_rag: Callable[..., SelfRag], tmp_path: Path
) -> None:
    def said(name: str, **settings: Any) -> list[tuple[Verdict, str]]:
        rag = open_rag(storage_dir=tmp_path / name, **settings)
        checks = examine(rag)
        rag.close()
        return [(it.verdict, it.sentence) for it in checks if it.name == "tracing"]

    assert said("off") == []
    url = f"http://127.0.0.1:{free_port()}"
    on = {"langsmith_tracing": True, "langsmith_endpoint": url}
    ((verdict, sentence),) = said("on", langsmith_api_key="key", **on)
    assert verdict is Verdict.OK and url in sentence and "self-rag" in sentence
    ((verdict, sentence),) = said("no-key", **on)
    assert verdict is Verdict.PROBLEM and "LANGSMITH_API_KEY is not set" in sentence
