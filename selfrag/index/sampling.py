"""Chunks with their vectors, read page by page: a sample that is the same every time.

Ids of chunks are digests, so the lowest ids of a collection are an even draw from it, and they
change little when documents are added. Points come in the order of their ids: nothing but the
sample is read.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from qdrant_client import QdrantClient

from selfrag.index.payload import CONTENT, DOCUMENT_ID, METADATA
from selfrag.index.schema import DENSE

#: Points per request: a vector becomes Python floats under the global lock, which other threads
#: get in between (measured: 3 ms a page of 384 dimensions).
_PAGE = 64
_FIELDS = [CONTENT, DOCUMENT_ID, f"{METADATA}.page"]


@dataclass(frozen=True, slots=True)
class SampledChunk:
    """A child chunk; ``page`` is where it begins, ``vector`` its dense vector, float32."""

    id: str
    document_id: str
    page: int
    text: str
    vector: np.ndarray


def sample(
    client: QdrantClient,
    collection: str,
    most: int,
    documents: Collection[str],
    told: Callable[[int], None] | None = None,
) -> list[SampledChunk]:
    """At most ``most`` chunks of these documents, by ascending id.

    Args:
        told: after each page the number of chunks so far; may raise to end it.
    """
    found: list[SampledChunk] = []
    offset: Any = None
    while True:
        page, offset = client.scroll(
            collection, limit=_PAGE, offset=offset, with_payload=_FIELDS, with_vectors=[DENSE]
        )
        for point in page:
            payload: dict[str, Any] = point.payload or {}
            about = payload.get(METADATA, {})
            vector: Any = (point.vector or {}).get(DENSE)  # type: ignore[union-attr]
            if about.get("document_id") in documents and vector is not None:
                found.append(
                    SampledChunk(
                        str(point.id),
                        about["document_id"],
                        about["page"],
                        payload[CONTENT],
                        np.asarray(vector, dtype=np.float32),
                    )
                )
        if told is not None:
            told(min(len(found), most))
        if offset is None or len(found) >= most:
            return found[:most]
