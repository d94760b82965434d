"""A small library, served on a port of its own."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf
from tests.support.serving import served

LEAVE = "Employees may take twenty five days of paid leave in every calendar year."
ROYALTY = "The patent royalty amounts to five percent of the net sales of each quarter."
QUESTION = "How much is the patent royalty?"


@pytest.fixture
def handbook(tmp_path: Path) -> Path:
    """A PDF of two pages."""
    return make_pdf(tmp_path / "handbook.pdf", [LEAVE, ROYALTY])


@pytest.fixture
def serve(
    open_rag: Callable[..., SelfRag], handbook: Path
) -> Iterator[Callable[..., tuple[SelfRag, httpx.Client]]]:
    """Serves a library with one document: settings -> (library, client)."""
    with contextlib.ExitStack() as stack:

        def serve_(**settings: object) -> tuple[SelfRag, httpx.Client]:
            rag = open_rag(**settings)
            assert [result.status for result in rag.ingest([handbook])] == ["ready"]
            url = stack.enter_context(served(rag))
            return rag, stack.enter_context(httpx.Client(base_url=url, timeout=60))

        yield serve_


@pytest.fixture
def api(serve: Callable[..., tuple[SelfRag, httpx.Client]]) -> httpx.Client:
    """A client of that library, without limits."""
    return serve(searches_per_minute=0, answers_per_minute=0)[1]
