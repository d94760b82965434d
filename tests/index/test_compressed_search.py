"""Large collections are scanned by compressed vectors: what is found is what exact search finds."""

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
import qdrant_edge as engine
from qdrant_client import models

from selfrag.index.answers import scored
from selfrag.index.collection import EXACT_TO, Description
from selfrag.index.edge import EdgeClient

SIZE = 96
COUNT = EXACT_TO + 2_000
TOPICS = 200
EXACT = models.SearchParams(exact=True)


def clustered(seed: int, count: int, spread: float = 0.6) -> np.ndarray:
    """Unit vectors around topics, as embeddings of texts lie."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(0).normal(size=(TOPICS, SIZE))
    rows = topics[random.integers(0, TOPICS, count)] + spread * random.normal(size=(count, SIZE))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


VECTORS = clustered(1, COUNT).astype(np.float32)


def fill(client: EdgeClient, rows: np.ndarray, first: int = 0) -> None:
    if not client.collection_exists("c"):
        client.create_collection(
            "c", vectors_config={"dense": models.VectorParams(size=SIZE, distance="Cosine")}
        )
        client.create_payload_index("c", "document", models.PayloadSchemaType.KEYWORD)
    client.upsert(
        "c",
        [
            models.PointStruct(id=n, vector={"dense": row}, payload={"document": f"d{n % 3}"})
            for n, row in enumerate(rows, start=first)
        ],
    )


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeClient]:
    """Not to be changed."""
    with EdgeClient(tmp_path_factory.mktemp("large")) as client:
        fill(client, VECTORS)
        yield client


def found(client: EdgeClient, query: np.ndarray, **options: Any) -> dict[int, float]:
    answer = client.query_points("c", query, using="dense", **options)
    return {point.id: point.score for point in answer.points}


def recall(client: EdgeClient, limit: int, **options: Any) -> float:
    """Mean share of the exact best that were found; scores must be the exact ones."""
    shares = []
    for query in clustered(2, 25):
        quick = found(client, query, limit=limit, **options)
        exact = found(client, query, limit=limit, search_params=EXACT, **options)
        assert list(quick.values()) == sorted(quick.values(), reverse=True)
        for item in quick.keys() & exact.keys():
            assert quick[item] == pytest.approx(exact[item], abs=1e-6)
        shares.append(len(quick.keys() & exact.keys()) / len(exact))
    return float(np.mean(shares))


@pytest.mark.parametrize("limit", [1, 10, 100])
def test_best_of_a_large_collection_are_the_exact_ones(large: EdgeClient, limit: int) -> None:
    assert recall(large, limit) >= 0.98


def test_filtered_search_of_a_large_collection_finds_the_exact_ones(large: EdgeClient) -> None:
    match = models.FieldCondition(key="document", match=models.MatchAny(any=["d1"]))
    assert recall(large, 100, query_filter=models.Filter(must=[match])) >= 0.98


def test_exact_search_gives_the_cosines_of_the_vectors(large: EdgeClient) -> None:
    query = clustered(3, 1)[0]
    cosines = VECTORS @ query
    best = np.argsort(-cosines)[:20]
    exact = found(large, query, limit=20, search_params=EXACT)
    assert list(exact.values()) == pytest.approx(cosines[best].tolist(), abs=1e-5)


def test_compressed_vectors_are_really_used(large: EdgeClient, monkeypatch) -> None:
    """Without scoring again, a compressed scan misses some: else it would not be one."""
    made = engine.QuantizationSearchParams

    def unscored(**options: Any) -> Any:
        return made(ignore=options["ignore"], rescore=False)

    monkeypatch.setattr(engine, "QuantizationSearchParams", unscored)
    query = clustered(4, 1)[0]
    quick = found(large, query, limit=100)
    exact = found(large, query, limit=100, search_params=EXACT)
    assert any(quick.get(item) != pytest.approx(exact[item], abs=1e-6) for item in exact)


def test_points_written_and_deleted_later_are_found_and_gone(tmp_path: Path) -> None:
    with EdgeClient(tmp_path) as client:
        fill(client, VECTORS)
        later = clustered(5, 600).astype(np.float32)
        fill(client, later, first=COUNT)
        client.delete("c", list(range(1_500)))
        client.tidy("c")
        assert recall(client, 100) >= 0.98
        assert max(found(client, later[7], limit=1)) == COUNT + 7
        assert not found(client, VECTORS[3], limit=100).keys() & set(range(1_500))
    with EdgeClient(tmp_path) as client:
        assert recall(client, 100) >= 0.98
        assert client.count("c").count == COUNT + 600 - 1_500


def test_collection_made_without_compressed_vectors_answers_all_the_same(
    tmp_path: Path, monkeypatch
) -> None:
    plain = engine.EdgeConfig(
        vectors={"dense": engine.EdgeVectorParams(SIZE, engine.Distance.Cosine)}
    )
    with monkeypatch.context() as earlier, EdgeClient(tmp_path) as client:
        earlier.setattr(Description, "engine_config", lambda self: plain)
        fill(client, VECTORS)
    with EdgeClient(tmp_path) as client:
        assert recall(client, 100) == 1
        client.tidy("c")
        assert recall(client, 100) >= 0.98


def test_answers_are_as_pydantic_makes_them() -> None:
    class Point:
        id, version, score = UUID(int=7), 3, 0.5
        payload, vector = {"a": 1}, {"dense": [0.0, 1.0]}

    made = scored(Point())  # type: ignore[arg-type]
    validated = models.ScoredPoint(
        id=str(UUID(int=7)), version=3, score=0.5, payload={"a": 1}, vector={"dense": [0.0, 1.0]}
    )
    assert made == validated
    assert made.model_dump() == validated.model_dump()
    assert repr(made) == repr(validated)
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == validated
