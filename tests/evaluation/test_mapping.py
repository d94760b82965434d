"""The map of a library: made once, kept, and never of documents that are gone."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from selfrag.errors import UserError
from selfrag.index.store import Index
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

Open = Callable[..., SelfRag]
SUBJECTS = ("tides", "dogs", "rents", "roofs", "bees", "lamps", "gates", "trams", "ovens", "wells")


def add(rag: SelfRag, folder: Path, about: str = "harbour", pages: int = 10) -> str:
    """A document of one chunk a page."""
    texts = [f"{about} {word}: the rule for {word} is number {n}." for n, word in
             enumerate(SUBJECTS[:pages])]  # fmt: skip
    (result,) = rag.ingest([make_pdf(folder / f"{about}.pdf", texts)])
    assert result.error is None
    return str(result.document_id)


def files(rag: SelfRag) -> list[Path]:
    return sorted((rag.settings.storage_dir / "map").glob("*"))


def test_map_shows_every_chunk_once(rag: SelfRag, tmp_path: Path) -> None:
    document = add(rag, tmp_path)
    library = rag.maps.wait(60).map
    assert library is not None
    _, children = rag.chunks(document)
    assert set(library.ids) == {child.id for child in children}
    assert library.total == len(library.ids) == len(children)
    assert set(library.documents) == {document}
    pages = dict(zip(library.ids, library.pages, strict=True))
    assert all(pages[child.id] == child.page for child in children)
    words = dict(zip(library.ids, library.words, strict=True))
    assert all(child.text.startswith(words[child.id].rstrip("…")) for child in children)


def test_map_is_kept_and_not_made_again(
    open_rag: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_rag()
    add(first, tmp_path)
    made = first.maps.wait(60).map
    first.close()
    monkeypatch.setattr(Index, "sample", lambda *_: pytest.fail("made again"))
    kept = open_rag().maps.wait(60).map
    assert made is not None and kept is not None
    assert kept.ids == made.ids and kept.words == made.words
    assert np.array_equal(kept.positions, made.positions)
    assert kept.place([made.vectors[0]]) == made.place([made.vectors[0]])


def test_removed_document_leaves_nothing(rag: SelfRag, tmp_path: Path) -> None:
    gone, stays = add(rag, tmp_path), add(rag, tmp_path, "quay")
    assert len(set(rag.maps.wait(60).map.documents)) == 2
    (before,) = files(rag)
    rag.delete(gone)
    assert files(rag) == []
    after = rag.maps.wait(60).map
    assert set(after.documents) == {stays}
    (now,) = files(rag)
    assert now != before


def test_last_document_removed_leaves_no_map(rag: SelfRag, tmp_path: Path) -> None:
    document = add(rag, tmp_path, pages=1)
    assert rag.maps.wait(60).map.total == 1
    rag.delete(document)
    view = rag.maps.view()
    assert (view.map, view.progress, view.error) == (None, None, None)


def test_map_stays_while_one_with_the_new_document_is_made(rag: SelfRag, tmp_path: Path) -> None:
    add(rag, tmp_path)
    before = rag.maps.wait(60).map
    add(rag, tmp_path, "quay")
    view = rag.maps.view()
    assert view.map is before and view.newer == 1 and view.progress is not None
    after = rag.maps.wait(60)
    assert len(after.map.ids) == 2 * len(before.ids) and not after.newer
    assert len(files(rag)) == 1


def cut(content: bytes) -> bytes:
    return content[:-200]


def packed_in_an_unknown_way(content: bytes) -> bytes:
    """With the method of every entry, in both of its headers, one that nobody knows."""
    changed = bytearray(content)
    for head, place in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        at = content.find(head)
        while at >= 0:
            changed[at + place] = 99
            at = content.find(head, at + 1)
    return bytes(changed)


@pytest.mark.parametrize("damage", [cut, packed_in_an_unknown_way])
def test_damaged_file_is_made_again(
    open_rag: Open,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[bytes], bytes],
) -> None:
    first = open_rag()
    add(first, tmp_path)
    made = first.maps.wait(60).map
    first.close()
    (file,) = files(first)
    file.write_bytes(damage(file.read_bytes()))
    again = open_rag().maps.wait(60).map
    assert again is not None and np.array_equal(again.positions, made.positions)
    assert "is damaged and made again" in caplog.text


def test_two_who_look_at_once_begin_one_map(
    rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(rag, tmp_path)
    may, begun, real = threading.Event(), [], Index.sample

    def waiting(self, *args):
        begun.append(1)
        assert may.wait(30)
        return real(self, *args)

    monkeypatch.setattr(Index, "sample", waiting)
    views = [rag.maps.view() for _ in range(5)]
    assert all(view.map is None and view.progress is not None for view in views)
    may.set()
    assert rag.maps.wait(60).map is not None
    assert len(begun) == 1


def test_index_that_does_not_answer_is_told_and_tried_again(
    rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(rag, tmp_path)

    def fails(*_):
        raise UserError("The Qdrant server does not answer. Check QDRANT_URL.")

    with monkeypatch.context() as patched:
        patched.setattr(Index, "sample", fails)
        assert "does not answer" in rag.maps.wait(60).error
        assert "does not answer" in rag.maps.view().error  # and not tried at every look
    rag.maps.retry()
    assert rag.maps.wait(60).map is not None


def test_application_that_ends_does_not_wait_for_the_map(
    open_rag: Open,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    rag = open_rag()
    add(rag, tmp_path)
    reached, real = threading.Event(), Index.sample

    def slow(self, most, documents, told):
        reached.set()
        while True:  # as a library without an end
            told(0)
            threading.Event().wait(0.01)
            real(self, most, documents, told)

    monkeypatch.setattr(Index, "sample", slow)
    assert rag.maps.view().progress is not None
    assert reached.wait(30)
    rag.close()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert files(rag) == []


def test_full_disk_costs_the_file_only(
    rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(rag, tmp_path)

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    assert rag.maps.wait(60).map is not None
    assert files(rag) == []


def test_passage_that_was_not_drawn_is_placed_near_its_kind(
    rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfrag.evaluation.mapping.MOST", 8)
    document = add(rag, tmp_path)
    library = rag.maps.wait(60).map
    assert (len(library.ids), library.total) == (8, 10)
    _, children = rag.chunks(document)
    (other, *_) = [child.id for child in children if child.id not in library.ids]
    (at,) = library.place([rag.index.vectors([other])[other]])
    assert np.isfinite(at).all()
