"""The embedded client: what is used of ``QdrantClient``, over Qdrant's in-process engine.

``QdrantClient(path=...)`` is brute-force Python and not thread-safe; this speaks the same
calls and returns the same types over the engine that Qdrant servers run, so that
``langchain_qdrant.QdrantVectorStore`` and the rest of the program work with either.

Errors are those of the local ``QdrantClient``: a missing collection or a wrong request is
``ValueError``, a closed client ``RuntimeError``, something not spoken here
``NotImplementedError``. Damage and a folder that is in use are ``UserError``.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import qdrant_edge as engine
from qdrant_client import models
from qdrant_client.http.models import QueryResponse  # models.QueryResponse is another one

from selfrag.index.answers import from_id, record, scored
from selfrag.index.catalogue import EdgeCatalogue, refuse
from selfrag.index.collection import EXACT_TO
from selfrag.index.filters import to_filter, to_id, to_selection
from selfrag.index.queries import to_point, to_query, to_with_payload, to_with_vectors
from selfrag.index.space import RESERVE, RESERVE_FOR_REMOVAL, must_have_room

#: Points per engine call; between calls other threads get their turn.
_WRITE_BATCH = 256
_DONE = models.UpdateResult(operation_id=0, status=models.UpdateStatus.COMPLETED)
_INDEX_TYPES = {
    models.PayloadSchemaType.KEYWORD: engine.PayloadSchemaType.Keyword,
    models.PayloadSchemaType.INTEGER: engine.PayloadSchemaType.Integer,
    models.PayloadSchemaType.FLOAT: engine.PayloadSchemaType.Float,
    models.PayloadSchemaType.TEXT: engine.PayloadSchemaType.Text,
    models.PayloadSchemaType.BOOL: engine.PayloadSchemaType.Bool,
    models.PayloadSchemaType.DATETIME: engine.PayloadSchemaType.Datetime,
    models.PayloadSchemaType.UUID: engine.PayloadSchemaType.Uuid,
}


class EdgeClient(EdgeCatalogue):
    """The points of the collections under a folder; ``EdgeCatalogue`` keeps the collections.

    A write survives the death of the process as soon as it returns, and a power cut about
    a second later.
    """

    def create_payload_index(
        self,
        collection_name: str,
        field_name: str,
        field_schema: models.PayloadSchemaType | str | None = None,
        **ignored: Any,
    ) -> models.UpdateResult:
        """Index a payload field, for filters and facets. Doing it twice changes nothing."""
        refuse(ignored)
        if not isinstance(field_schema, str):
            raise NotImplementedError(f"no payload index from {type(field_schema).__name__}")
        kind = _INDEX_TYPES.get(models.PayloadSchemaType(field_schema))
        if kind is None:
            raise NotImplementedError(f"no payload index of type {field_schema}")
        self._write(collection_name, engine.UpdateOperation.create_field_index(field_name, kind))
        return _DONE

    def upsert(
        self, collection_name: str, points: Iterable[models.PointStruct], **ignored: Any
    ) -> models.UpdateResult:
        """Store points, replacing those whose id is there already.

        Raises:
            ValueError: a vector has the wrong name or size, or is not finite; nothing was
                stored then.
        """
        refuse(ignored)
        if isinstance(points, models.Batch):
            raise NotImplementedError("the embedded index takes a list of points, not a Batch")
        sizes = self._get(collection_name).description.sizes
        made = [to_point(point, sizes) for point in points]
        if not made:
            raise ValueError("Empty update request")
        for start in range(0, len(made), _WRITE_BATCH):
            batch = made[start : start + _WRITE_BATCH]
            self._write(collection_name, engine.UpdateOperation.upsert_points(batch))
        return _DONE

    def delete(
        self, collection_name: str, points_selector: Any, **ignored: Any
    ) -> models.UpdateResult:
        """Remove points, named by id or by filter; ids that are not there do not matter."""
        refuse(ignored)
        selected = to_selection(points_selector)
        if isinstance(selected, list):
            operation = engine.UpdateOperation.delete_points(selected)
        else:
            operation = engine.UpdateOperation.delete_points_by_filter(selected)
        self._write(collection_name, operation, RESERVE_FOR_REMOVAL)
        return _DONE

    def set_payload(
        self,
        collection_name: str,
        payload: dict[str, Any],
        points: Any,
        key: str | None = None,
        **ignored: Any,
    ) -> models.UpdateResult:
        """Set fields of the payload (of the object at ``key``); other fields stay."""
        refuse(ignored)
        selected = to_selection(points)
        if isinstance(selected, list):
            operation = engine.UpdateOperation.set_payload(selected, payload, key)
        else:
            operation = engine.UpdateOperation.set_payload_by_filter(selected, payload, key)
        self._write(collection_name, operation)
        return _DONE

    def query_points(
        self,
        collection_name: str,
        query: Any = None,
        using: str | None = None,
        prefetch: models.Prefetch | list[models.Prefetch] | None = None,
        query_filter: models.Filter | None = None,
        search_params: models.SearchParams | None = None,
        limit: int = 10,
        offset: int | None = None,
        with_payload: Any = True,
        with_vectors: Any = False,
        score_threshold: float | None = None,
        **ignored: Any,
    ) -> QueryResponse:
        """The points that match best, best first. An empty sparse query matches nothing."""
        refuse(ignored)
        # Not validated here: pydantic would copy long vectors and refuse NumPy arrays.
        request = models.QueryRequest.model_construct(
            query=query,
            using=using,
            prefetch=prefetch,
            filter=query_filter,
            params=search_params,
            limit=limit,
            offset=offset,
            with_payload=with_payload,
            with_vector=with_vectors,
            score_threshold=score_threshold,
        )
        return self.query_batch_points(collection_name, [request])[0]

    def query_batch_points(
        self, collection_name: str, requests: Sequence[models.QueryRequest], **ignored: Any
    ) -> list[QueryResponse]:
        """Several searches in one call to the engine, answered in order."""
        refuse(ignored)
        collection = self._get(collection_name)
        compressed = collection.call(lambda shard: shard.info()).points_count > EXACT_TO
        batch = engine.QueryBatchRequest([to_query(request, compressed) for request in requests])
        answers = collection.call(lambda shard: shard.query_batch(batch))
        return [
            QueryResponse.model_construct(points=[scored(point) for point in answer])
            for answer in answers
        ]

    def retrieve(
        self,
        collection_name: str,
        ids: Sequence[Any],
        with_payload: Any = True,
        with_vectors: Any = False,
        **ignored: Any,
    ) -> list[models.Record]:
        """The points with these ids, in that order; ids that are not there are left out."""
        refuse(ignored)
        wanted, fields = [to_id(each) for each in ids], to_with_payload(with_payload)
        vectors = to_with_vectors(with_vectors)
        found = self._get(collection_name).call(lambda s: s.retrieve(wanted, fields, vectors))
        return [record(point) for point in found]

    def scroll(
        self,
        collection_name: str,
        scroll_filter: models.Filter | None = None,
        limit: int = 10,
        order_by: None = None,
        offset: Any = None,
        with_payload: Any = True,
        with_vectors: Any = False,
        **ignored: Any,
    ) -> tuple[list[models.Record], Any]:
        """One page of points in the order of their ids, and where the next page starts or None."""
        refuse({**ignored, "order_by": order_by})
        request = engine.ScrollRequest(
            offset=None if offset is None else to_id(offset),
            limit=limit,
            filter=to_filter(scroll_filter),
            with_payload=to_with_payload(with_payload),
            with_vector=to_with_vectors(with_vectors),
        )
        points, following = self._get(collection_name).call(lambda shard: shard.scroll(request))
        return [record(point) for point in points], from_id(following)

    def count(
        self,
        collection_name: str,
        count_filter: models.Filter | None = None,
        exact: bool = True,
        **ignored: Any,
    ) -> models.CountResult:
        """How many points match."""
        refuse(ignored)
        request = engine.CountRequest(exact=exact, filter=to_filter(count_filter))
        counted = self._get(collection_name).call(lambda shard: shard.count(request))
        return models.CountResult(count=counted)

    def facet(
        self,
        collection_name: str,
        key: str,
        facet_filter: models.Filter | None = None,
        limit: int = 10,
        exact: bool = False,
        **ignored: Any,
    ) -> models.FacetResponse:
        """How many points have each value of a field, most frequent first.

        Raises:
            ValueError: the field has no payload index.
        """
        refuse(ignored)
        request = engine.FacetRequest(key, limit, exact, to_filter(facet_filter))
        counted = self._get(collection_name).call(lambda shard: shard.facet(request))
        return models.FacetResponse(
            hits=[
                models.FacetValueHit(value=hit.value, count=hit.count)
                for hit in counted.hits
                if hit.count  # values of deleted points are remembered until they are reclaimed
            ]
        )

    def _write(self, name: str, operation: engine.UpdateOperation, reserve: int = RESERVE) -> None:
        must_have_room(self._path, reserve)
        self._get(name).call(lambda shard: shard.update(operation))
        self._maintenance.note_write(name)
