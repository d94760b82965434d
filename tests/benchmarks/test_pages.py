"""Server time of a page's rerun, against the same page with little on it."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.service import SelfRag
from tests.support.library import add_records

pytestmark = pytest.mark.benchmark

PAGES = Path(__file__).resolve().parents[2] / "pages"


@pytest.fixture
def served(rag: SelfRag, monkeypatch: pytest.MonkeyPatch) -> SelfRag:
    monkeypatch.setattr(process, "_current", rag)
    return rag


def fastest(run: Callable[[], object], times: int = 5) -> float:
    """Seconds of the quickest of several runs: the others measure the neighbours."""
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - began)
    return best


def test_documents_page_with_1000_documents(served: SelfRag, said):
    app = AppTest.from_file(str(PAGES / "documents.py"), default_timeout=60)
    add_records(served, 10)
    app.run()
    few = fastest(app.run)
    served._documents.remove(f"{9:016x}")
    for number in range(9):
        served._documents.remove(f"{number:016x}")
    add_records(served, 1000)
    app.run()
    many = fastest(app.run)
    said(f"rerun with 1,000 documents: {many:.2f} s, {many / few:.1f} times that with 10")
    assert many / few < 30
