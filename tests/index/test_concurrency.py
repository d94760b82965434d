"""Four threads ask while one writes and one deletes: no error, and every point is accounted for.

The second run lasts a minute: pytest tests/index/test_concurrency.py -m benchmark
"""

import hashlib
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.collection import EXACT_TO
from selfrag.index.edge import EdgeClient
from selfrag.index.store import DOCUMENTS, Index
from selfrag.models.rerankers import NoReranker
from selfrag.pages import Chunk, Span
from selfrag.retrieval.funnel import Funnel
from selfrag.retrieval.result import Mode

SIZE = 32
CHILDREN, PARENTS = 40, 10  # of a document
FILLED = EXACT_TO // CHILDREN + 20  # documents at the start: enough to be scanned compressed
WORDS = "dam valley river turbine licence patent royalty invoice clause garden".split()  # noqa: SIM905


class Hashed(Embeddings):
    """A vector for each text, the same for the same text."""

    name, dimension, languages = "hashed", SIZE, frozenset({"en"})

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).normal(size=SIZE).tolist()


def chunk(document: str, kind: str, position: int, parent_id: str | None = None) -> Chunk:
    text = f"{WORDS[position % 10]} {WORDS[len(document) % 10]} of {document} {kind} {position}"
    made = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{document}/{kind}/{position}"))
    return Chunk(made, text, 0, len(text), (Span(1, 0, len(text)),), position, parent_id)


def add(index: Index, document: str) -> None:
    parents = [chunk(document, "parent", number) for number in range(PARENTS)]
    children = [
        chunk(document, "child", number, parents[number % PARENTS].id) for number in range(CHILDREN)
    ]
    vectors = Hashed().embed_documents([child.text for child in children])
    index.add(document, f"{document}.pdf", parents, children, vectors, "en")


def opened(client: EdgeClient) -> Index:
    return Index.open(
        client,
        embeddings=Hashed(),
        sparse=Bm25Embeddings(),
        fingerprint={"embedding_model": "hashed", "dimension": SIZE},
    )


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.benchmark)])
def test_asking_writing_and_deleting_at_once_leave_every_point(
    tmp_path: Path, seconds: float
) -> None:
    present = [f"before-{number}" for number in range(FILLED)]
    asked = [0] * 4
    errors: list[BaseException] = []
    reclaimed: list[str] = []
    stop = threading.Event()

    def forever(action: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                while not stop.is_set():
                    action()
            except BaseException as error:
                errors.append(error)
                stop.set()

        return run

    with EdgeClient(tmp_path) as client:
        index = opened(client)
        for document in present:
            add(index, document)
        funnel = Funnel(index, Hashed(), Bm25Embeddings(), NoReranker(), lambda: ["en"])
        written: list[str] = []

        def write() -> None:
            document = f"during-{len(written)}"
            add(index, document)
            written.append(document)

        deleted: list[str] = []

        def delete() -> None:
            document = present[len(deleted)]
            index.delete(document)
            deleted.append(document)
            if len(deleted) == len(present):
                stop.set()
            time.sleep(seconds / len(present))  # they last longer than the run

        def tidy() -> None:
            """The upkeep that comes by itself once writes pause, without waiting for a pause."""
            client.tidy(DOCUMENTS)
            reclaimed.append(DOCUMENTS)
            time.sleep(0.5)

        def ask(number: int) -> Callable[[], None]:
            def once() -> None:
                question = f"{WORDS[asked[number] % 10]} of before-{FILLED - 1} {asked[number]}"
                found = funnel.search(question, list(Mode)[asked[number] % len(Mode)])
                assert found.hits
                scores = [hit.rank for hit in found.hits]
                assert scores == list(range(1, len(scores) + 1))
                asked[number] += 1

            return once

        actions = [write, delete, tidy, *(ask(number) for number in range(4))]
        threads = [threading.Thread(target=forever(action)) for action in actions]
        for thread in threads:
            thread.start()
        stop.wait(seconds)
        stop.set()
        for thread in threads:
            thread.join()
        assert errors == []
        assert min(asked) > 0 and written and deleted and reclaimed
        left = [*present[len(deleted) :], *written]
        expected = dict.fromkeys(left, CHILDREN)
        assert index.documents() == expected
        assert index.count() == (len(left) * CHILDREN, len(left) * PARENTS)
    with EdgeClient(tmp_path) as client:
        again = opened(client)
        assert again.documents() == expected
        assert again.count() == (len(left) * CHILDREN, len(left) * PARENTS)
