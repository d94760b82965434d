"""Clients under test, and the random collection that they are compared on."""

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from selfrag.index.edge import EdgeClient

SIZE = 24
POINTS = 400


@pytest.fixture
def edge(tmp_path: Path) -> Iterator[EdgeClient]:
    with EdgeClient(tmp_path / "index") as client:
        yield client


def random_sparse(random: np.random.Generator, words: int) -> models.SparseVector:
    indices = np.unique(random.zipf(1.4, words) % 500)
    return models.SparseVector(
        indices=[int(index) for index in indices],
        values=[float(value) for value in random.random(len(indices)) + 0.5],
    )


@cache
def random_points(seed: int = 0, count: int = POINTS) -> list[models.PointStruct]:
    """Points that are the same for the same seed. Not to be changed."""
    random = np.random.default_rng(seed)
    return [
        models.PointStruct(
            id=str(UUID(bytes=random.bytes(16), version=4)),
            vector={
                "dense": random.normal(size=SIZE).tolist(),
                "bm25": random_sparse(random, 20),
            },
            payload={
                "number": number,
                "price": int(random.integers(0, 64)) / 64,  # exact in binary
                "tags": [f"t{tag}" for tag in random.integers(0, 6, 2)],
                "metadata": {
                    "document_id": f"d{number % 7}",
                    "even": "no" if number % 2 else "yes",
                },
                **({"rare": "yes"} if number % 10 == 0 else {}),
            },
        )
        for number in range(count)
    ]


def make(client: Any, points: list[models.PointStruct], name: str = "c") -> None:
    client.create_collection(
        name,
        vectors_config={"dense": models.VectorParams(size=SIZE, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    with warnings.catch_warnings():  # the in-memory client says that it needs no index
        warnings.simplefilter("ignore", UserWarning)
        client.create_payload_index(name, "metadata.document_id", models.PayloadSchemaType.KEYWORD)
        client.create_payload_index(name, "tags", models.PayloadSchemaType.KEYWORD)
    client.upsert(name, points)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EdgeClient, QdrantClient]]:
    """The embedded client and Qdrant's own local one, holding the same. Not to be changed."""
    points = random_points()
    with EdgeClient(tmp_path_factory.mktemp("twins")) as edge:
        memory = QdrantClient(":memory:")
        make(edge, points)
        make(memory, points)
        yield edge, memory
