"""The collections of the embedded client: made, listed, opened, tidied, closed, removed."""

import re
import shutil
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from qdrant_client import models

from selfrag.index.collection import Description, EdgeCollection
from selfrag.index.information import collection_info
from selfrag.index.lock import StorageLock
from selfrag.index.maintenance import Maintenance
from selfrag.index.space import must_have_room

#: Arguments that change nothing where there is one node and every write is waited for.
_MEANINGLESS = frozenset({"wait", "timeout", "consistency", "ordering", "shard_key_selector"})
_MEANINGLESS_AT_CREATION = _MEANINGLESS | {
    "shard_number",
    "replication_factor",
    "write_consistency_factor",
    "on_disk_payload",
    "hnsw_config",
    "optimizers_config",
    "wal_config",
    "payload",
    "id_tracker",
}
_NAME = re.compile(r"[^\\/:*?\"<>|\x00-\x1f.][^\\/:*?\"<>|\x00-\x1f]{0,99}")


class MissingCollectionError(ValueError):
    """There is no such collection; the local ``QdrantClient`` raises its base for it."""


class EdgeCatalogue:
    """All collections under ``path``, one folder each. Every method may be called from any thread.

    Raises:
        UserError: another process, or another client in this one, holds ``path``.
    """

    def __init__(self, path: Path) -> None:
        self._path = Path(path)
        self._lock = StorageLock(self._path)
        self._guard = threading.RLock()  # the table of open collections, and their files
        self._open: dict[str, EdgeCollection] = {}
        self._closed = False
        for leftover in [*self._path.glob(".new-*"), *self._path.glob(".deleted-*")]:
            shutil.rmtree(leftover, ignore_errors=True)
        self._maintenance = Maintenance(self.tidy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self, **_: Any) -> None:
        """Flush everything, give the folder back; further calls do nothing."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
        self._maintenance.stop()
        with self._guard:
            # One that cannot be closed keeps neither the others nor the folder from it.
            with ExitStack() as closing:
                closing.callback(self._lock.release)
                for collection in self._open.values():
                    closing.callback(collection.close)
                self._open.clear()

    def collection_exists(self, collection_name: str, **ignored: Any) -> bool:
        """Whether there is one of that name, damaged or not."""
        refuse(ignored)
        self._check_open()
        return (
            _NAME.fullmatch(collection_name) is not None and self._folder(collection_name).is_dir()
        )

    def get_collections(self, **ignored: Any) -> models.CollectionsResponse:
        """The names of all, damaged ones included."""
        refuse(ignored)
        self._check_open()
        names = sorted(
            each.name for each in self._path.iterdir() if each.is_dir() and each.name[0] != "."
        )
        return models.CollectionsResponse(
            collections=[models.CollectionDescription(name=name) for name in names]
        )

    def create_collection(
        self,
        collection_name: str,
        vectors_config: models.VectorParams | Mapping[str, models.VectorParams] | None = None,
        sparse_vectors_config: Mapping[str, models.SparseVectorParams] | None = None,
        metadata: Mapping[str, Any] | None = None,
        **ignored: Any,
    ) -> bool:
        """Make a collection; without vectors it holds payloads only."""
        refuse(ignored, _MEANINGLESS_AT_CREATION)
        if not _NAME.fullmatch(collection_name):
            raise ValueError(f"{collection_name!r} cannot be the name of a collection")
        if isinstance(vectors_config, models.VectorParams):
            vectors_config = {"": vectors_config}
        description = Description(
            dict(vectors_config or {}),
            dict(sparse_vectors_config or {}),
            None if metadata is None else dict(metadata),
        )
        with self._guard:
            if self.collection_exists(collection_name):
                raise ValueError(f"Collection {collection_name} already exists")
            must_have_room(self._path)
            folder = self._folder(collection_name)
            self._open[collection_name] = EdgeCollection.create(folder, description)
        return True

    def update_collection(
        self,
        collection_name: str,
        metadata: Mapping[str, Any] | None = None,
        **ignored: Any,
    ) -> bool:
        """Add to a collection's metadata; keys that are not named stay."""
        refuse(ignored)
        with self._guard:
            self._get(collection_name).merge_metadata(metadata or {})
        return True

    def delete_collection(self, collection_name: str, **ignored: Any) -> bool:
        """Remove a collection and its files, damaged or not; False where there is none."""
        refuse(ignored)
        with self._guard:
            if not self.collection_exists(collection_name):
                return False
            collection = self._open.pop(collection_name, None)
            if collection is not None:
                collection.close()
            self._maintenance.forget(collection_name)
            # Renamed first: a removal that is cut short leaves no half collection.
            doomed = self._folder(collection_name).rename(self._path / f".deleted-{uuid4().hex}")
            shutil.rmtree(doomed, ignore_errors=True)
        return True

    def get_collection(self, collection_name: str, **ignored: Any) -> models.CollectionInfo:
        """How the collection is configured, and what it holds."""
        refuse(ignored)
        collection = self._get(collection_name)
        return collection_info(
            collection.description,
            collection.call(lambda shard: shard.info()),
            self._maintenance.failures.get(collection_name),
        )

    def _get(self, name: str) -> EdgeCollection:
        with self._guard:
            self._check_open()
            collection = self._open.get(name)
            if collection is None:
                if not self.collection_exists(name):
                    raise MissingCollectionError(f"Collection {name} not found")
                collection = self._open[name] = EdgeCollection.open(self._folder(name))
            return collection

    def tidy(self, name: str) -> None:
        """Flush a collection and reclaim its deleted points; happens by itself after writes."""
        with self._guard:
            collection = self._open.get(name)
        if collection is not None:
            collection.tidy()

    def _folder(self, name: str) -> Path:
        return self._path / name

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("EdgeClient is closed. Please create a new one.")


def refuse(given: Mapping[str, Any], meaningless: frozenset[str] = _MEANINGLESS) -> None:
    """Refuse arguments that would change the answer on a server, and be forgotten here."""
    for name, value in given.items():
        if value is not None and name not in meaningless:
            raise NotImplementedError(f"the embedded index does not speak {name}={value!r}")
