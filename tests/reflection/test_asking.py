"""Questions asked of the service: options, settings, judges and writers in any pairing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from selfrag.errors import UserError
from selfrag.reflection.account import how_answered
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support, Verdict
from selfrag.reflection.story import tell, verdict
from selfrag.service import SelfRag
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

LEAVE = "Annual leave is 25 days a year. It is agreed with the head of the department."
BIKES = "Bicycles are parked in the shed behind the library. The shed is locked at night."
QUESTION = "How long is annual leave?"


@pytest.fixture
def leave(open_rag: Callable[..., SelfRag], tmp_path: Path) -> Callable[..., SelfRag]:
    """Opens a library of two documents with the given settings."""

    def open_(**settings: Any) -> SelfRag:
        rag = open_rag(reranker_model="none", **settings)
        for name, words in (("leave", LEAVE), ("bikes", BIKES)):
            (result,) = rag.ingest([make_pdf(tmp_path / f"{name}.pdf", [words])])
            assert result.error is None
        return rag

    return open_


def test_without_a_language_model_every_strategy_answers(leave: Callable[..., SelfRag]) -> None:
    rag = leave()
    for strategy in ("plain", "critique", "selfrag"):
        run = rag.start(QUESTION, strategy=strategy)
        end = run.result(30)
        assert "25 days" in end.answer, strategy
        assert end.status == "answered"
        started = run.log.snapshot()[0]
        assert (started.strategy, started.max_llm_calls) == (strategy, 0)


def test_statement_without_a_language_model_is_weighed_by_what_is_said_in_its_words(
    leave: Callable[..., SelfRag],
) -> None:
    rag = leave()
    said = rag.start("Annual leave is 25 days a year.").result(30)
    assert said.verdict is Verdict.SUPPORTED
    assert [(it.quote, it.against) for it in said.evidence] == [(LEAVE[:31], False)]
    for wrong in ("Annual leave is 30 days a year.", "Annual leave is not 25 days a year."):
        end = rag.start(wrong).result(30)
        assert end.verdict is Verdict.REFUTED, wrong
        assert [(it.quote, it.against) for it in end.evidence] == [(LEAVE[:31], True)]
    other = rag.start("The head of the department takes annual leave.").result(30)
    assert (other.verdict, other.evidence) == (Verdict.NOT_ENOUGH, [])


def test_headline_step_and_sentences_of_a_verdict_tell_the_same(
    leave: Callable[..., SelfRag],
) -> None:
    rag = leave()
    for statement, title, step in (
        ("Annual leave is 25 days a year.", "support this", "Supported: 1 sentence for"),
        ("Annual leave is 30 days a year.", "speak against this", "Refuted: 1 sentence against"),
        (
            "Annual leave is 25 days a year. It is paid twice.",
            "Neither supported nor refuted",
            "Not enough evidence: 1 sentence for",
        ),
        (
            "Annual leave is agreed with the mayor of the department.",
            "Neither supported nor refuted",
            "Not enough evidence",
        ),
    ):
        run = rag.start(statement)
        end = run.result(30)
        told = [tell(event) for event in run.log.kept()]
        assert title in verdict(end).title, statement
        assert step in told, statement
        assert bool(end.evidence) == (": " in step)
        assert "The claim is backed by a source" not in told
        assert not any("question" in (line or "") for line in told), told
    assert (
        "1 of its 2 sentences"
        in verdict(rag.start("Annual leave is 25 days a year. It is paid twice.").result(30)).remark
    )


def test_statement_that_is_not_found_is_told_as_a_statement(leave: Callable[..., SelfRag]) -> None:
    run = leave().start("The Eiffel Tower stands in Paris.")
    end = run.result(30)
    assert end.status == "abstained"
    thoughts = [getattr(event, "thought", "") for event in run.log.kept()]
    for text in (end.answer, end.reason, how_answered(RunView.of(run.log.kept())), *thoughts):
        assert "question" not in text


def test_statement_that_the_documents_contradict_is_refuted_with_the_sentence(
    leave: Callable[..., SelfRag], llm_server: LlmServer
) -> None:
    rag = leave(llm_base_url=llm_server.url, chat_model="scripted")
    run = rag.start("Annual leave is 30 days a year.")
    end = run.result(30)
    assert end.verdict is Verdict.REFUTED
    assert [(item.quote, item.against) for item in end.evidence] == [
        ("Annual leave is 25 days a year.", True)
    ]
    assert rag.start(QUESTION, claim=False).result(30).verdict is None


def test_follow_up_finds_what_the_conversation_was_about(leave: Callable[..., SelfRag]) -> None:
    rag = leave()
    run = rag.start("Who agrees to it?", history=[(QUESTION, "25 days a year.")])
    assert run.result(30).citations[0].document == "leave.pdf"
    assert run.log.kept()[1].question == "Who agrees to it? (annual leave)"


@pytest.mark.parametrize(
    ("settings", "writer", "judge"),
    [
        ({"judge": "local"}, "scripted", "local judge"),
        ({"writer": "quotes"}, "sentences quoted", "scripted"),
        ({"judge": "decisions", "judge_model": "d"}, "scripted", "d (decisions)"),
        (
            {"judge": "decisions", "judge_model": "d", "writer": "quotes"},
            "sentences quoted",
            "d (decisions)",
        ),
    ],
)
def test_any_writer_goes_with_any_judge(
    leave: Callable[..., SelfRag],
    llm_server: LlmServer,
    settings: dict[str, Any],
    writer: str,
    judge: str,
) -> None:
    # The first choice of a source is "none"; of support it is "fully".
    llm_server.decide = lambda question: 0.05 if question["name"].startswith("source") else 0.95
    rag = leave(llm_base_url=llm_server.url, chat_model="scripted", **settings)
    run = rag.start(QUESTION)
    end = run.result(30)
    started = run.log.snapshot()[0]
    assert writer in started.writer
    assert judge in started.judge
    assert (end.status, end.support) == ("answered", Support.FULLY)
    assert "25 days" in end.answer
    assert end.citations[0].document == "leave.pdf"


@pytest.mark.parametrize("settings", [{"writer": "chat"}, {"judge": "chat"}])
def test_part_without_a_model_to_play_it_is_refused_when_opened(
    open_rag: Callable[..., SelfRag], settings: dict[str, Any]
) -> None:
    with pytest.raises(UserError, match="needs a chat model"):
        open_rag(**settings)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"strategy": "best"}, "plain, critique, selfrag"),
        ({"retrieval": "often"}, "adaptive, always, never"),
        ({"max_retries": 11}, "from 0 to 10"),
        ({"k": 0}, "from 1 to 100"),
    ],
)
def test_option_that_there_is_not_is_refused_with_those_that_there_are(
    rag: SelfRag, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        rag.start(QUESTION, **options)


def test_settings_choose_what_is_not_asked_for(leave: Callable[..., SelfRag]) -> None:
    rag = leave(strategy="plain", retrieval="always", max_retries=0)
    started = rag.start(QUESTION).log.snapshot()[0]
    assert (started.strategy, started.retrieval, started.max_retries) == ("plain", "always", 0)
    started = rag.start(QUESTION, strategy="selfrag").log.snapshot()[0]
    assert (started.strategy, started.retrieval) == ("selfrag", "always")
