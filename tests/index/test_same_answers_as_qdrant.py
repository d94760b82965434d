"""The embedded client answers as qdrant-client's reference implementation does."""

from typing import Any

import numpy as np
import pytest
from qdrant_client import QdrantClient, models

from selfrag.index.edge import EdgeClient
from tests.index.conftest import SIZE, make, random_points, random_sparse

Twins = tuple[EdgeClient, QdrantClient]

FIELD = models.FieldCondition


def document(*names: str) -> models.FieldCondition:
    return FIELD(key="metadata.document_id", match=models.MatchAny(any=list(names)))


FILTERS: dict[str, models.Filter | None] = {
    "none": None,
    "empty": models.Filter(),
    "document": models.Filter(must=[document("d3")]),
    "documents": models.Filter(must=[document("d1", "d5")]),
    "no document": models.Filter(must=[document()]),
    "not document": models.Filter(must_not=[document("d0", "d2")]),
    "single condition": models.Filter(must=document("d4")),
    "value": models.Filter(must=[FIELD(key="metadata.even", match=models.MatchValue(value="yes"))]),
    "except": models.Filter(
        must=[FIELD(key="tags", match=models.MatchExcept(**{"except": ["t0", "t1"]}))]
    ),
    "range": models.Filter(must=[FIELD(key="price", range=models.Range(gte=0.3, lt=0.6))]),
    "empty field": models.Filter(
        must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="rare"))]
    ),
    "should": models.Filter(
        should=[document("d6"), FIELD(key="number", range=models.Range(lte=20))]
    ),
    "nested": models.Filter(
        must=[
            models.Filter(should=[document("d1"), document("d2")]),
            FIELD(key="tags", match=models.MatchValue(value="t3")),
        ],
        must_not=[FIELD(key="metadata.even", match=models.MatchValue(value="no"))],
    ),
    "at least two": models.Filter(
        min_should=models.MinShould(
            conditions=[
                document("d1", "d2", "d3"),
                FIELD(key="price", range=models.Range(gt=0.5)),
                FIELD(key="tags", match=models.MatchValue(value="t2")),
            ],
            min_count=2,
        )
    ),
    "ids": models.Filter(
        must=[models.HasIdCondition(has_id=[point.id for point in random_points()[5:40]])]
    ),
    "count of values": models.Filter(
        must=[FIELD(key="tags", values_count=models.ValuesCount(gte=2))]
    ),
}


def assert_same_ranking(ours: Any, reference: Any) -> None:
    """The same points with the same scores, best first; equal scores may swap."""
    mine = [(str(point.id), point.score) for point in ours.points]
    other = [(str(point.id), point.score) for point in reference.points]
    assert [score for _, score in mine] == pytest.approx([s for _, s in other], abs=1e-5)
    mine_by_id, other_by_id = dict(mine), dict(other)
    for only in mine_by_id.keys() ^ other_by_id.keys():
        # A tie at the cut: either may be the one that is left out.
        score = mine_by_id.get(only, other_by_id.get(only))
        assert score == pytest.approx(other[-1][1], abs=1e-5)
    for each in mine_by_id.keys() & other_by_id.keys():
        assert mine_by_id[each] == pytest.approx(other_by_id[each], abs=1e-5)


def both(twins: Twins, method: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    edge, memory = twins
    return getattr(edge, method)("c", *args, **kwargs), getattr(memory, method)(
        "c", *args, **kwargs
    )


@pytest.mark.parametrize("name", FILTERS)
def test_dense_and_sparse_search_rank_alike_under_every_filter(twins: Twins, name: str) -> None:
    random = np.random.default_rng(len(name))
    for _ in range(3):
        for query, using in (
            (random.normal(size=SIZE).tolist(), "dense"),
            (random_sparse(random, 6), "bm25"),
        ):
            ours, reference = both(
                twins, "query_points", query, using=using, query_filter=FILTERS[name], limit=30
            )
            assert_same_ranking(ours, reference)
            assert {p.id: p.payload for p in ours.points} | {
                p.id: p.payload for p in reference.points
            } == {p.id: p.payload for p in reference.points} | {
                p.id: p.payload for p in ours.points
            }


@pytest.mark.parametrize("name", FILTERS)
def test_count_and_scroll_select_alike_under_every_filter(twins: Twins, name: str) -> None:
    ours, reference = both(twins, "count", FILTERS[name])
    assert ours == reference
    found, seen = [], None
    for _ in range(100):
        page, seen = twins[0].scroll("c", FILTERS[name], limit=37, offset=seen)
        found += page
        if seen is None:
            break
    wanted, _ = twins[1].scroll("c", FILTERS[name], limit=1000)
    assert {p.id: p.payload for p in found} == {p.id: p.payload for p in wanted}
    assert len(found) == ours.count


@pytest.mark.parametrize(
    "fusion",
    [
        models.FusionQuery(fusion=models.Fusion.RRF),
        models.FusionQuery(fusion=models.Fusion.DBSF),
        models.RrfQuery(rrf=models.Rrf(k=60)),
        models.RrfQuery(rrf=models.Rrf()),
        models.RrfQuery(rrf=models.Rrf(k=60, weights=[0.4, 0.6])),
    ],
    ids=["rrf", "dbsf", "rrf60", "rrf default", "weighted"],
)
@pytest.mark.parametrize("name", ["none", "documents", "nested"])
def test_fusion_scores_alike(twins: Twins, fusion: Any, name: str) -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        prefetch = [
            models.Prefetch(query=random.normal(size=SIZE).tolist(), using="dense", limit=50),
            models.Prefetch(query=random_sparse(random, 6), using="bm25", limit=50),
        ]
        ours, reference = both(
            twins, "query_points", fusion, prefetch=prefetch, query_filter=FILTERS[name], limit=20
        )
        assert_same_ranking(ours, reference)


@pytest.mark.parametrize("diversity", [0.0, 0.3, 0.7, None])
def test_mmr_chooses_alike(twins: Twins, diversity: float | None) -> None:
    random = np.random.default_rng(4)
    for _ in range(5):
        query = models.NearestQuery(
            nearest=random.normal(size=SIZE).tolist(),
            mmr=models.Mmr(diversity=diversity, candidates_limit=40),
        )
        ours, reference = both(twins, "query_points", query, using="dense", limit=10)
        assert [p.id for p in ours.points] == [p.id for p in reference.points]


def test_limit_offset_and_threshold_cut_alike(twins: Twins) -> None:
    query = np.random.default_rng(5).normal(size=SIZE)
    for kwargs in ({"limit": 7, "offset": 5}, {"limit": 400, "score_threshold": 0.2}):
        ours, reference = both(twins, "query_points", query.tolist(), using="dense", **kwargs)
        assert_same_ranking(ours, reference)
        assert len(ours.points) == len(reference.points) > 0


def test_batch_answers_each_request_as_it_would_be_alone(twins: Twins) -> None:
    random = np.random.default_rng(6)
    requests = [
        models.QueryRequest(
            query=random.normal(size=SIZE).tolist(), using="dense", limit=9, with_payload=True
        ),
        models.QueryRequest(query=random_sparse(random, 5), using="bm25", limit=4),
    ]
    ours, reference = both(twins, "query_batch_points", requests)
    for mine, other in zip(ours, reference, strict=True):
        assert_same_ranking(mine, other)
        assert [p.payload for p in mine.points] == [p.payload for p in other.points]


def test_retrieve_returns_alike(twins: Twins) -> None:
    wanted = [point.id for point in random_points()[10:15]]
    ids = [*wanted, "00000000-0000-4000-8000-000000000000"]
    for kwargs in (
        {},
        {"with_payload": False},
        {"with_payload": ["number", "metadata.document_id"]},
        {"with_payload": models.PayloadSelectorExclude(exclude=["tags"])},
        {"with_vectors": True},
        {"with_vectors": ["dense"], "with_payload": False},
    ):
        ours, reference = both(twins, "retrieve", ids, **kwargs)
        assert [point.id for point in ours] == [point.id for point in reference] == wanted
        for mine, other in zip(ours, reference, strict=True):
            assert mine.payload == other.payload
            assert (mine.vector is None) == (other.vector is None)
            if mine.vector is not None:
                assert mine.vector.keys() == other.vector.keys()
                assert mine.vector["dense"] == pytest.approx(other.vector["dense"], abs=1e-6)


@pytest.mark.parametrize("key", ["metadata.document_id", "tags"])
@pytest.mark.parametrize("name", ["none", "value", "no document"])
def test_facet_counts_alike(twins: Twins, key: str, name: str) -> None:
    ours, reference = both(twins, "facet", key, FILTERS[name], limit=50, exact=True)
    assert {h.value: h.count for h in ours.hits} == {h.value: h.count for h in reference.hits}


def test_same_history_of_changes_leaves_the_same_collection(edge: EdgeClient) -> None:
    random = np.random.default_rng(8)
    memory = QdrantClient(":memory:")
    points = random_points(seed=9, count=120)
    for client in (edge, memory):
        make(client, points)
    for step in range(40):
        some = [points[int(i)].id for i in random.integers(0, len(points), 3)]
        kind = step % 5
        for client in (edge, memory):
            alive = {p.id for p in client.retrieve("c", some)}
            if kind == 0:
                client.delete("c", some)
            elif kind == 1:
                client.delete("c", models.PointIdsList(points=some[:1]))
            elif kind == 2:
                gone = models.Filter(
                    must=[FIELD(key="number", match=models.MatchValue(value=step))]
                )
                client.delete("c", models.FilterSelector(filter=gone))
            elif kind == 3:
                client.upsert("c", [p for p in points if p.id in some])
            elif alive:
                client.set_payload("c", {"document_id": "new"}, list(alive), key="metadata")
                client.set_payload("c", {"seen": step}, models.Filter(must=[document("d2")]))
    ours, _ = edge.scroll("c", limit=1000, with_vectors=True)
    reference, _ = memory.scroll("c", limit=1000, with_vectors=True)
    assert {p.id: p.payload for p in ours} == {p.id: p.payload for p in reference}
    query = random.normal(size=SIZE).tolist()
    assert_same_ranking(
        edge.query_points("c", query, using="dense", limit=50),
        memory.query_points("c", query, using="dense", limit=50),
    )


def test_reclaimed_points_no_longer_count_in_word_weights(edge: EdgeClient) -> None:
    memory = QdrantClient(":memory:")
    for client in (edge, memory):
        make(client, random_points())
        client.delete("c", [point.id for point in random_points()[:150]])
    edge.tidy("c")
    query = random_sparse(np.random.default_rng(2), 6)
    assert_same_ranking(
        edge.query_points("c", query, using="bm25", limit=50),
        memory.query_points("c", query, using="bm25", limit=50),
    )


def test_numpy_query_is_taken(twins: Twins) -> None:
    query = np.random.default_rng(1).normal(size=SIZE)
    ours, reference = both(twins, "query_points", query, using="dense")
    assert_same_ranking(ours, reference)
