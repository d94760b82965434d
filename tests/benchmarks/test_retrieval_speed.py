"""How fast the embedded index answers, against the plain way in the same run."""

import statistics
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langchain_qdrant import QdrantVectorStore, RetrievalMode
from langchain_qdrant.sparse_embeddings import SparseEmbeddings, SparseVector
from qdrant_client import QdrantClient, models

from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.edge import EdgeClient
from selfrag.index.store import BM25, DENSE, DOCUMENTS, Index
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.models.rerankers import NoReranker
from selfrag.retrieval.funnel import Funnel
from selfrag.retrieval.result import Mode

pytestmark = pytest.mark.benchmark

SIZE = 384
SMALL, LARGE = 20_000, 200_000
WORDS = 30_000
TURN = 25  #: queries to one library before the other one's
Said = Callable[[str], None]


def points(count: int, seed: int) -> Iterator[list[models.PointStruct]]:
    """Children of 60 words each, a thousand at a time; words as common as Zipf has them."""
    random = np.random.default_rng(seed)
    for _ in range(count // 1000):
        dense = random.normal(size=(1000, SIZE)).astype(np.float32)
        batch = []
        for row in dense:
            indices = np.unique((random.zipf(1.3, 60) * 7919) % WORDS)
            parent = str(uuid.UUID(bytes=random.bytes(16), version=4))
            batch.append(
                models.PointStruct(
                    id=parent,
                    vector={
                        DENSE: row,
                        BM25: models.SparseVector(
                            indices=indices.tolist(), values=random.random(len(indices)).tolist()
                        ),
                    },
                    payload={
                        "page_content": "word " * 100,
                        "metadata": {
                            "document_id": f"d{len(batch) // 100}",
                            "document": "d.pdf",
                            "language": "en",
                            "page": 1,
                            "parent_id": parent,
                            "spans": [[1, 0, 500]],
                        },
                    },
                )
            )
        yield batch


def queries(count: int) -> list[tuple[list[float], SparseVector]]:
    random = np.random.default_rng(7)
    made = []
    for _ in range(count):
        indices = np.unique((random.zipf(1.3, 8) * 7919) % WORDS)
        made.append(
            (
                random.normal(size=SIZE).tolist(),
                SparseVector(indices=indices.tolist(), values=[1.0] * len(indices)),
            )
        )
    return made


def typical(action: Callable[[Any], Any], given: list[Any]) -> float:
    """Median seconds; the first two calls are left out."""
    seconds = []
    for each in given:
        began = time.perf_counter()
        action(each)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[2:])


def opened(folder: Path) -> tuple[EdgeClient, Index]:
    client = EdgeClient(folder)
    index = Index.open(
        client,
        embeddings=Given([]),
        sparse=Bm25Embeddings(),
        fingerprint={"embedding_model": "random", "dimension": SIZE},
    )
    return client, index


def filled(folder: Path, count: int) -> tuple[EdgeClient, Index]:
    client, index = opened(folder)
    for batch in points(count, 1):
        client.upsert(DOCUMENTS, batch)
    client.tidy(DOCUMENTS)
    return client, index


class Given(Embeddings):
    """Embeddings whose query vector is known."""

    name, languages = "random", None

    def __init__(self, vector: list[float]) -> None:
        self.vector = vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        raise NotImplementedError

    def embed_query(self, text: str) -> list[float]:
        return self.vector


class GivenWords(SparseEmbeddings):
    """Sparse embeddings whose query vector is known."""

    vector = SparseVector(indices=[], values=[])

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        raise NotImplementedError

    def embed_query(self, text: str) -> SparseVector:
        return self.vector


def test_hybrid_query_is_50_times_as_fast_as_the_plain_way(tmp_path: Path, said: Said) -> None:
    client, index = filled(tmp_path / "edge", SMALL)
    ours = typical(lambda query: index.search(*query, 100), queries(30))
    client.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = QdrantClient(path=str(tmp_path / "plain"))
        plain.create_collection(
            "c",
            vectors_config={DENSE: models.VectorParams(size=SIZE, distance="Cosine")},
            sparse_vectors_config={BM25: models.SparseVectorParams(modifier="idf")},
        )
        for batch in points(SMALL, 1):
            plain.upsert("c", batch)
    dense, words = Given([]), GivenWords()
    store = QdrantVectorStore(
        plain,
        "c",
        dense,
        retrieval_mode=RetrievalMode.HYBRID,
        vector_name=DENSE,
        sparse_embedding=words,
        sparse_vector_name=BM25,
        validate_embeddings=False,
        validate_collection_config=False,
    )

    def ask(query: tuple[list[float], SparseVector]) -> None:
        dense.vector, words.vector = query
        store.similarity_search("known", k=100)

    theirs = typical(ask, queries(6))
    plain.close()
    said(f"hybrid, 20,000: {ours * 1e3:.1f} ms; {theirs / ours:.0f} times as fast as plain")
    assert theirs / ours >= 50


def test_ten_times_the_children_take_at_most_three_times_as_long(
    tmp_path: Path, said: Said
) -> None:
    """Libraries that were filled, closed and opened again, as they are when somebody asks.

    Asserted for both lists of a hundred with their texts, and for a question as it is asked, from
    its words to the fused passages. Told besides: the lists without their texts. Both sizes are
    asked in turns, so that what else the machine does slows both.
    """
    model, sparse = PackagedEmbeddings(tmp_path / "models"), Bm25Embeddings()
    sizes = (SMALL, LARGE)
    for count in sizes:
        client, _ = filled(tmp_path / str(count), count)
        client.close()
    both = {count: opened(tmp_path / str(count)) for count in sizes}
    funnels = {
        count: Funnel(index, model, sparse, NoReranker(), lambda: ["en"])
        for count, (_, index) in both.items()
    }
    ways: dict[str, tuple[Callable[[int, Any], Any], list[Any]]] = {
        "hybrid": (lambda count, query: both[count][1].search(*query, 100), queries(200)),
        "without texts": (
            lambda count, query: both[count][1].search(*query, 100, None, False),
            queries(200),
        ),
        "from the question": (
            lambda count, text: funnels[count].search(f"{text} of {count}?", Mode.HYBRID),
            # Other words for each size: vectors of earlier questions are remembered.
            [f"What was decided about royalty {number}" for number in range(100)],
        ),
    }
    times = {}
    for what, (ask, given) in ways.items():
        seconds: dict[int, list[float]] = {count: [] for count in sizes}
        for start in range(0, len(given), TURN):
            for count in sizes:
                for place, each in enumerate(given[start : start + TURN]):
                    began = time.perf_counter()
                    ask(count, each)
                    if place >= 5:  # before, the processor's caches are those of the other one
                        seconds[count].append(time.perf_counter() - began)
        few, many = (statistics.median(seconds[count]) for count in sizes)
        times[what] = many / few
        said(
            f"{what}: {few * 1e3:.1f} ms at 20,000, {many * 1e3:.1f} ms at 200,000; "
            f"{many / few:.2f} times"
        )
    for client, _ in both.values():
        client.close()
    assert times["hybrid"] <= 3
    assert times["from the question"] <= 3


def test_engine_takes_under_a_third_of_a_full_search(tmp_path: Path, said: Said) -> None:
    client, index = filled(tmp_path / "edge", SMALL)
    shares, wholes = [], []

    class Timed:
        """The index, with the seconds that it took."""

        seconds = 0.0

        def __getattr__(self, name: str) -> Any:
            def call(*args: Any) -> Any:
                began = time.perf_counter()
                result = getattr(index, name)(*args)
                Timed.seconds += time.perf_counter() - began
                return result

            return call

    model = PackagedEmbeddings(tmp_path / "models")
    funnel = Funnel(Timed(), model, Bm25Embeddings(), NoReranker(), lambda: ["en"])
    for number in range(40):
        Timed.seconds = 0.0
        found = funnel.search(f"What was decided about royalty number {number}?", Mode.FULL)
        shares.append(Timed.seconds / found.seconds)
        wholes.append(found.seconds)
    client.close()
    share = statistics.median(shares[5:])
    said(f"full: {statistics.median(wholes[5:]) * 1e3:.1f} ms, the engine's share {share:.2f}")
    assert share < 1 / 3
