"""The packaged embedding model: laid out, mended, checked, and fast in the way promised."""

import errno
import multiprocessing
import socket
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from selfrag.errors import StorageFull, UserError
from selfrag.models import packaged
from selfrag.models.packaged import PackagedEmbeddings, lay_out_minilm, load_minilm

pytestmark = pytest.mark.usefixtures("own")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def embeddings(cache: Path) -> PackagedEmbeddings:
    return PackagedEmbeddings(cache)


def _lay_out(folder: str) -> str:
    return str(lay_out_minilm(Path(folder)))


def test_similar_sentences_are_as_close_as_the_official_model_has_them(
    embeddings: PackagedEmbeddings,
) -> None:
    # The example and its values stand on the model card of all-MiniLM-L6-v2.
    query = np.array(embeddings.embed_query("That is a happy person"))
    documents = ["That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    cosines = np.array(embeddings.embed_documents(documents)) @ query
    assert cosines == pytest.approx([0.695, 0.943, 0.257], abs=0.02)


def test_order_of_texts_is_kept_though_they_are_embedded_by_length(
    embeddings: PackagedEmbeddings,
) -> None:
    texts = ["word " * (1 + (7 * i) % 23) + str(i) for i in range(21)]
    together = embeddings.vectors(texts)
    alone = np.array([embeddings.embed_query(text) for text in texts])
    assert np.argmax(together @ alone.T, axis=1).tolist() == list(range(21))


def test_model_loads_without_a_network(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert len(next(iter(load_minilm(cache).embed("text")))) == packaged.DIMENSION


def test_half_written_folder_is_mended(cache: Path) -> None:
    folder = lay_out_minilm(cache)
    (folder / "tokenizer.json").write_bytes(b"{")
    (folder / "config.json").unlink()
    lay_out_minilm(cache)
    expected = packaged.PACKAGED["tokenizer.json"].sha256
    assert packaged._digest(folder / "tokenizer.json") == expected
    assert (folder / "config.json").read_text() == '{"pad_token_id": 0}'


def test_complete_folder_is_not_written_again(cache: Path) -> None:
    folder = lay_out_minilm(cache)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    lay_out_minilm(cache)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_two_processes_lay_out_the_folder_at_once(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        folders = pool.map(_lay_out, [str(tmp_path)] * 4, chunksize=1)
    assert len(set(folders)) == 1
    names = {path.name for path in Path(folders[0]).iterdir()}
    assert names == set(packaged.PACKAGED) | set(packaged.WRITTEN)


def test_missing_package_is_told_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = packaged.PackagedFile("no-such-package", "model.onnx", "0" * 64)
    monkeypatch.setitem(packaged.PACKAGED, "model.onnx", gone)
    with pytest.raises(UserError, match=r"no-such-package.*pip install -r requirements\.txt"):
        lay_out_minilm(tmp_path)


def test_altered_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = packaged.PACKAGED["model.onnx"]
    altered = packaged.PackagedFile(real.package, real.path, "0" * 64)
    monkeypatch.setitem(packaged.PACKAGED, "model.onnx", altered)
    with pytest.raises(UserError, match="sha256 differs"):
        lay_out_minilm(tmp_path)


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="writable"):
        lay_out_minilm(tmp_path / "file")


def test_full_disk_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", no_room)
    with pytest.raises(StorageFull, match=r"is full.*free some space") as raised:
        lay_out_minilm(tmp_path)
    assert "writable" not in str(raised.value)


def test_progress_counts_up_to_all_texts(embeddings: PackagedEmbeddings) -> None:
    seen: list[tuple[int, int]] = []
    embeddings.embed_documents(["text"] * 19, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, 19) for done in (*range(2, 19, 2), 19)]


def test_cancel_stops_between_batches(embeddings: PackagedEmbeddings) -> None:
    cancel = threading.Event()
    seen: list[int] = []

    def progress(done: int, _: int) -> None:
        seen.append(done)
        cancel.set()

    with pytest.raises(CancelledError):
        embeddings.embed_documents(["text"] * 4000, progress=progress, cancel=cancel)
    assert seen[0] == 2
    assert seen[-1] < 4000


def test_threads_share_the_model(embeddings: PackagedEmbeddings) -> None:
    texts = [f"sentence number {i} about the sea" for i in range(40)]
    alone = embeddings.vectors(texts)
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(embeddings.embed_query, texts))
    assert np.min(np.sum(np.array(rows) * alone, axis=1)) > 0.99


def test_no_texts_give_no_rows(embeddings: PackagedEmbeddings) -> None:
    assert embeddings.embed_documents([]) == []
    assert embeddings.vectors([]).shape == (0, packaged.DIMENSION)


def test_remembered_query_cannot_be_changed_by_its_reader(embeddings: PackagedEmbeddings) -> None:
    first = embeddings.embed_query("tide")
    expected = list(first)
    first[0] = 99.0
    assert embeddings.embed_query("tide") == expected
