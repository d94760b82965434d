"""The map of a library: its chunks on a plane, and where anything else lies among them.

    <folder>/<signature>.npz      one map, of the library as it is

The signature is a digest of what the map is made of: every document's chunks and the model that
embedded them. A map of another state of the library is removed as soon as it is met.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np

from selfrag.errors import disk_is_full
from selfrag.evaluation.projection import lay_out, place
from selfrag.index.sampling import SampledChunk
from selfrag.records.documents import DocumentRecord

logger = logging.getLogger(__name__)

MOST = 5_000  #: chunks of a map; more would neither be seen nor be laid out in some seconds
WORDS = 90  #: characters of each chunk that are shown
_VERSION = 1  #: of the layout: another one is another map


@dataclass(frozen=True, slots=True)
class Signature:
    """What a map is made of.

    Attributes:
        model: name and dimension of the embedding model.
        documents: id -> what its chunks depend on.
    """

    model: str
    documents: Mapping[str, str]

    @classmethod
    def of(cls, records: Sequence[DocumentRecord], model: str) -> Self:
        """Of the documents that can be searched."""
        return cls(
            model,
            {
                record.id: json.dumps(
                    [record.children, record.sizes, record.ocr, record.pages], sort_keys=True
                )
                for record in records
            },
        )

    @property
    def digest(self) -> str:
        """The name of its file."""
        parts = [_VERSION, MOST, WORDS, self.model, sorted(self.documents.items())]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def grew_from(self, older: "Signature") -> bool:
        """Whether everything in ``older`` is still as it was."""
        return self.model == older.model and older.documents.items() <= self.documents.items()


@dataclass(frozen=True, slots=True)
class LibraryMap:
    """Chunks on a plane; the sequences have one entry for each.

    Attributes:
        ids, documents, pages: the chunk, its document's id, the page it begins on.
        words: its first words, on one line.
        vectors: float16, shape (n, dimensions).
        positions: float32, shape (n, 2).
        total: chunks of the library, of which these are an even draw.
        kept: share of a chunk's ten nearest by meaning that are among its ten nearest here.
    """

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    pages: tuple[int, ...]
    words: tuple[str, ...]
    vectors: np.ndarray
    positions: np.ndarray
    total: int
    kept: float | None

    @classmethod
    def of(
        cls,
        chunks: Sequence[SampledChunk],
        total: int,
        told: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Lay chunks out; ``told`` as `lay_out`."""
        if not chunks:
            empty = np.zeros((0, 2), dtype=np.float32)
            return cls((), (), (), (), empty, empty, total, None)
        vectors = np.stack([chunk.vector for chunk in chunks]).astype(np.float16)
        laid = lay_out(vectors, told)
        return cls(
            tuple(chunk.id for chunk in chunks),
            tuple(chunk.document_id for chunk in chunks),
            tuple(chunk.page for chunk in chunks),
            tuple(_first_words(chunk.text) for chunk in chunks),
            vectors,
            laid.positions,
            total,
            laid.kept,
        )

    def place(self, vectors: Sequence[Sequence[float] | np.ndarray]) -> list[tuple[float, float]]:
        """Where others lie: a question, or chunks that were not drawn."""
        if not len(vectors):
            return []
        placed = place(np.asarray(vectors, dtype=np.float32), self.vectors, self.positions)
        return [(float(x), float(y)) for x, y in placed]

    @property
    def neighbourhood(self) -> int:
        """How many chunks are in the neighbourhood of a point."""
        return min(len(self.ids), max(10, len(self.ids) // 20))

    def near(self, at: tuple[float, float], point: tuple[float, float]) -> bool:
        """Whether ``point`` is as close to ``at`` as the chunks of its neighbourhood are."""
        away = np.hypot(*(self.positions - np.array(at, dtype=np.float32)).T)
        reach = float(np.sort(away)[self.neighbourhood - 1])
        return bool(np.hypot(point[0] - at[0], point[1] - at[1]) <= reach * (1 + 1e-6))

    def write(self, path: Path) -> None:
        """Keep it, whole or not at all; where there is no room for it, it is made again."""
        words = {"documents": self.documents, "pages": self.pages, "words": self.words}
        about = json.dumps({"ids": self.ids, **words, "total": self.total, "kept": self.kept})
        draft = path.with_suffix(".draft")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft.open("wb") as file:
                np.savez(
                    file,
                    about=np.frombuffer(about.encode("utf-8", "replace"), dtype=np.uint8),
                    vectors=self.vectors,
                    positions=self.positions,
                )
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            said = "the disk is full" if disk_is_full(error) else error
            logger.warning("the map of the library is not kept: %s", said)

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What `write` kept; None where there is nothing, or it is damaged."""
        try:
            with np.load(path, allow_pickle=False) as kept:
                about = json.loads(kept["about"].tobytes().decode("utf-8"))
                vectors, positions = kept["vectors"], kept["positions"]
            columns = [tuple(about[name]) for name in ("ids", "documents", "pages", "words")]
            if any(len(column) != len(positions) for column in (*columns, vectors)):
                raise ValueError("its parts have different lengths")
            ids, documents, pages, words = columns
            total, share = about["total"], about["kept"]
            return cls(ids, documents, pages, words, vectors, positions, total, share)
        except FileNotFoundError:
            return None
        except Exception as error:  # one wrong byte shows in a dozen kinds of them
            logger.warning("the map in %s is damaged and made again: %s", path, error)
            return None


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WORDS else f"{line[: WORDS - 1].rsplit(' ', 1)[0]}…"
