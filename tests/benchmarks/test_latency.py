"""The critical path in round trips: how many replies of a model an answer waits for.

Measured against an endpoint that takes a fixed time for each reply, so that the figure says how
much is waited for one after another, and not how fast this machine is.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag.service import SelfRag
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.benchmark

DELAY = 1.0
DOCUMENTS = [
    "Annual leave is 25 days a year. It is agreed with the head of the department.",
    "Leave that is not taken by March lapses. Annual leave can't be paid out.",
    "Annual leave of part-time staff is reduced in proportion to their working days.",
    "Special leave is given for a wedding. It is not taken from annual leave.",
]


@pytest.fixture
def slow(open_rag: Callable[..., SelfRag], llm_server: LlmServer, tmp_path: Path) -> SelfRag:
    """A library of four documents whose chat model takes `DELAY` seconds for every reply."""
    rag = open_rag(llm_base_url=llm_server.url, chat_model="scripted", reranker_model="none")
    for number, words in enumerate(DOCUMENTS):
        (result,) = rag.ingest([make_pdf(tmp_path / f"{number}.pdf", [words])])
        assert result.error is None
    rag.warm_up()
    rag.start("How long is annual leave?").result(60)
    llm_server.requests.clear()
    llm_server.delay = DELAY
    return rag


@pytest.mark.parametrize(
    ("strategy", "most", "calls"), [("selfrag", 4.5, 8), ("critique", 2.5, 2), ("plain", 1.5, 1)]
)
def test_answer_waits_for_few_replies_one_after_another(
    slow: SelfRag, llm_server: LlmServer, said, strategy: str, most: float, calls: int
) -> None:
    ends = [
        slow.start("How long is annual leave?", strategy=strategy, k=4).result(60) for _ in range(2)
    ]
    assert all(end.status == "answered" for end in ends)
    assert len(llm_server.requests) == 2 * calls
    waited = min(end.elapsed_s for end in ends) / DELAY
    said(f"{strategy}: {waited:.2f} delays on the critical path, {calls} calls (at most {most})")
    assert waited <= most


def test_first_words_come_after_the_third_reply(slow: SelfRag, said) -> None:
    run = slow.start("How long is annual leave?", k=4)
    first = next(event for event in run.follow() if event.step == "answer_delta")
    run.result(60)
    said(f"first words after {first.at_s / DELAY:.2f} delays")
    assert first.at_s / DELAY <= 3.5
