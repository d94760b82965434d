"""Queries and points in qdrant-client's words, translated for the engine."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import qdrant_edge as engine
from qdrant_client import models
from qdrant_client.hybrid.fusion import DEFAULT_RANKING_CONSTANT_K

from selfrag.index.filters import to_filter, to_id

#: What Qdrant takes where an MMR query names no balance.
DEFAULT_DIVERSITY = 0.5
#: Candidates by compressed vectors for each point wanted, of which the exact scores are taken.
OVERSAMPLING = 3.0


def to_query(request: models.QueryRequest, compressed: bool = False) -> engine.QueryRequest:
    """One search.

    Args:
        compressed: whether candidates may be found by compressed vectors; scores are those of
            the vectors themselves either way. Not done where the request asks for ``exact``.

    Raises:
        ValueError: the query contradicts itself or holds an impossible vector.
        NotImplementedError: a kind of query that is not spoken here.
    """
    limit = 10 if request.limit is None else request.limit
    offset = request.offset or 0
    if limit < 1:
        raise ValueError(f"limit value {limit} is invalid. Must be 1 or larger.")
    if offset < 0:
        raise ValueError(f"offset value {offset} is invalid. Must be 0 or larger.")
    if request.lookup_from is not None:
        raise NotImplementedError("lookup_from is not spoken by the embedded index")
    prefetches = _prefetches(request.prefetch, compressed)
    _check(request.query, request.using, bool(prefetches), request.score_threshold)
    return engine.QueryRequest(
        limit=limit,
        offset=offset,
        query=_scoring(request.query, request.using, limit),
        prefetches=prefetches,
        filter=to_filter(request.filter),
        score_threshold=request.score_threshold,
        params=_params(request.params, compressed),
        with_payload=to_with_payload(request.with_payload),
        with_vector=to_with_vectors(request.with_vector),
    )


def _prefetches(given: Any, compressed: bool) -> list[engine.Prefetch]:
    if given is None:
        return []
    made = []
    for each in given if isinstance(given, list) else [given]:
        if each.lookup_from is not None:
            raise NotImplementedError("lookup_from is not spoken by the embedded index")
        limit = 10 if each.limit is None else each.limit
        if limit < 1:
            raise ValueError(f"prefetch limit value {limit} is invalid. Must be 1 or larger.")
        inner = _prefetches(each.prefetch, compressed)
        _check(each.query, each.using, bool(inner), each.score_threshold)
        made.append(
            engine.Prefetch(
                limit=limit,
                query=_scoring(each.query, each.using, limit),
                prefetches=inner,
                params=_params(each.params, compressed),
                filter=to_filter(each.filter),
                score_threshold=each.score_threshold,
            )
        )
    return made


def _check(query: Any, using: str | None, prefetched: bool, threshold: float | None) -> None:
    fuses = isinstance(query, models.FusionQuery | models.RrfQuery)
    if prefetched and query is None:
        raise ValueError("A query is needed to merge the prefetches.")
    if threshold is not None and query is None:
        raise ValueError("A query is needed to use the score_threshold.")
    if fuses and using:
        raise ValueError("Fusion queries cannot be combined with the 'using' field.")
    if fuses and not prefetched:
        raise ValueError("Cannot perform fusion without prefetches")


def _scoring(query: Any, using: str | None, limit: int) -> Any:
    """The engine's form of a ``query`` argument; None (no scoring) stays None."""
    match query:
        case None:
            return None
        case models.NearestQuery():
            mmr = query.mmr
            if mmr is None:
                return engine.Query.Nearest(to_vector(query.nearest), using)
            diversity = DEFAULT_DIVERSITY if mmr.diversity is None else mmr.diversity
            candidates = limit if mmr.candidates_limit is None else mmr.candidates_limit
            return engine.Mmr(to_vector(query.nearest), 1.0 - diversity, candidates, using)
        case models.FusionQuery(fusion=models.Fusion.RRF):
            return engine.Fusion.Rrf(DEFAULT_RANKING_CONSTANT_K)
        case models.FusionQuery(fusion=models.Fusion.DBSF):
            return engine.Fusion.Dbsf()
        case models.RrfQuery(rrf=rrf):
            k = DEFAULT_RANKING_CONSTANT_K if rrf.k is None else rrf.k
            if k < 1:
                raise ValueError(f"rrf k value {k} is invalid. Must be 1 or larger.")
            return engine.Fusion.Rrf(k, rrf.weights)
        case list() | tuple() | np.ndarray() | models.SparseVector():
            return engine.Query.Nearest(to_vector(query), using)
    raise NotImplementedError(f"the embedded index knows no {type(query).__name__} query")


def to_vector(given: Any) -> Any:
    """A dense or sparse vector, checked: the engine stores NaN and repeated indices unasked.

    Raises:
        ValueError: not finite, or a sparse vector whose indices repeat or do not pair up.
    """
    if isinstance(given, models.SparseVector):
        if len(given.indices) != len(given.values):
            raise ValueError("Indices and values of a sparse vector must be equally many")
        if len(set(given.indices)) != len(given.indices):
            raise ValueError("Indices of a sparse vector must be unique")
        if not math.isfinite(math.fsum(given.values)):
            raise ValueError("A sparse vector holds a value that is not finite")
        return engine.SparseVector(list(given.indices), list(given.values))
    values = given.tolist() if isinstance(given, np.ndarray) else list(given)
    if values and isinstance(values[0], list | tuple):
        raise NotImplementedError("multivectors are not spoken by the embedded index")
    # One NaN or infinity makes the sum so; far quicker than asking each value.
    if not math.isfinite(sum(values)):
        raise ValueError("A vector holds a value that is not finite")
    return values


def to_point(point: models.PointStruct, sizes: Mapping[str, int | None]) -> engine.Point:
    """A point to be stored.

    Args:
        sizes: the dimension of each vector that the collection has, None for a sparse one.
            Checked here, so that a wrong point in a batch is found before any is stored.

    Raises:
        ValueError: a vector has no such name or size, or is not finite.
    """
    given: Any = point.vector
    made = {}
    for name, vector in (given if isinstance(given, dict) else {"": given}).items():
        if name not in sizes:
            raise ValueError(f"Wrong input: Not existing vector name error: {name}")
        made[name] = to_vector(vector)
        size = None if isinstance(made[name], engine.SparseVector) else len(made[name])
        if size != sizes[name]:
            raise ValueError(
                f"Vector dimension error for {name!r}: "
                f"expected {sizes[name] or 'a sparse vector'}, got {size or 'a sparse vector'}"
            )
    return engine.Point(to_id(point.id), made, point.payload or {})


def _params(given: models.SearchParams | None, compressed: bool) -> engine.SearchParams:
    quantization = engine.QuantizationSearchParams(
        ignore=not compressed, rescore=True, oversampling=OVERSAMPLING
    )
    if given is None:
        return engine.SearchParams(quantization=quantization)
    if given.quantization is not None or given.acorn is not None:
        raise NotImplementedError("quantization and acorn are not spoken by the embedded index")
    corpus = given.idf.corpus if isinstance(given.idf, models.IdfCorpusParams) else None
    return engine.SearchParams(
        hnsw_ef=given.hnsw_ef,
        exact=bool(given.exact),
        quantization=quantization,
        indexed_only=bool(given.indexed_only),
        idf=None if corpus is None else engine.IdfParams(to_filter(corpus)),
    )


def to_with_payload(given: Any) -> Any:
    """Which payload fields to return: all, none, or those named."""
    match given:
        case None:
            return False
        case models.PayloadSelectorInclude():
            return engine.PayloadSelector.Include(given.include)
        case models.PayloadSelectorExclude():
            return engine.PayloadSelector.Exclude(given.exclude)
        case bool():
            return given
        case Sequence():
            return engine.PayloadSelector.Include(list(given))
    raise NotImplementedError(f"with_payload cannot be {type(given).__name__}")


def to_with_vectors(given: Any) -> Any:
    """Which vectors to return: all, none, or those named."""
    return given if isinstance(given, bool) else False if given is None else list(given)
