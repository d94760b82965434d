"""What ``get_collection`` tells of an embedded collection."""

from typing import Any

from qdrant_client import models

from selfrag.index.collection import RECLAIM_FROM, RECLAIM_SHARE, Description


def collection_info(
    description: Description, shard: Any, failure: str | None
) -> models.CollectionInfo:
    """The collection's configuration and size.

    Args:
        shard: the engine's ``ShardInfo``.
        failure: why the last flush failed, or None; it makes the status yellow.
    """
    unnamed = description.vectors.get("")
    return models.CollectionInfo(
        status=models.CollectionStatus.GREEN if failure is None else models.CollectionStatus.YELLOW,
        optimizer_status=models.OptimizersStatusOneOf.OK
        if failure is None
        else models.OptimizersStatusOneOf1(error=failure),
        points_count=shard.points_count,
        indexed_vectors_count=shard.indexed_vectors_count,
        segments_count=shard.segments_count,
        payload_schema={
            name: models.PayloadIndexInfo(data_type=_kind(index), points=index.points)
            for name, index in shard.payload_schema.items()
        },
        config=models.CollectionConfig(
            params=models.CollectionParams(
                vectors=unnamed if unnamed is not None else dict(description.vectors),
                sparse_vectors=dict(description.sparse_vectors) or None,
                shard_number=1,
                replication_factor=1,
            ),
            # No graph is built (see collection.py); the type insists on the figures.
            hnsw_config=models.HnswConfig(m=0, ef_construct=100, full_scan_threshold=10000),
            optimizer_config=models.OptimizersConfig(
                deleted_threshold=RECLAIM_SHARE,
                vacuum_min_vector_number=RECLAIM_FROM,
                default_segment_number=0,
                indexing_threshold=0,
                flush_interval_sec=1,
            ),
            metadata=description.metadata,
        ),
    )


def _kind(index: Any) -> models.PayloadSchemaType:
    return models.PayloadSchemaType(str(index.data_type).rpartition(".")[2].lower())
