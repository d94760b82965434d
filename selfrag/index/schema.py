"""The two collections of a library: their names, their vectors, how they are made and filtered."""

from collections.abc import Container, Mapping, Sequence
from typing import TypeAlias

from qdrant_client import QdrantClient, models

from selfrag.index import fingerprint as fingerprints
from selfrag.index.edge import EdgeClient
from selfrag.index.payload import DOCUMENT_ID, LANGUAGE

Client: TypeAlias = QdrantClient | EdgeClient

DOCUMENTS = "self_rag_documents"
PARENTS = "self_rag_parents"
DENSE = "dense"
BM25 = "bm25"


def make_collection(
    client: QdrantClient,
    name: str,
    fingerprint: Mapping[str, str | int],
    *,
    searched: bool,
    shards: int | None = None,
    replicas: int | None = None,
) -> None:
    """Make one of the two, with its payload indexes.

    Args:
        fingerprint: recorded with it; ``dimension`` is the dense vectors'.
        searched: whether it holds children, which have vectors.
        shards, replicas: for a cluster.
    """
    vectors, sparse = {}, {}
    if searched:
        size = int(fingerprint["dimension"])
        vectors[DENSE] = models.VectorParams(size=size, distance=models.Distance.COSINE)
        sparse[BM25] = models.SparseVectorParams(modifier=models.Modifier.IDF)
    client.create_collection(
        name,
        vectors_config=vectors,
        sparse_vectors_config=sparse,
        shard_number=shards,
        replication_factor=replicas,
        # A write returns once every replica has it, so that the next read sees it.
        write_consistency_factor=replicas,
        metadata={fingerprints.KEY: dict(fingerprint)},
    )
    index_fields(client, name, ())


def index_fields(client: QdrantClient, name: str, indexed: Container[str]) -> None:
    """Make the payload indexes that are not there: a process may have been killed before it did.

    Args:
        indexed: the fields that have one.
    """
    for field in (DOCUMENT_ID, LANGUAGE):
        if field not in indexed:
            client.create_payload_index(name, field, models.PayloadSchemaType.KEYWORD)


def of_documents(documents: Sequence[str]) -> models.Filter:
    """The points that belong to one of these documents, named by id."""
    match = models.MatchAny(any=list(documents))
    return models.Filter(must=[models.FieldCondition(key=DOCUMENT_ID, match=match)])
