"""The scripted endpoint for tests of chat models."""

from collections.abc import Iterator

import pytest

from selfrag.models import reasoning
from selfrag.models.structured import forget_forms
from tests.support.llm_server import LlmServer


@pytest.fixture
def llm_server() -> Iterator[LlmServer]:
    """An endpoint of its own, of which nothing is known yet: ports are used again."""
    forget_forms()
    reasoning._unannounced.clear()
    with LlmServer() as server:
        yield server
