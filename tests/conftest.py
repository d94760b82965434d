"""Fixtures shared by all tests."""

import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from selfrag.models import reasoning
from selfrag.reflection.structured import forget_forms
from tests.support.llm_server import LlmServer

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_TLS = ssl.create_default_context()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real documents beside the project; tests that need it are skipped without."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the folder of real documents is not beside the project")
    return SHARED_DATA


@pytest.fixture
def llm_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    """An endpoint of its own, of which nothing is known yet: ports are used again.

    Loopback needs no certificates, and reading them for every client takes longer than a test.
    """
    monkeypatch.setattr(ssl, "create_default_context", lambda *_, **__: _TLS)
    forget_forms()
    reasoning._unannounced.clear()
    with LlmServer() as server:
        yield server
