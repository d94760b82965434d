"""An index moved between the embedded engine and Qdrant's client, in both directions."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from selfrag.errors import UserError
from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.edge import EdgeClient
from selfrag.index.store import DOCUMENTS, PARENTS, Client, Index
from selfrag.index.transfer import MARK, copy, move
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.index.test_store import WordEmbeddings, fill, open_index

NAMES = (DOCUMENTS, PARENTS)


@pytest.fixture(params=["to a server", "to this machine"])
def sides(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Client, Client]]:
    """Source and target; the in-memory client stands for the server."""
    edge, server = EdgeClient(tmp_path), QdrantClient(":memory:")
    with warnings.catch_warnings():  # the in-memory client says that it needs no index
        warnings.simplefilter("ignore", UserWarning)
        yield (edge, server) if request.param == "to a server" else (server, edge)
    edge.close()


def everything(index: Index) -> object:
    dense = WordEmbeddings().embed_query("the dam and the valley")
    sparse = Bm25Embeddings().embed_query_in("dam cidade", ["en", "pt"])
    found = index.search(dense, sparse, 10)
    return (
        index.count(),
        index.documents(),
        index.languages(),
        index.children("en"),
        {name: [(p.id, round(p.score, 5)) for p in points] for name, points in found.items()},
    )


def test_moved_index_answers_as_before_and_the_source_is_left_as_it_was(
    sides: tuple[Client, Client],
) -> None:
    source, target = sides
    fill(open_index(source))
    before = everything(open_index(source))
    told: list[tuple[str, int, int]] = []
    copied = copy(source, target, NAMES, progress=lambda *told_: told.append(told_))
    assert copied == {DOCUMENTS: 6, PARENTS: 3}
    assert told == [(DOCUMENTS, 6, 6), (PARENTS, 3, 3)]
    assert everything(open_index(target)) == before
    assert everything(open_index(source)) == before


def test_target_that_holds_documents_is_not_overwritten(sides: tuple[Client, Client]) -> None:
    source, target = sides
    fill(open_index(source))
    fill(open_index(target))
    with pytest.raises(UserError, match="not overwritten"):
        copy(source, target, NAMES)
    assert open_index(target).count() == (6, 3)


def test_move_that_was_cut_short_cannot_be_opened_and_is_done_again(
    sides: tuple[Client, Client],
) -> None:
    source, target = sides
    fill(open_index(source))

    def stop(name: str, done: int, total: int) -> None:
        if name == PARENTS:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(source, target, NAMES, progress=stop)
    with pytest.raises(UserError, match="not built by this program"):
        open_index(target)
    assert copy(source, target, NAMES) == {DOCUMENTS: 6, PARENTS: 3}
    assert open_index(target).count() == (6, 3)
    assert target.get_collection(DOCUMENTS).config.metadata[MARK] is False


def test_nothing_to_move_is_said(sides: tuple[Client, Client]) -> None:
    with pytest.raises(UserError, match="no collection"):
        copy(*sides, NAMES)


@pytest.mark.parametrize(
    ("to", "said"), [("embedded", "on this machine already"), ("qdrant", "neither a URL")]
)
def test_wrong_target_is_explained(tmp_path: Path, to: str, said: str) -> None:
    chosen = Settings(_env_file=None, **{**plain_settings(), "storage_dir": tmp_path})
    with pytest.raises(UserError, match=said):
        move(chosen, to)


def test_server_that_is_down_leaves_the_library_as_it_was(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("selfrag.index.server.time.sleep", lambda _: None)
    with EdgeClient(tmp_path / "index") as client:
        fill(open_index(client))
    chosen = Settings(_env_file=None, **{**plain_settings(), "storage_dir": tmp_path})
    with pytest.raises(UserError, match="does not answer"):
        move(chosen, "http://127.0.0.1:9")
    with EdgeClient(tmp_path / "index") as client:
        assert open_index(client).count() == (6, 3)
