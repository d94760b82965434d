"""What the engine answers, in qdrant-client's types.

Built without validation: the engine is the source, and validating two hundred payloads
took longer than finding them.
"""

from typing import Any
from uuid import UUID

import qdrant_edge as engine
from qdrant_client import models

from selfrag.index.filters import PointId


def from_id(given: Any) -> PointId:
    """An id as Qdrant servers return it: an int, or the text of a UUID."""
    return str(given) if isinstance(given, UUID) else given


def scored(point: engine.ScoredPoint) -> models.ScoredPoint:
    """A point that was found, with its score."""
    return models.ScoredPoint.model_construct(
        id=from_id(point.id),
        version=point.version,
        score=point.score,
        payload=point.payload,
        vector=_vector(point.vector),
    )


def record(point: engine.Record) -> models.Record:
    """A point that was looked up."""
    return models.Record.model_construct(
        id=from_id(point.id), payload=point.payload, vector=_vector(point.vector)
    )


def _vector(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    return {name: _named(each) for name, each in given.items()}


def _named(given: Any) -> Any:
    if isinstance(given, engine.SparseVector):
        return models.SparseVector.model_construct(indices=given.indices, values=given.values)
    return given
