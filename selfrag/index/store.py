"""The index: children that are found by search, and the parents that are read for them.

Two collections behind one object. Children carry a dense vector ("dense", cosine) and a
sparse one ("bm25", weighted by inverse document frequency); parents are looked up by id,
so they carry none. Works over the embedded client, a Qdrant server, and the in-memory
client of tests.
"""

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseVector
from qdrant_client import QdrantClient, models

from selfrag.errors import UserError
from selfrag.index import fingerprint as fingerprints
from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.handover import ComputedVectors, InLanguage, InLanguagesOf
from selfrag.index.payload import CONTENT, DOCUMENT_ID, LANGUAGE, METADATA, metadata, storable
from selfrag.index.reach import reachable
from selfrag.index.sampling import SampledChunk, sample
from selfrag.index.schema import (
    BM25,
    DENSE,
    DOCUMENTS,
    PARENTS,
    Client,
    index_fields,
    make_collection,
    of_documents,
)
from selfrag.pages import Chunk

_PAGE = 500  # points per request where all of a document are read
_BATCH = 128  # points per request where they are written
_MOST_VALUES = 100_000  # documents and languages that are told apart


class Index:
    """Both collections. Make one with ``Index.open``; every method may be called from any thread.

    Every method raises UserError where a Qdrant server does not answer.
    """

    def __init__(
        self,
        client: Client,
        embeddings: Embeddings,
        sparse: Bm25Embeddings,
        collection: str = DOCUMENTS,
        parent_collection: str = PARENTS,
    ) -> None:
        # EdgeClient speaks the part of QdrantClient that is used here and in LangChain.
        self._client = cast(QdrantClient, client)
        self._embeddings = embeddings
        self._sparse = sparse
        self._collection = collection
        self._parents = parent_collection

    @classmethod
    @reachable()
    def open(
        cls,
        client: Client,
        *,
        embeddings: Embeddings,
        sparse: Bm25Embeddings,
        fingerprint: Mapping[str, str | int],
        collection: str = DOCUMENTS,
        parent_collection: str = PARENTS,
        shards: int | None = None,
        replicas: int | None = None,
    ) -> Self:
        """Open the index, and make it where there is none.

        Args:
            embeddings: embeds the queries of ``vector_store``; nothing is embedded here.
            fingerprint: what the index is built with; ``dimension`` is the dense vectors'.
            shards, replicas: for a cluster, when the collections are made.

        Raises:
            UserError: the index was built with another fingerprint, is damaged or
                incomplete, or is held by another process.
        """
        there = [name for name in (collection, parent_collection) if client.collection_exists(name)]
        indexed: dict[str, Container[str]] = {}
        for name in there:
            stored = client.get_collection(name)
            indexed[name] = stored.payload_schema or {}
            fingerprints.check(name, stored.config.metadata, fingerprint)
            if name == collection:
                fingerprints.check_dimension(name, stored.config.params.vectors, fingerprint)
            if len(there) == 1 and stored.points_count:
                raise UserError(
                    f"The index is incomplete: of {collection} and {parent_collection} only "
                    f"{name} is there. Please {fingerprints.REBUILD}."
                )
        index = cls(client, embeddings, sparse, collection, parent_collection)
        for name, fields in indexed.items():
            index_fields(index._client, name, fields)
        for name in {collection, parent_collection} - set(there):
            make_collection(
                index._client,
                name,
                fingerprint,
                searched=name == collection,
                shards=shards,
                replicas=replicas,
            )
        return index

    @classmethod
    @reachable()
    def erase(
        cls, client: Client, collection: str = DOCUMENTS, parent_collection: str = PARENTS
    ) -> None:
        """Remove both collections, damaged or not, so that ``open`` makes them anew."""
        for name in (collection, parent_collection):
            if client.collection_exists(name):
                client.delete_collection(name)

    @property
    def vector_store(self) -> QdrantVectorStore:
        """The children as LangChain's hybrid store, for ``as_retriever`` and the like.

        It fuses with Qdrant's default RRF (k = 2) unless it is given ``hybrid_fusion``.
        """
        return self._store(self._embeddings, InLanguagesOf(self._sparse, self.languages))

    def _store(self, embeddings: Embeddings, sparse: Any) -> QdrantVectorStore:
        return QdrantVectorStore(
            client=self._client,
            collection_name=self._collection,
            embedding=embeddings,
            retrieval_mode=RetrievalMode.HYBRID,
            vector_name=DENSE,
            sparse_embedding=sparse,
            sparse_vector_name=BM25,
            # Both would embed a probe text; the fingerprint has been compared already.
            validate_embeddings=False,
            validate_collection_config=False,
        )

    @reachable()
    def add(
        self,
        document_id: str,
        document_name: str,
        parents: Sequence[Chunk],
        children: Sequence[Chunk],
        vectors: Sequence[Sequence[float]] | np.ndarray,
        language: str | None,
    ) -> None:
        """Write a document. The same chunks again change nothing: their ids are the same.

        Args:
            vectors: the children's dense vectors, in order, one row each.
            language: ISO 639-1 code for BM25; None takes the default one.
        """
        if len(vectors) != len(children):
            raise ValueError(f"{len(children)} children but {len(vectors)} vectors")
        # Parents first: a child that can be found must have something to be read.
        points = [
            models.PointStruct(
                id=parent.id,
                vector={},
                payload={
                    CONTENT: storable(parent.text),
                    METADATA: metadata(parent, document_id, document_name, language),
                },
            )
            for parent in parents
        ]
        for start in range(0, len(points), _BATCH):
            self._client.upsert(self._parents, points[start : start + _BATCH])
        store = self._store(ComputedVectors(vectors), InLanguage(self._sparse, language))
        store.add_texts(
            [storable(child.text) for child in children],
            [metadata(child, document_id, document_name, language) for child in children],
            [child.id for child in children],
            batch_size=_BATCH,
        )

    @reachable()
    def delete(self, document_id: str) -> None:
        """Remove a document; one that is not there does not matter."""
        selector = models.FilterSelector(filter=of_documents([document_id]))
        for name in (self._collection, self._parents):
            self._client.delete(name, selector)

    @reachable()
    def rename(self, document_id: str, name: str) -> None:
        """Change the name that a document is shown under."""
        for collection in (self._collection, self._parents):
            self._client.set_payload(
                collection, {"document": storable(name)}, of_documents([document_id]), key=METADATA
            )

    @reachable()
    def count(self, document_id: str | None = None) -> tuple[int, int]:
        """How many children and parents there are, in one document or in all."""
        only = None if document_id is None else of_documents([document_id])
        children = self._client.count(self._collection, only, exact=True).count
        return children, self._client.count(self._parents, only, exact=True).count

    @reachable()
    def documents(self) -> dict[str, int]:
        """Document id -> number of its children."""
        return self._values(self._collection, DOCUMENT_ID)

    @reachable()
    def parents_of_documents(self) -> dict[str, int]:
        """Document id -> number of its parents."""
        return self._values(self._parents, DOCUMENT_ID)

    @reachable()
    def languages(self) -> dict[str, int]:
        """Language code -> number of children in it; children without one are not counted."""
        return self._values(self._collection, LANGUAGE)

    def _values(self, collection: str, field: str) -> dict[str, int]:
        answer = self._client.facet(collection, field, limit=_MOST_VALUES, exact=True)
        return {str(hit.value): hit.count for hit in answer.hits}

    @reachable()
    def parents(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Parent id -> payload (``page_content`` and ``metadata``), of those that are there."""
        return self._payloads(self._parents, ids)

    @reachable()
    def passages(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Child id -> payload (``page_content`` and ``metadata``), of those that are there."""
        return self._payloads(self._collection, ids)

    def _payloads(self, collection: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        if not ids:
            return {}
        found = self._client.retrieve(collection, list(ids), with_payload=True)
        return {str(point.id): point.payload or {} for point in found}

    @reachable()
    def children(self, document_id: str) -> list[dict[str, Any]]:
        """The payloads of a document's children, in reading order."""
        payloads: list[dict[str, Any]] = []
        offset: Any = None
        while True:
            page, offset = self._client.scroll(
                self._collection, of_documents([document_id]), limit=_PAGE, offset=offset
            )
            payloads += [point.payload or {} for point in page]
            if offset is None:
                return sorted(payloads, key=lambda payload: payload[METADATA]["position"])

    @reachable()
    def vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """Child id -> dense vector of length 1, float32; of those that are there."""
        found = self._client.retrieve(
            self._collection, list(ids), with_payload=False, with_vectors=[DENSE]
        )
        return {
            str(point.id): np.asarray(cast(dict[str, Any], point.vector)[DENSE], dtype=np.float32)
            for point in found
        }

    @reachable()
    def sample(
        self,
        most: int,
        documents: Collection[str],
        told: Callable[[int], None] | None = None,
    ) -> list[SampledChunk]:
        """An even draw of children with their vectors; see `selfrag.index.sampling.sample`."""
        return sample(self._client, self._collection, most, documents, told)

    @reachable()
    def search(
        self,
        dense: Sequence[float] | None,
        sparse: SparseVector | models.SparseVector | None,
        limit: int,
        documents: Sequence[str] | None = None,
        payload: bool | Sequence[str] = True,
    ) -> dict[str, list[models.ScoredPoint]]:
        """The best children by each kind of vector, asked for in one request.

        Args:
            dense, sparse: the query's vectors; None leaves that list out.
            limit: length of each list.
            documents: ids of the documents to search; None for all.
            payload: all of it, none, or the fields named; reading it takes longer than finding
                the points.

        Returns:
            ``{"dense": [...], "bm25": [...]}``, best first. Dense scores
            are cosines (-1 to 1), BM25 scores are sums of word weights (0 and up).
        """
        answers: dict[str, list[models.ScoredPoint]] = {}
        asked: dict[str, Any] = {}
        if dense is not None:
            answers[DENSE] = []
            asked[DENSE] = list(dense)
        if sparse is not None:
            answers[BM25] = []
            if sparse.indices:  # only stop words: nothing to look for
                asked[BM25] = models.SparseVector(indices=sparse.indices, values=sparse.values)
        if not asked or (documents is not None and not documents):
            return answers
        only = None if documents is None else of_documents(documents)
        given = payload if isinstance(payload, bool) else list(payload)
        requests = [
            models.QueryRequest(
                query=query, using=name, filter=only, limit=limit, with_payload=given
            )
            for name, query in asked.items()
        ]
        found = self._client.query_batch_points(self._collection, requests)
        return answers | {name: answer.points for name, answer in zip(asked, found, strict=True)}
