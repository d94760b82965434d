"""A retrieval set in an index of its own, searched by the same funnel as the library.

    set -> chunks -> vectors (kept for next time) -> embedded index in a temporary folder -> funnel

Nothing is copied from the product: chunks, index, BM25, fusion and all later stages are its own.
"""

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfrag.documents.chunking import chunk
from selfrag.evaluation.beir import BeirSet
from selfrag.evaluation.cutting import Cutting
from selfrag.evaluation.scratch import scratch_folder
from selfrag.index.bm25 import FILLED, Bm25Embeddings, average_words
from selfrag.index.edge import EdgeClient
from selfrag.index.store import Index
from selfrag.models.embeddings import EmbeddingModel, Progress
from selfrag.models.language import detect_language
from selfrag.models.rerankers import NoReranker, Reranker
from selfrag.pages import Chunk, Page, PageKind, Reading
from selfrag.retrieval.funnel import Funnel, FunnelSettings
from selfrag.retrieval.result import Mode, Retrieval

logger = logging.getLogger(__name__)

_TOLD = 50  #: documents that are cut between two words about it
_TOGETHER = 250  #: passages whose vectors are kept at once: an interruption loses no more
#: A stage narrows the list; what it left out stands behind what it kept, in the order before.
STAGES_FROM_THE_END = ("parents", "rerank", "mmr", "fusion", "bm25", "dense")


class Experiment:
    """An open set: ``search`` it in any mode. Made by ``experiment``."""

    def __init__(
        self, data: BeirSet, funnel: Funnel, documents: Mapping[str, str], children: int
    ) -> None:
        self.data = data
        self.funnel = funnel
        self.children = children
        self._document_of = documents

    def search(self, query: str, mode: Mode, k: int | None = None) -> Retrieval:
        """One search, by the funnel."""
        return self.funnel.search(query, mode, k=k)

    def ranking(self, found: Retrieval) -> list[str]:
        """The documents in the order that a search gave them, each at its best chunk's place."""
        ranked: dict[str, None] = {}
        for stage in STAGES_FROM_THE_END:
            for child in found.lists.get(stage, ()):
                ranked.setdefault(self._document_of[child])
        return list(ranked)

    def documents(self, children: Iterable[str]) -> list[str]:
        """The documents of a ranked list of children, each at its best chunk's place."""
        return list(dict.fromkeys(self._document_of[child] for child in children))

    def rankings(
        self, mode: Mode, settings: FunnelSettings | None = None
    ) -> Iterator[tuple[str, list[str], float]]:
        """Query id, ranked documents and seconds, for every judged query.

        Args:
            settings: widths and weights for these searches; the funnel's own where None.
        """
        before = self.funnel.settings
        self.funnel.settings = settings or before
        try:
            for key, text in self.data.queries.items():
                began = time.perf_counter()
                found = self.search(text, mode)
                yield key, self.ranking(found), time.perf_counter() - began
        finally:
            self.funnel.settings = before


@contextmanager
def experiment(
    data: BeirSet,
    embeddings: EmbeddingModel,
    *,
    cutting: Cutting | None = None,
    settings: FunnelSettings | None = None,
    reranker: Reranker | None = None,
    cache_dir: Path | None = None,
    progress: Progress | None = None,
    cut: Progress | None = None,
) -> Iterator[Experiment]:
    """Index a set in a temporary folder, and remove it afterwards.

    Args:
        reranker: none where not given: the stage is then reported as skipped.
        cache_dir: where vectors are kept, so that the same set is embedded once.
        progress: told chunks embedded and chunks in all.
        cut: told documents cut and documents in all; may raise to end it, as ``progress`` may.
    """
    cutting = cutting or Cutting()
    kept = KeptVectors(embeddings, cache_dir)
    parents, children, languages = _cut(data, cutting, cut)
    of_document = {child.id: document for document, chunks in children.items() for child in chunks}
    texts = [child.text for chunks in children.values() for child in chunks]
    vectors = kept.documents(texts, progress)
    kept.queries(list(data.queries.values()))
    average = sum(map(len, texts)) / max(1, len(texts))
    size = cutting.size if cutting.chunked else round(average / FILLED)
    sparse = Bm25Embeddings(avg_len=average_words(size))
    with scratch_folder() as folder:
        client = EdgeClient(folder)
        try:
            index = Index.open(
                client,
                embeddings=embeddings,  # type: ignore[arg-type]
                sparse=sparse,
                fingerprint={"embedding_model": embeddings.name, "dimension": embeddings.dimension},
            )
            place = 0
            for document, chunks in children.items():
                rows = vectors[place : place + len(chunks)].tolist()
                place += len(chunks)
                index.add(document, document, parents[document], chunks, rows, languages[document])
            spoken = sorted({code for code in languages.values() if code})
            funnel = Funnel(index, kept, sparse, reranker or NoReranker(), lambda: spoken, settings)
            yield Experiment(data, funnel, of_document, len(texts))
        finally:
            client.close()


def _cut(
    data: BeirSet, cutting: Cutting, told: Progress | None = None
) -> tuple[dict[str, list[Chunk]], dict[str, list[Chunk]], dict[str, str | None]]:
    """Parents, children and language of each document."""
    parents: dict[str, list[Chunk]] = {}
    children: dict[str, list[Chunk]] = {}
    # One language for the set: a passage of a few lines tells it less surely than all together.
    sample = "\n".join(list(data.documents.values())[:50])
    language = detect_language(sample)
    for number, (document, text) in enumerate(data.documents.items()):
        if told is not None and number % _TOLD == 0:
            told(number, len(data.documents))
        sha256 = hashlib.sha256(f"{data.name}/{document}".encode()).hexdigest()
        if not text.strip():
            continue
        longest = len(text)
        size, overlap, parent = (
            (cutting.size, cutting.overlap, cutting.parent)
            if cutting.chunked
            else (longest, 0, longest)
        )
        page = Page(1, PageKind.TEXT, text, ((0, len(text)),))
        parents[document], children[document] = chunk(
            sha256,
            Reading((page,), language=language),
            chunk_size=size,
            chunk_overlap=overlap,
            parent_chunk_size=parent,
        )
    return parents, children, dict.fromkeys(children, language)


class KeptVectors:
    """An embedding model whose vectors are kept in files, named by model and texts.

    Speaks ``embed_query`` for the funnel.
    """

    def __init__(self, model: EmbeddingModel, folder: Path | None) -> None:
        self.name = model.name
        self.dimension = model.dimension
        self.languages = model.languages
        self._model = model
        self._folder = folder
        self._asked: dict[str, list[float]] = {}

    def documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Shape ``(len(texts), dimension)``; kept piece by piece as soon as they are there."""
        parts = []
        for begin in range(0, len(texts), _TOGETHER):
            some = list(texts[begin : begin + _TOGETHER])

            def told(done: int, total: int, begin: int = begin) -> None:
                if progress is not None:
                    progress(begin + done, len(texts))

            def make(some: list[str] = some, told: Progress = told) -> NDArray[np.float32]:
                return np.array(self._model.embed_documents(some, progress=told), dtype=np.float32)

            parts.append(self._kept("documents", some, make))
            told(len(some), len(some))
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def queries(self, texts: Sequence[str]) -> None:
        """Have the vectors of these queries ready."""
        rows = self._kept(
            "queries",
            texts,
            lambda: np.array([self._model.embed_query(text) for text in texts], dtype=np.float32),
        )
        self._asked.update(zip(texts, rows.tolist(), strict=True))

    def embed_query(self, text: str) -> list[float]:
        """The vector of one query, kept or made."""
        known = self._asked.get(text.strip())
        return known if known is not None else self._model.embed_query(text)

    def _kept(
        self, kind: str, texts: Iterable[str], make: Callable[[], NDArray[np.float32]]
    ) -> NDArray[np.float32]:
        if self._folder is None:
            return make()
        digest = hashlib.sha256(f"{self.name}\0{kind}".encode())
        for text in texts:
            digest.update(text.encode() + b"\0")
        file = self._folder / f"{digest.hexdigest()[:32]}.npy"
        if file.exists():
            try:
                rows: NDArray[np.float32] = np.load(file)
                return rows
            except (OSError, ValueError) as error:
                logger.warning("%s cannot be read (%s): embedded again", file, error)
        rows = make()
        self._folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part.npy")
        np.save(part, rows)
        part.replace(file)
        return rows
