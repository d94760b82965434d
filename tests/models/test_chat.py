"""Chat models: what is sent, how long is waited, and every failure in a sentence."""

import socket
import time

import pytest

from selfrag.errors import ModelError, UserError
from selfrag.models.chat import make_chat_model, probe
from selfrag.models.chat_errors import CALL_ERRORS, explain, retry_after
from selfrag.models.decisions import Asked, EndpointDecisions
from selfrag.models.embeddings import EndpointEmbeddings
from selfrag.models.prices import Price, cost
from selfrag.models.usage import Usage, UsageLedger
from tests.support.llm_answers import Answer, drip, failure, hang, raw, text
from tests.support.llm_server import LlmServer
from tests.support.trickling import trickling

KEY = "sk-secret-0123456789abcdef"


def error_of(
    server: LlmServer, *, timeout: float = 5.0, max_retries: int = 0, base_url: str | None = None
) -> ModelError:
    model = make_chat_model(
        model="scripted",
        base_url=base_url or server.url,
        api_key=KEY,
        timeout=timeout,
        max_retries=max_retries,
    )
    with pytest.raises(CALL_ERRORS) as caught:
        model.invoke("Hello")
    return explain(caught.value, model)


@pytest.mark.parametrize(
    ("answer", "fatal", "sentence"),
    [
        (failure(401, f"Incorrect API key: {KEY}"), True, "valid key into OPENAI_API_KEY"),
        (failure(402, "Payment required"), True, "no credit left"),
        (failure(403, f"Not for {KEY}"), True, "another model (CHAT_MODEL or JUDGE_MODEL), or use"),
        (failure(404, 'model "scripted" not found, try pulling it first'), True, "has no model"),
        (failure(404, "no route"), True, "usually ends with /v1"),
        (failure(429, "slow down", retry_after="7"), True, "Wait 7 s and ask again"),
        (failure(429, "slow down", retry_after="600"), True, "Wait 10 minutes"),
        (failure(429, "slow down"), True, "Wait a minute"),
        (failure(400, "maximum context length is 4096 tokens"), False, "too long for scripted"),
        (failure(400, "temperature must be 1"), True, "Set LLM_TEMPERATURE=1"),
        (failure(400, f"bad {KEY} and sk-other-key-123456"), False, "status 400"),
        (failure(500, "boom"), True, "status 500"),
        (failure(503, "loading"), True, "Try again"),
        (
            raw("<html>Welcome to the hotel</html>"),
            False,
            "does. Check that LLM_BASE_URL is its API",
        ),
        (raw('{"error": {"message": "upstream failed"}}'), False, "does (upstream failed). Check"),
        (raw('{"error": "busy"}'), False, "endpoint does (busy). Check that"),
        (raw('{"answer": 42}'), False, "endpoint does. Check that"),
        (raw('{"choices": null}'), False, "an OpenAI-compatible endpoint does. Check"),
    ],
)
def test_failure_becomes_a_sentence_without_the_key(
    llm_server: LlmServer, answer: Answer, fatal: bool, sentence: str
) -> None:
    llm_server.reply(answer)
    error = error_of(llm_server)

    assert sentence in str(error)
    assert error.fatal is fatal
    assert str(error).endswith((".", "on."))
    assert "sk-" not in str(error)


def test_endpoint_that_wants_a_key_and_got_none_says_where_to_put_it(
    llm_server: LlmServer,
) -> None:
    llm_server.key = "right"
    found = probe(make_chat_model(model="scripted", base_url=llm_server.url))

    assert "wants a key. Put it into OPENAI_API_KEY" in found.sentence


def test_nobody_listening_is_fatal_and_says_what_to_do(llm_server: LlmServer) -> None:
    with LlmServer() as gone:
        url = gone.url
    error = error_of(llm_server, base_url=url)

    assert error.fatal
    assert f"Nothing answers at {url}" in str(error)


def test_endpoint_that_hangs_ends_with_the_timeout(llm_server: LlmServer) -> None:
    llm_server.reply(hang())
    began = time.monotonic()
    error = error_of(llm_server, timeout=0.3)

    assert 0.25 < time.monotonic() - began < 20
    assert "did not answer in 1 s" in str(error)
    assert "LLM_TIMEOUT" in str(error)
    assert error.fatal


@pytest.mark.parametrize("slow", [hang(), drip(), failure(503, "busy", retry_after_ms="10")])
def test_time_of_a_call_is_shared_by_all_its_tries(llm_server: LlmServer, slow: Answer) -> None:
    llm_server.delay = 0.5
    llm_server.reply(slow)
    began = time.monotonic()
    error = error_of(llm_server, timeout=1.2, max_retries=9)

    waited = time.monotonic() - began
    assert 0.45 < waited < 2.4, "two calls' time would be more"
    assert error.fatal
    assert len(llm_server.requests) < 5


def test_pause_that_a_call_has_no_time_for_is_not_made(llm_server: LlmServer) -> None:
    llm_server.reply(failure(429, retry_after="5"))
    began = time.monotonic()
    error = error_of(llm_server, timeout=2.0, max_retries=2)

    assert time.monotonic() - began < 2
    assert "Wait 5 s" in str(error)


def test_probe_of_an_endpoint_that_trickles_its_headers_comes_to_an_end() -> None:
    with trickling(b"HTTP/1.1 200 OK\r\nX-Padding: ") as where:
        began = time.monotonic()
        found = probe(make_chat_model(model="scripted", base_url=f"{where}/v1"), timeout=0.5)
        assert time.monotonic() - began < 5
    assert not found.ok
    assert "did not answer" in found.sentence


def test_embeddings_and_decisions_are_waited_for_no_longer_either() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        decisions = EndpointDecisions("d", where, None, timeout=0.5)
        embeddings = EndpointEmbeddings("text-embedding-3-small", where, None, 0.5)
        for ask in (
            lambda: decisions.decide("text", {"q": Asked("Is it?")}, "step", UsageLedger()),
            lambda: embeddings.embed_query("text"),
        ):
            began = time.monotonic()
            with pytest.raises(ModelError):
                ask()
            assert time.monotonic() - began < 1.9, "three tries of 0.5 s and their pauses are more"


def test_rate_limit_is_waited_for_as_long_as_the_endpoint_asks(llm_server: LlmServer) -> None:
    llm_server.in_turn(failure(429, retry_after="0.3"), text("Here I am."))
    model = make_chat_model(model="scripted", base_url=llm_server.url)

    assert model.invoke("Hello").text == "Here I am."
    first, second = llm_server.requests
    assert 0.3 <= second.at - first.at < 20


def test_rate_limit_that_asks_for_too_long_is_told_at_once(llm_server: LlmServer) -> None:
    llm_server.reply(failure(429, retry_after="60"))
    began = time.monotonic()
    error = error_of(llm_server, max_retries=2)

    assert time.monotonic() - began < 20
    assert len(llm_server.requests) == 1
    assert "Wait 60 s" in str(error)


def test_failed_requests_are_tried_again_a_bounded_number_of_times(llm_server: LlmServer) -> None:
    llm_server.reply(failure(500, retry_after_ms="10"))
    error_of(llm_server, max_retries=2)

    assert len(llm_server.requests) == 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "Mon, 01 Jan 2001 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds


def test_endpoint_without_a_key_gets_a_dummy(llm_server: LlmServer) -> None:
    make_chat_model(model="scripted", base_url=f"{llm_server.url}/ ").invoke("Hello")

    assert llm_server.requests[0].headers["authorization"] == "Bearer not-needed"
    assert llm_server.requests[0].path == "/v1/chat/completions"


@pytest.mark.parametrize(
    ("base_url", "variable"),
    [(None, "OPENAI_API_KEY"), ("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")],
)
def test_endpoint_that_needs_a_key_says_which_variable(base_url: str | None, variable: str) -> None:
    with pytest.raises(UserError, match=variable):
        make_chat_model(model="x", base_url=base_url)


@pytest.mark.parametrize("key", ["sk-two words", "sk-“quoted”", "sk-a\nsk-b"])
def test_key_that_can_not_be_one_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UserError) as caught:
        make_chat_model(model="x", api_key=key)
    assert "sk-" not in str(caught.value)


def test_environment_of_other_programs_does_not_reroute_requests(
    llm_server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make_chat_model(model="scripted", base_url=llm_server.url).invoke("Hello")

    assert llm_server.requests[0].headers["authorization"] == "Bearer not-needed"


def test_key_is_shown_nowhere() -> None:
    model = make_chat_model(model="x", api_key=KEY)
    assert KEY not in repr(model) + str(model) + str(model.model_dump())


def test_probe_says_what_it_found(llm_server: LlmServer) -> None:
    model = make_chat_model(model="scripted", base_url=llm_server.url, api_key="right")
    found = probe(model)
    assert found.ok
    assert found.models == ("scripted",)

    llm_server.models = ["llama3.2:latest", "qwen3"]
    missing = probe(model)
    assert not missing.ok
    assert "llama3.2:latest, qwen3" in missing.sentence
    assert probe(make_chat_model(model="llama3.2", base_url=llm_server.url)).ok

    llm_server.models = ["/models/some.gguf"]
    assert probe(model).ok, "a server of one model takes any name"

    llm_server.key = "other"
    refused = probe(model)
    assert not refused.ok
    assert "refused the key in OPENAI_API_KEY" in refused.sentence


def test_probe_of_nobody_comes_back_at_once(llm_server: LlmServer) -> None:
    with LlmServer() as gone:
        url = gone.url
    began = time.monotonic()
    found = probe(make_chat_model(model="x", base_url=url))

    assert not found.ok
    assert "Nothing answers" in found.sentence
    assert time.monotonic() - began < 20


def test_ledger_adds_up_by_step_and_by_model() -> None:
    ledger = UsageLedger()
    ledger.add("relevance", "small", Usage(1, 10, 2))
    ledger.add("relevance", "small", Usage(1, 20, 3, estimated=True))
    ledger.add("generator", "large", Usage(1, 100, 50))

    assert ledger.total() == Usage(3, 130, 55, estimated=True)
    assert ledger.by_step() == {
        "relevance": Usage(2, 30, 5, estimated=True),
        "generator": Usage(1, 100, 50),
    }
    assert list(ledger.by_model()) == ["small", "large"]


def test_cost_is_unknown_where_a_price_is() -> None:
    used = {"openai/gpt-4.1-mini": Usage(1, 1_000_000, 100_000)}

    assert cost(used) == pytest.approx(0.40 + 0.16)
    assert cost({**used, "mine": Usage(1, 10, 10)}) is None
    assert cost({"mine": Usage(1, 1_000_000, 0)}, {"mine": Price(2.0, 3.0)}) == 2.0
    assert cost({}) == 0.0


@pytest.mark.parametrize("status", [301, 307, 308])
def test_questions_are_not_sent_on_to_another_address(llm_server: LlmServer, status: int) -> None:
    with LlmServer() as other:
        llm_server.reply(failure(status, location=f"{other.url}/chat/completions"))
        model = make_chat_model(model="scripted", base_url=llm_server.url, max_retries=0)
        with pytest.raises(CALL_ERRORS) as caught:
            model.invoke("secret")
        assert other.requests == []
    told = explain(caught.value, model)
    assert told.fatal
    assert other.url in str(told)
