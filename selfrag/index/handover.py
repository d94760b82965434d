"""Embeddings that hand over what is known already, for LangChain's store to write and ask."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_qdrant import SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector

from selfrag.index.bm25 import Bm25Embeddings


class ComputedVectors(Embeddings):
    """Vectors that were computed before, given out in the order of the texts.

    The store asks for its texts batch by batch and in order, once each; anything else
    would pair texts with the wrong vectors, so it raises.
    """

    def __init__(self, vectors: Sequence[Sequence[float]] | np.ndarray) -> None:
        self._vectors = vectors
        self._given = 0

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """The next ``len(texts)`` vectors."""
        batch = self._vectors[self._given : self._given + len(texts)]
        if len(batch) != len(texts):
            raise ValueError("more texts than computed vectors")
        self._given += len(texts)
        return [np.asarray(vector, dtype=np.float64).tolist() for vector in batch]

    def embed_query(self, text: str) -> list[float]:
        """Not to be had: these vectors are for writing."""
        raise NotImplementedError("computed vectors answer no queries")


class InLanguage(SparseEmbeddings):
    """BM25 of documents in one language."""

    def __init__(self, sparse: Bm25Embeddings, language: str | None) -> None:
        self._sparse = sparse
        self._language = language

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        """One vector per text."""
        return self._sparse.embed_documents_in(texts, self._language)

    def embed_query(self, text: str) -> SparseVector:
        """The query's words in that language."""
        return self._sparse.embed_query_in(text, [self._language or self._sparse.language])


class InLanguagesOf(SparseEmbeddings):
    """BM25 of queries in every language that the index holds.

    Args:
        languages: asked at each query, since documents come and go.
    """

    def __init__(self, sparse: Bm25Embeddings, languages: Callable[[], Iterable[str]]) -> None:
        self._sparse = sparse
        self._languages = languages

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        """One vector per text, in the default language."""
        return self._sparse.embed_documents(texts)

    def embed_query(self, text: str) -> SparseVector:
        """The query's words as each language stems them."""
        languages = {*self._languages(), self._sparse.language}
        return self._sparse.embed_query_in(text, sorted(languages))
