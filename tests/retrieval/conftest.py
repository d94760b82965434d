"""A small real index: the embedded engine, the packaged embedding model, a dozen sentences."""

from collections.abc import Iterator

import pytest

from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.edge import EdgeClient
from selfrag.index.store import Index
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.pages import Chunk, Span
from selfrag.retrieval.funnel import Funnel
from tests.retrieval.fakes import FakeReranker

TEXTS = [
    "The patent royalty is five percent of net sales.",
    "Royalties for the patent are paid every quarter.",
    "The patent royalty amounts to five percent of net sales.",
    "Employees may take twenty five days of leave a year.",
    "Leave that is not taken by March expires.",
    "The canteen opens at half past eleven.",
    "Dogs are allowed in the garden but not in the kitchen.",
    "A cat slept on the warm stones of the terrace.",
    "The invoice number is XK-4471.",
    "Payment is due within thirty days of the invoice.",
    "The server room is cooled by two independent units.",
    "Backups are written every night and kept for a year.",
]


@pytest.fixture(scope="session")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> PackagedEmbeddings:
    return PackagedEmbeddings(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def index(
    tmp_path_factory: pytest.TempPathFactory, embeddings: PackagedEmbeddings
) -> Iterator[Index]:
    client = EdgeClient(tmp_path_factory.mktemp("index"))
    made = Index.open(
        client,
        embeddings=embeddings,
        sparse=Bm25Embeddings(),
        fingerprint={"embedding_model": embeddings.name, "dimension": embeddings.dimension},
    )
    for document, texts in (("a", TEXTS[:6]), ("b", TEXTS[6:])):
        parents = [chunk(document, "parent", i, texts[i] + " " + texts[i + 1]) for i in (0, 2, 4)]
        children = [
            chunk(document, "child", i, text, parents[i // 2].id) for i, text in enumerate(texts)
        ]
        vectors = embeddings.embed_documents(texts)
        made.add(document, f"{document}.pdf", parents, children, vectors, "en")
    yield made
    client.close()


@pytest.fixture
def reranker() -> FakeReranker:
    return FakeReranker()


@pytest.fixture
def funnel(index: Index, embeddings: PackagedEmbeddings, reranker: FakeReranker) -> Funnel:
    return Funnel(index, embeddings, Bm25Embeddings(), reranker, lambda: ["en"])


def chunk(
    document: str, kind: str, position: int, text: str, parent_id: str | None = None
) -> Chunk:
    import uuid

    name = f"{document}/{kind}/{position}"
    return Chunk(
        id=str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        text=text,
        start=0,
        end=len(text),
        spans=(Span(position + 1, 0, len(text)),),
        position=position,
        parent_id=parent_id,
    )
