"""One collection of the embedded index: an engine shard and the file that describes it.

    <folder>/collection.json    vectors, sparse vectors and metadata, as they were given
    <folder>/shard/             the engine's files

No HNSW graph is built: the engine builds one only while it holds Python's global lock, which
stops the whole process (measured: 7 s at 20,000 chunks of 384 dimensions). Instead every vector
is kept in four bits a dimension besides (TurboQuant, Zandieh et al. 2025, arXiv:2504.19874; made
as points are written), large collections are scanned by those, and three times the points that
are wanted are scored again by the vectors themselves. On random vectors, the hardest there are,
this found 0.999 of the best hundred; at 20,000 points in 0.3 ms instead of 1.3, at 200,000 in 3
to 7 instead of 40.
"""

import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import qdrant_edge as engine
from pydantic import ValidationError
from qdrant_client import models

from selfrag.errors import UserError
from selfrag.index.space import RESERVE, full, has_room, must_open, occupied

DESCRIPTION_FILE = "collection.json"
SHARD_FOLDER = "shard"

#: The engine refuses a shard without any vector, so a payload-only one gets this, unused.
_UNUSED_VECTOR = "unused"
#: Deleted points are reclaimed in segments of at least so many, where they are this share.
#: Until then they still count in the inverse document frequencies, as on a Qdrant server.
RECLAIM_FROM = 100
RECLAIM_SHARE = 0.1
#: In collections of up to so many points they are reclaimed while the collection is in use, which
#: stops the whole process for a second at 20,000; in larger ones when it is opened.
RECLAIM_TO = 50_000
#: Collections of up to so many points are searched exactly, which takes less than a millisecond.
EXACT_TO = 10_000

_DISTANCES = {
    models.Distance.COSINE: engine.Distance.Cosine,
    models.Distance.EUCLID: engine.Distance.Euclid,
    models.Distance.DOT: engine.Distance.Dot,
    models.Distance.MANHATTAN: engine.Distance.Manhattan,
}


@dataclass
class Description:
    """What a collection was created with."""

    vectors: dict[str, models.VectorParams] = field(default_factory=dict)
    sparse_vectors: dict[str, models.SparseVectorParams] = field(default_factory=dict)
    metadata: dict[str, Any] | None = None

    def write(self, folder: Path) -> None:
        """Replace the file in one step, so that it is never half written."""
        document = {
            "vectors": {name: _dump(params) for name, params in self.vectors.items()},
            "sparse_vectors": {name: _dump(params) for name, params in self.sparse_vectors.items()},
            "metadata": self.metadata,
        }
        draft = folder / f"{DESCRIPTION_FILE}.{uuid4().hex}"
        draft.write_text(json.dumps(document, indent=1), encoding="utf-8")
        draft.replace(folder / DESCRIPTION_FILE)

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Raises OSError or ValueError where the file is missing or damaged."""
        document = json.loads((folder / DESCRIPTION_FILE).read_text(encoding="utf-8"))
        try:
            return cls(
                {n: models.VectorParams(**p) for n, p in document["vectors"].items()},
                {n: models.SparseVectorParams(**p) for n, p in document["sparse_vectors"].items()},
                document["metadata"],
            )
        except (KeyError, TypeError, AttributeError, ValidationError) as error:
            raise ValueError(f"{DESCRIPTION_FILE} is damaged") from error

    @property
    def sizes(self) -> dict[str, int | None]:
        """The dimension of each vector, None for a sparse one."""
        return {
            **{name: params.size for name, params in self.vectors.items()},
            **dict.fromkeys(self.sparse_vectors),
        }

    def engine_config(self) -> engine.EdgeConfig:
        """The engine's form of it.

        Raises:
            NotImplementedError: quantization, multivectors or other data types are asked for.
        """
        for params in self.vectors.values():
            if params.quantization_config or params.multivector_config or params.datatype:
                raise NotImplementedError("the embedded index stores plain float vectors only")
        sparse = {
            name: engine.EdgeSparseVectorParams(
                modifier=engine.Modifier.Idf if params.modifier is models.Modifier.IDF else None
            )
            for name, params in self.sparse_vectors.items()
        }
        if not self.vectors and not sparse:
            sparse = {_UNUSED_VECTOR: engine.EdgeSparseVectorParams()}
        return engine.EdgeConfig(
            vectors={
                name: engine.EdgeVectorParams(params.size, _DISTANCES[params.distance])
                for name, params in self.vectors.items()
            },
            sparse_vectors=sparse,
            quantization_config=engine.TurboQuantQuantizationConfig(
                bits=engine.TurboQuantBitSize.Bits4
            ),
            optimizers=engine.EdgeOptimizersConfig(
                indexing_threshold=0,
                vacuum_min_vector_number=RECLAIM_FROM,
                deleted_threshold=RECLAIM_SHARE,
            ),
            # Without an optimiser there is one segment, so that more threads only spin: a tenth
            # slower (measured at 20,000 and at 200,000 points).
            max_search_threads=1,
            # Read ahead when the collection is opened. Else the first questions to 200,000 points
            # take 15 ms instead of 7, until every page was touched once.
            payload_memory=engine.Memory.Cached,
        )


class EdgeCollection:
    """An open collection. ``shard`` may be used by any number of threads."""

    def __init__(self, folder: Path, description: Description, shard: engine.EdgeShard) -> None:
        self.name = folder.name
        self.folder = folder
        self.description = description
        self.shard = shard
        self._upkeep = threading.Lock()  # flush, reclaim and close exclude each other
        self._closed = False

    @classmethod
    def create(cls, folder: Path, description: Description) -> Self:
        """Make a collection in ``folder``, which appears only once it is complete."""
        draft = folder.with_name(f".new-{uuid4().hex}")
        config = description.engine_config()
        try:
            (draft / SHARD_FOLDER).mkdir(parents=True)
            with reported(folder):
                engine.EdgeShard.create(str(draft / SHARD_FOLDER), config).close()
            description.write(draft)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open what ``create`` made.

        Raises:
            UserError: it is damaged, or the disk is too full.
        """
        must_open(folder)
        try:
            description = Description.read(folder)
        except (OSError, ValueError) as error:
            raise damaged(folder, error) from error
        with reported(folder, opening=True):
            shard = engine.EdgeShard.load(str(folder / SHARD_FOLDER), description.engine_config())
        made = cls(folder, description, shard)
        if made._large():
            made._reclaim()
        return made

    def call(self, action: Callable[[engine.EdgeShard], Any]) -> Any:
        """Do something with the shard; the engine's errors come out as ``reported`` says."""
        with reported(self.folder):
            return action(self.shard)

    def merge_metadata(self, metadata: Mapping[str, Any]) -> None:
        """Add to the metadata; keys that are not named stay."""
        merged = Description(
            self.description.vectors,
            self.description.sparse_vectors,
            {**(self.description.metadata or {}), **metadata},
        )
        merged.write(self.folder)
        self.description = merged

    def tidy(self) -> bool:
        """Flush, and reclaim deleted points where there are many; True where some were.

        Those of a large collection are reclaimed when it is next opened: see RECLAIM_TO.
        """
        with self._upkeep:
            if self._closed:
                return False
            with reported(self.folder):
                self.shard.flush()
            return False if self._large() else self._reclaim()

    def _large(self) -> bool:
        with reported(self.folder):
            return bool(self.shard.info().points_count > RECLAIM_TO)

    def _reclaim(self) -> bool:
        # It writes the points that are left once more.
        if not has_room(self.folder, occupied(self.folder) + RESERVE):
            return False
        with reported(self.folder):
            reclaimed = bool(self.shard.optimize())
            if reclaimed:
                self.shard.flush()
        return reclaimed

    def close(self) -> None:
        """Flush and close; calls that come later raise RuntimeError."""
        with self._upkeep:
            if not self._closed:
                self._closed = True
                with reported(self.folder):
                    self.shard.close()


@contextmanager
def reported(folder: Path, *, opening: bool = False) -> Iterator[None]:
    """Sort the engine's errors by who can act on them.

    Raises:
        UserError: the files are damaged, or the disk is full.
        RuntimeError: the collection was closed meanwhile.
        ValueError: the request was wrong.
    """
    try:
        yield
    except (ValueError, TypeError, NotImplementedError) as error:
        if opening:
            raise damaged(folder, error) from error
        raise
    except Exception as error:
        text = str(error)
        if "os error 28" in text or "No space left" in text or "os error 112" in text:
            raise full(folder.parent) from error
        if "Shard is not initialized" in text:
            raise RuntimeError(f"Collection {folder.name} is closed") from error
        if opening or text.startswith("Service "):
            raise damaged(folder, error) from error
        raise ValueError(text) from error
    except BaseException as error:
        # The engine panics on some damaged files; that is no Exception to Python.
        if type(error).__name__ != "PanicException":
            raise
        raise damaged(folder, error) from error


def damaged(folder: Path, reason: BaseException) -> UserError:
    """The error for a collection whose files cannot be read."""
    return UserError(
        f"The collection {folder.name} in {folder.parent} is damaged and cannot be opened "
        f"({reason}). Other collections are not affected. Run `python -m selfrag ingest "
        "--reset`, which rebuilds it from the library's own copies."
    )


def _dump(params: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = params.model_dump(mode="json", exclude_none=True)
    return dumped
