"""Fixtures shared by all tests."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from selfrag.models import reasoning
from selfrag.reflection.structured import forget_forms
from selfrag.service import SelfRag
from selfrag.settings import Settings
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


@pytest.fixture
def open_rag(tmp_path: Path) -> Iterator[Callable[..., SelfRag]]:
    """Opens libraries in the test's own folder, whatever the environment says; all are closed."""
    with ExitStack() as opened:

        def open_(**values: Any) -> SelfRag:
            reset = values.pop("reset", False)
            values.setdefault("storage_dir", tmp_path / "store")
            settings = Settings(_env_file=None, **{**plain_settings(), **values})
            return opened.enter_context(SelfRag(settings, reset=reset))

        yield open_


@pytest.fixture
def rag(open_rag: Callable[..., SelfRag]) -> SelfRag:
    """An open, empty library without a language model."""
    return open_rag()


def plain_settings() -> dict[str, Any]:
    """Every setting at its default, so that no variable of the environment reaches a test."""
    return {name: field.default for name, field in Settings.model_fields.items()}
