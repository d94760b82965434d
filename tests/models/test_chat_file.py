"""A model file: everything that can go wrong before the weights are read has its sentence."""

import sys
import types
from pathlib import Path
from typing import Any, ClassVar

import pytest

from selfrag.errors import UserError
from selfrag.models import gguf
from selfrag.models.gguf import LocalModel
from tests.support.llm_server import LlmServer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small-chat.gguf"
    path.write_bytes(b"GGUF" + bytes(60))
    return path


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch, llm_server: LlmServer) -> types.ModuleType:
    """Stands for xllamacpp: its server is the scripted endpoint."""

    class Server:
        opened: ClassVar[list[Any]] = []

        def __init__(self, params: Any) -> None:
            if params.model.path.endswith("broken.gguf"):
                raise RuntimeError("Failed to init server")
            self.opened.append(params)
            self.listening_address = llm_server.url.removesuffix("/v1")
            llm_server.key = params.api_keys[0]

    module = types.ModuleType("xllamacpp")
    module.Server = Server  # type: ignore[attr-defined]
    module.CommonParams = lambda: types.SimpleNamespace(  # type: ignore[attr-defined]
        model=types.SimpleNamespace()
    )
    monkeypatch.setitem(sys.modules, "xllamacpp", module)
    return module


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.gguf, which can't be read"):
        LocalModel(tmp_path / "nowhere.gguf")


def test_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"PK\x03\x04 a zip")
    with pytest.raises(UserError, match="not a GGUF file"):
        LocalModel(tmp_path / "model.gguf")


def test_missing_package_says_what_to_install(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(UserError, match="pip install xllamacpp"):
        LocalModel(file)


def test_file_larger_than_free_memory_is_not_loaded(
    file: Path, package: types.ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = types.SimpleNamespace(available=200e6)
    monkeypatch.setattr(gguf.psutil, "virtual_memory", lambda: free)
    with pytest.raises(UserError, match=r"needs about 0\.7 GB of memory, and 0\.2 GB are free"):
        LocalModel(file)


def test_file_that_llama_cpp_cannot_read_says_so(file: Path, package: types.ModuleType) -> None:
    broken = file.rename(file.with_name("broken.gguf"))
    with pytest.raises(UserError, match=r"broken\.gguf could not be loaded"):
        LocalModel(broken).load()


def test_model_is_loaded_once_on_loopback_behind_a_key(file: Path, package: Any) -> None:
    model = LocalModel(file, context=2048)
    assert model.loaded is None
    loaded = model.load()
    assert model.load() is loaded
    (params,) = package.Server.opened
    assert (params.hostnames, params.port, params.n_ctx) == (["127.0.0.1"], 0, 2048)
    assert len(params.api_keys[0]) > 20
    assert loaded.key == params.api_keys[0]
    model.close()
    assert model.loaded is None


def test_answers_come_from_the_file_without_a_key_or_an_endpoint(
    file: Path, package: types.ModuleType, open_rag: Any, llm_server: LlmServer
) -> None:
    rag = open_rag(local_model=file)
    assert llm_server.requests == [], "it is loaded when it is needed"
    run = rag.start("Hello!", retrieval="never")
    end = run.result(20)
    assert end.status == "answered"
    assert end.usage.cost_usd == 0
    started = run.log.snapshot()[0]
    assert started.writer == started.judge == "small-chat"
    (sentence,) = [c.sentence for c in _checks(rag) if c.name == "language model"]
    assert "small-chat writes, small-chat judges" in sentence


def _checks(rag: Any) -> list[Any]:
    from selfrag.diagnosis import examine

    return examine(rag)
