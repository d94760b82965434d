"""What the engine answers, in qdrant-client's types.

Built without validation, as unpickling builds them: the engine is the source, and making two
hundred of them with ``model_construct`` took four times as long as finding them.
"""

from typing import Any, TypeVar
from uuid import UUID

import qdrant_edge as engine
from pydantic import BaseModel
from qdrant_client import models

from selfrag.index.filters import PointId

Model = TypeVar("Model", bound=BaseModel)


def from_id(given: Any) -> PointId:
    """An id as Qdrant servers return it: an int, or the text of a UUID."""
    return str(given) if isinstance(given, UUID) else given


def scored(point: engine.ScoredPoint) -> models.ScoredPoint:
    """A point that was found, with its score."""
    return _made(
        models.ScoredPoint,
        {
            "id": from_id(point.id),
            "version": point.version,
            "score": point.score,
            "payload": point.payload,
            "vector": _vector(point.vector),
            "shard_key": None,
            "order_value": None,
        },
    )


def record(point: engine.Record) -> models.Record:
    """A point that was looked up."""
    return _made(
        models.Record,
        {
            "id": from_id(point.id),
            "payload": point.payload,
            "vector": _vector(point.vector),
            "shard_key": None,
            "order_value": None,
        },
    )


def _made(kind: type[Model], values: dict[str, Any]) -> Model:
    """A model with exactly these values."""
    made = kind.__new__(kind)
    made.__setstate__(
        {
            "__dict__": values,
            "__pydantic_fields_set__": set(values),
            "__pydantic_extra__": None,
            "__pydantic_private__": None,
        }
    )
    return made


def _vector(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    return {name: _named(each) for name, each in given.items()}


def _named(given: Any) -> Any:
    if isinstance(given, engine.SparseVector):
        return models.SparseVector.model_construct(indices=given.indices, values=given.values)
    return given
