"""The scripted endpoint for tests of chat models."""

import ssl
from collections.abc import Iterator

import pytest

from selfrag.models import reasoning
from selfrag.models.structured import forget_forms
from tests.support.llm_server import LlmServer

_TLS = ssl.create_default_context()


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
