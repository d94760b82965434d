"""The parts of an open library, each made from the settings."""

import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from selfrag.documents.library import Library
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.documents.sizes import ChunkSizes
from selfrag.index.bm25 import Bm25Embeddings, average_words
from selfrag.index.edge import EdgeClient
from selfrag.index.lock import StorageLock
from selfrag.index.server import ServerClient
from selfrag.index.store import Client, Index
from selfrag.models.embeddings import EmbeddingModel
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.models.rerankers import Reranker
from selfrag.records.documents import Documents
from selfrag.retrieval.funnel import Funnel, FunnelSettings
from selfrag.settings import Settings
from selfrag.storage import make_storage


def open_client(settings: Settings, storage: Path, opened: ExitStack) -> Client:
    """The index's client; the storage folder is held by this process either way.

    Raises:
        UserError: the folder cannot be made or written, or another process holds it.
    """
    with suppress(OSError):  # the lock in it says why it cannot be used
        make_storage(storage)
    if settings.qdrant_url is None:
        client = EdgeClient(storage / "index")
        opened.callback(client.close)
        return client
    lock = StorageLock(storage)
    opened.callback(lock.release)
    key = settings.qdrant_api_key
    server = ServerClient(settings.qdrant_url, key.get_secret_value() if key else None)
    opened.callback(server.close)
    return server


def open_index(
    settings: Settings, client: Client, embeddings: EmbeddingModel, sparse: Bm25Embeddings
) -> Index:
    """The collections, made where they are not there.

    Raises:
        UserError: they were built with other settings.
    """
    return Index.open(
        client,
        embeddings=embeddings,  # type: ignore[arg-type]
        sparse=sparse,
        fingerprint={
            "embedding_model": embeddings.name,
            "dimension": embeddings.dimension,
            "chunk_size": settings.chunk_size,
            "chunk_overlap": settings.chunk_overlap,
            "parent_chunk_size": settings.parent_chunk_size,
            "bm25_average_words": average_words(settings.chunk_size),
        },
        collection=settings.qdrant_collection,
        parent_collection=settings.qdrant_parent_collection,
        shards=settings.qdrant_shards,
        replicas=settings.qdrant_replicas,
    )


def make_library(
    settings: Settings,
    files: Path,
    documents: Documents,
    index: Index,
    embeddings: EmbeddingModel,
    sandbox: Sandbox,
) -> Library:
    """Documents on their way in and out; ``files`` is the folder of its copies."""
    return Library(
        files=files,
        documents=documents,
        index=index,
        embeddings=embeddings,
        sandbox=sandbox,
        sizes=ChunkSizes(settings.chunk_size, settings.chunk_overlap, settings.parent_chunk_size),
        limits=Limits(
            seconds=settings.read_timeout,
            memory_mb=settings.read_memory_mb,
            pages=settings.read_max_pages,
        ),
        owns_index=settings.qdrant_url is None,
    )


def make_funnel(
    settings: Settings,
    index: Index,
    embeddings: EmbeddingModel,
    sparse: Bm25Embeddings,
    reranker: Reranker,
    documents: Documents,
) -> Funnel:
    """The stages of a search, with their numbers from the settings."""
    return Funnel(
        index,
        embeddings,
        sparse,
        reranker,
        documents.languages,
        FunnelSettings.of(settings),
    )


class Packaged:
    """The packaged model, for the local judge and the extractive writer: that of the index where
    it is the same, and otherwise loaded when it is first needed."""

    def __init__(self, models: Path) -> None:
        self._models = models
        self._lock = threading.Lock()
        self._model: PackagedEmbeddings | None = None

    def share(self, embeddings: EmbeddingModel) -> None:
        """Use the embeddings of the index where they are the packaged ones."""
        if isinstance(embeddings, PackagedEmbeddings):
            self._model = embeddings

    def __call__(self) -> PackagedEmbeddings:
        with self._lock:
            if self._model is None:
                self._model = PackagedEmbeddings(self._models)
            return self._model
