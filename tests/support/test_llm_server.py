"""The scripted endpoint itself: the clients that applications use must take it for a real one."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langchain_openai.decisions import Choice, OpenAIDecisions, Predicate, Score
from pydantic import SecretStr

from tests.support.llm_answers import failure, text
from tests.support.llm_server import LlmServer

KEY = SecretStr("x")


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer() as server:
        yield server


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainBetaWarning")
def test_decisions_client_reads_every_kind_of_answer(server: LlmServer) -> None:
    server.decide = lambda question: 0.8 if question["name"] == "relevant" else 0.6
    decisions = OpenAIDecisions(model="scripted", base_url=server.url, api_key=KEY)
    response = decisions.invoke(
        {
            "input": "Annual leave is 25 days.",
            "questions": {
                "relevant": Predicate(instructions="Is it about leave?"),
                "support": Choice(instructions="Which?", choices={"fully": None, "not": "No."}),
                "useful": Score(instructions="How useful?", levels=["1", "2", "3"]),
            },
        }
    )

    assert response.predicates["relevant"].probability == 0.8
    assert response.choices["support"].choice == "fully"
    assert response.scores["useful"].score == pytest.approx(0.2 * 1 + 0.6 * 2)
    assert response.usage.input_tokens


def test_decisions_can_be_made_to_fail(server: LlmServer) -> None:
    server.reply(failure(429, "slow"), when=lambda request: request.path == "/v1/decisions")
    decisions = OpenAIDecisions(model="m", base_url=server.url, api_key=KEY, max_retries=0)

    with pytest.raises(Exception, match="429"):
        decisions.invoke({"input": "x", "questions": {"q": Predicate(instructions="x")}})


def test_embeddings_of_texts_that_share_words_are_near(server: LlmServer) -> None:
    embeddings = OpenAIEmbeddings(
        model="scripted", base_url=server.url, api_key=KEY, check_embedding_ctx_length=False
    )
    near, far, query = embeddings.embed_documents(["leave days", "blue sheds", "annual leave"])

    def dot(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert dot(near, query) > dot(far, query)
    assert dot(near, near) == pytest.approx(1.0, abs=1e-6)


def test_rules_are_used_newest_first_and_as_often_as_said(server: LlmServer) -> None:
    model = ChatOpenAI(model="m", base_url=server.url, api_key=KEY)
    server.reply(text("old"))
    server.in_turn(text("first"), text("second"))

    assert [model.invoke("x").text for _ in range(3)] == ["first", "second", "old"]


def test_delay_is_the_same_for_requests_side_by_side(server: LlmServer) -> None:
    server.delay = 0.2
    model = ChatOpenAI(model="m", base_url=server.url, api_key=KEY)
    began = time.monotonic()
    model.batch(["x"] * 4)

    assert time.monotonic() - began >= 0.2
    assert server.most_at_once == 4


def test_started_by_hand_it_says_where_it_is() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.llm_server", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        url = line.split("=", 1)[1].split()[0]
        model = ChatOpenAI(model="m", base_url=url, api_key=KEY)
        assert model.invoke("hi").text.startswith("Hello!")
    finally:
        process.terminate()
        process.wait()
        if process.stdout:
            process.stdout.close()
