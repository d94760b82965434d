"""A library of one PDF, and questions about it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag.evaluation.answers.questions import QuestionSet, read_questions
from selfrag.service import SelfRag
from tests.interfaces.conftest import LEAVE, ROYALTY
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

CSV = f"""question,ground_truth,answerable,label,gold
How much is the patent royalty?,{ROYALTY},yes,,"handbook.pdf, page 2"
How many days of paid leave may employees take?,{LEAVE},yes,,{LEAVE}
Who painted the ceiling of the chapel?,,no,,
{ROYALTY},,,supported,
"""


@pytest.fixture
def questions() -> QuestionSet:
    return read_questions(CSV.encode(), "handbook.csv")


@pytest.fixture
def library(open_rag: Callable[..., SelfRag], tmp_path: Path) -> Callable[..., SelfRag]:
    """Opens a library with the handbook; settings -> library."""

    def open_(**settings: object) -> SelfRag:
        rag = open_rag(**settings)
        if not rag.ready():
            # Far enough apart that each has a passage of its own.
            filler = "The committee meets on the first Monday of each month. " * 30
            pages = [f"{LEAVE} {filler}", f"{ROYALTY} {filler}"]
            made = make_pdf(tmp_path / "handbook.pdf", pages)
            assert [result.status for result in rag.ingest([made])] == ["ready"]
        return rag

    return open_


@pytest.fixture
def with_model(library: Callable[..., SelfRag], llm_server: LlmServer) -> SelfRag:
    """The library with a scripted chat model."""
    return library(
        llm_base_url=llm_server.url,
        chat_model="scripted",
        model_prices={"scripted": (1.0, 2.0)},
    )
