"""The embedded client by itself: collections, payload-only ones, refusals, threads."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from qdrant_client import models

from selfrag.index.edge import EdgeClient
from tests.index.conftest import SIZE, make, random_points, random_sparse


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeClient]:
    """A collection of three points, for what is refused and so changes nothing."""
    with EdgeClient(tmp_path_factory.mktemp("three")) as client:
        make(client, random_points(count=3))
        yield client


def test_collection_is_the_same_after_closing_and_opening(tmp_path: Path) -> None:
    query = random_sparse(np.random.default_rng(0), 6)
    with EdgeClient(tmp_path) as client:
        make(client, random_points())
        client.update_collection("c", metadata={"model": "a", "size": 3})
        client.update_collection("c", metadata={"size": 4})
        before = client.query_points("c", query, using="bm25", limit=20)
        described = client.get_collection("c")
    with EdgeClient(tmp_path) as client:
        assert client.query_points("c", query, using="bm25", limit=20) == before
        again = client.get_collection("c")
        assert again.config == described.config
        assert again.config.metadata == {"model": "a", "size": 4}
        assert again.points_count == len(random_points())
        assert again.payload_schema["tags"].data_type is models.PayloadSchemaType.KEYWORD
        vectors, sparse = again.config.params.vectors, again.config.params.sparse_vectors
        assert isinstance(vectors, dict) and vectors["dense"].size == SIZE
        assert sparse is not None and sparse["bm25"].modifier is models.Modifier.IDF


def test_deleted_collection_leaves_no_files_and_its_name_is_free(edge: EdgeClient) -> None:
    make(edge, random_points())
    folder = edge._folder("c")
    assert edge.delete_collection("c")
    assert not folder.exists()
    assert not list(folder.parent.glob(".*"))
    assert not edge.delete_collection("c")
    assert not edge.collection_exists("c")
    make(edge, random_points(count=3))
    assert edge.count("c").count == 3


def test_collection_without_vectors_holds_payloads(edge: EdgeClient) -> None:
    edge.create_collection("p", vectors_config={}, metadata={"a": 1})
    edge.create_payload_index("p", "d", models.PayloadSchemaType.KEYWORD)
    ids = [point.id for point in random_points(count=5)]
    edge.upsert("p", [models.PointStruct(id=i, vector={}, payload={"d": "x"}) for i in ids])
    assert [point.id for point in edge.retrieve("p", ids[2:4], with_vectors=True)] == ids[2:4]
    assert edge.facet("p", "d").hits == [models.FacetValueHit(value="x", count=5)]
    info = edge.get_collection("p")
    assert info.config.params.vectors == {}
    assert info.config.params.sparse_vectors is None
    assert info.points_count == 5


def test_unnamed_vector_is_spoken(edge: EdgeClient) -> None:
    edge.create_collection(
        "u", models.VectorParams(size=2, distance=models.Distance.DOT), shard_number=1
    )
    edge.upsert("u", [models.PointStruct(id=7, vector=[3.0, 4.0])])
    answer = edge.query_points("u", [1.0, 1.0], with_vectors=True)
    assert [(p.id, p.score, p.vector) for p in answer.points] == [(7, 7.0, [3.0, 4.0])]


def test_empty_sparse_query_finds_nothing(edge: EdgeClient) -> None:
    make(edge, random_points(count=20))
    nothing = models.SparseVector(indices=[], values=[])
    assert edge.query_points("c", nothing, using="bm25").points == []
    fused = edge.query_points(
        "c",
        models.FusionQuery(fusion=models.Fusion.RRF),
        prefetch=[
            models.Prefetch(query=[1.0] * SIZE, using="dense", limit=5),
            models.Prefetch(query=nothing, using="bm25", limit=5),
        ],
    )
    assert len(fused.points) == 5


@pytest.mark.parametrize(
    "vector",
    [
        {"dense": [1.0] * (SIZE - 1)},
        {"dense": [float("nan")] + [1.0] * (SIZE - 1)},
        {"dense": [float("inf")] + [1.0] * (SIZE - 1)},
        {"other": [1.0] * SIZE},
        {"bm25": [1.0] * SIZE},
        {"dense": models.SparseVector(indices=[1], values=[1.0])},
        {"bm25": models.SparseVector(indices=[1, 1], values=[1.0, 2.0])},
        {"bm25": models.SparseVector(indices=[1], values=[float("nan")])},
        {"bm25": models.SparseVector(indices=[1, 2], values=[1.0])},
    ],
)
def test_one_wrong_vector_keeps_the_whole_batch_out(three: EdgeClient, vector: Any) -> None:
    wrong = models.PointStruct.model_construct(id=1, vector=vector, payload={})
    with pytest.raises(ValueError):
        three.upsert("c", [*random_points(seed=5, count=300), wrong])
    assert three.count("c").count == 3


WRONG: dict[str, Callable[[EdgeClient], Any]] = {
    "missing collection": lambda c: c.query_points("x", [1.0] * SIZE, using="dense"),
    "missing vector": lambda c: c.query_points("c", [1.0] * SIZE, using="x"),
    "wrong size": lambda c: c.query_points("c", [1.0], using="dense"),
    "nan": lambda c: c.query_points("c", [float("nan")] * SIZE, using="dense"),
    "no limit": lambda c: c.query_points("c", [1.0] * SIZE, using="dense", limit=0),
    "fusion of nothing": lambda c: c.query_points("c", models.RrfQuery(rrf=models.Rrf())),
    "existing": lambda c: c.create_collection("c"),
    "path as name": lambda c: c.create_collection("../x"),
    "hidden name": lambda c: c.create_collection(".x"),
    "no points": lambda c: c.upsert("c", []),
    "facet without index": lambda c: c.facet("c", "number"),
    "not a uuid": lambda c: c.retrieve("c", ["abc"]),
}
UNSPOKEN: dict[str, Callable[[EdgeClient], Any]] = {
    "lookup": lambda c: c.query_points(
        "c", [1.0] * SIZE, lookup_from=models.LookupLocation(collection="x")
    ),
    "conditional upsert": lambda c: c.upsert("c", random_points(count=1), update_filter=1),
    "order": lambda c: c.scroll("c", order_by="number"),  # type: ignore[arg-type]
    "recommend": lambda c: c.query_points(
        "c", models.RecommendQuery(recommend=models.RecommendInput(positive=[1]))
    ),
    "boolean": lambda c: c.count(
        "c",
        models.Filter(must=[models.FieldCondition(key="a", match=models.MatchValue(value=True))]),
    ),
    "geo": lambda c: c.count(
        "c",
        models.Filter(
            must=[
                models.FieldCondition(
                    key="a",
                    geo_radius=models.GeoRadius(center=models.GeoPoint(lon=0, lat=0), radius=1),
                )
            ]
        ),
    ),
    "quantization": lambda c: c.create_collection("q", quantization_config="x"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_request_is_a_value_error(three: EdgeClient, name: str) -> None:
    with pytest.raises(ValueError):
        WRONG[name](three)


@pytest.mark.parametrize("name", UNSPOKEN)
def test_what_would_change_the_answer_is_refused(three: EdgeClient, name: str) -> None:
    with pytest.raises(NotImplementedError):
        UNSPOKEN[name](three)


def test_arguments_for_clusters_are_taken_and_change_nothing(edge: EdgeClient) -> None:
    make(edge, random_points(count=3))
    edge.upsert("c", random_points(count=3), wait=True, ordering="strong", timeout=3)
    assert edge.count("c", timeout=5, shard_key_selector=None).count == 3
    assert len(edge.query_points("c", [1.0] * SIZE, using="dense", consistency=1).points) == 3


def test_closed_client_says_so(tmp_path: Path) -> None:
    client = EdgeClient(tmp_path)
    make(client, random_points(count=3))
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.count("c")


def test_writes_are_flushed_once_they_pause(tmp_path: Path) -> None:
    with EdgeClient(tmp_path) as client:
        client._maintenance._quiet = 0.05
        tidied = threading.Event()
        client._maintenance._tidy = lambda name: tidied.set()
        make(client, random_points(count=3))
        assert tidied.wait(5)


def test_failed_flush_is_seen_in_the_status(tmp_path: Path) -> None:
    with EdgeClient(tmp_path) as client:
        client._maintenance._quiet = 0.05
        failed = threading.Event()

        def fail(name: str) -> None:
            failed.set()
            raise RuntimeError("disk is gone")

        client._maintenance._tidy = fail
        make(client, random_points(count=3))
        assert failed.wait(60)
        deadline = time.monotonic() + 60
        while client.get_collection("c").status is models.CollectionStatus.GREEN:
            assert time.monotonic() < deadline
        assert "disk is gone" in str(client.get_collection("c").optimizer_status)


def test_readers_writers_and_upkeep_at_once_leave_every_point(edge: EdgeClient) -> None:
    make(edge, random_points(count=200))
    errors: list[BaseException] = []
    stop = threading.Event()

    def run(action: Callable[[int], None]) -> None:
        step = 0
        while not stop.is_set():
            try:
                action(step)
            except BaseException as error:
                errors.append(error)
                return
            step += 1

    written: dict[int, int] = {0: 0, 1: 0}
    vector = {"dense": [1.0] * SIZE, "bm25": models.SparseVector(indices=[1], values=[1.0])}

    def write(writer: int) -> Callable[[int], None]:
        def action(step: int) -> None:
            start = (writer + 1) * 1_000_000 + step * 5
            edge.upsert(
                "c",
                [models.PointStruct(id=start + i, vector=vector, payload={}) for i in range(5)],
            )
            written[writer] = step + 1

        return action

    doomed = [point.id for point in random_points(count=200)]

    def read(step: int) -> None:
        random = np.random.default_rng(step)
        found = edge.query_points("c", random.normal(size=SIZE), using="dense", limit=20).points
        assert len(found) == 20
        assert sorted((p.score for p in found), reverse=True) == [p.score for p in found]
        edge.query_points("c", random_sparse(random, 5), using="bm25")
        edge.scroll("c", limit=10)

    def delete(step: int) -> None:
        if doomed:
            edge.delete("c", [doomed.pop()])
        time.sleep(0.005)

    def tidy(step: int) -> None:
        edge.tidy("c")
        time.sleep(0.05)

    actions = [write(0), write(1), read, read, delete, tidy]
    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    time.sleep(2.0)
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert edge.count("c").count == 5 * sum(written.values()) + len(doomed)
    assert min(written.values()) > 0


def test_collection_deleted_under_readers_gives_no_other_error(edge: EdgeClient) -> None:
    make(edge, random_points())
    surprises: list[BaseException] = []

    def read() -> None:
        try:
            while True:
                edge.query_points("c", [1.0] * SIZE, using="dense")
        except (ValueError, RuntimeError):
            return
        except BaseException as error:
            surprises.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for thread in threads:
        thread.start()
    edge.delete_collection("c")
    for thread in threads:
        thread.join(10)
    assert surprises == []
