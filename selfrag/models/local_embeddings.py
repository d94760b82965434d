"""Embedding models that run in this process, as LangChain embeddings."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError

import numpy as np
from fastembed import TextEmbedding
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray


class LocalEmbeddings(Embeddings):
    """A FastEmbed model as LangChain embeddings. May be shared by threads.

    Texts are embedded sorted by length in small batches, because a batch is padded to its
    longest text: over twice as fast as FastEmbed's default of 256 in the order given.

    Args:
        model: the loaded model.
        name, dimension: of the model.
        languages: ISO 639-1 codes that the model knows, elsewhere keyword search weighs more;
            None where it knows many.
        batch_size: texts in one inference.
        cached_queries: query vectors that are remembered.
    """

    def __init__(
        self,
        model: TextEmbedding,
        name: str,
        dimension: int,
        languages: frozenset[str] | None = None,
        *,
        batch_size: int = 8,
        cached_queries: int = 512,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.languages = languages
        self._model = model
        self._batch_size = batch_size
        self._queries: OrderedDict[str, list[float]] = OrderedDict()
        self._cached_queries = cached_queries
        self._lock = threading.Lock()

    def vectors(
        self,
        texts: Sequence[str],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float32]:
        """Unit vectors, shape ``(len(texts), dimension)``, in the order of ``texts``.

        Args:
            progress: called after each batch with texts done and texts in all.
            cancel: looked at before each batch.

        Raises:
            CancelledError: ``cancel`` was set.
        """
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        longest_first = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for start in range(0, len(texts), self._batch_size):
            if cancel is not None and cancel.is_set():
                raise CancelledError
            rows = longest_first[start : start + self._batch_size]
            result[rows] = list(self._model.embed([texts[i] for i in rows]))
            if progress is not None:
                progress(start + len(rows), len(texts))
        return result

    def embed_documents(
        self,
        texts: list[str],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> list[list[float]]:
        """As ``vectors``, as LangChain wants it."""
        rows: list[list[float]] = self.vectors(texts, progress=progress, cancel=cancel).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of one text; the last few hundred are remembered."""
        with self._lock:
            if text in self._queries:
                self._queries.move_to_end(text)
                return list(self._queries[text])
        vector: list[float] = self.vectors([text])[0].tolist()
        with self._lock:
            self._queries[text] = vector
            if len(self._queries) > self._cached_queries:
                self._queries.popitem(last=False)
        return list(vector)
