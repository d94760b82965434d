"""Fixtures shared by all tests."""

import signal
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
from tests.support.kept_parts import kept_parts, own_parts
from tests.support.llm_server import LlmServer
from tests.support.memory_disk import use_memory_disk

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_TLS = ssl.create_default_context()


def pytest_configure() -> None:
    use_memory_disk()
    _hear_interrupts()


def _hear_interrupts() -> None:
    """What a shell starts in its background ignores Ctrl-C, and so would every process that a test
    starts and interrupts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The model is loaded once, the processes that read PDFs go from library to library."""
    with kept_parts(tmp_path_factory.mktemp("model")):
        yield


@pytest.fixture(scope="module")
def own() -> Iterator[None]:
    """For tests of the loading and the starting themselves."""
    with own_parts():
        yield


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
