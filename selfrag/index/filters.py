"""Filters in qdrant-client's words, translated for the engine.

A condition that cannot be translated raises: leaving one out would return points that
were asked to be left out.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias
from uuid import UUID

import qdrant_edge as engine
from qdrant_client import models

PointId: TypeAlias = int | UUID | str

_MATCHES: dict[type, tuple[type, str]] = {
    models.MatchValue: (engine.MatchValue, "value"),
    models.MatchText: (engine.MatchText, "text"),
    models.MatchTextAny: (engine.MatchTextAny, "text_any"),
    models.MatchPhrase: (engine.MatchPhrase, "phrase"),
    models.MatchPrefix: (engine.MatchPrefix, "prefix"),
    models.MatchSubstring: (engine.MatchSubstring, "substring"),
    models.MatchAny: (engine.MatchAny, "any"),
    models.MatchExcept: (engine.MatchExcept, "except_"),
}


def to_filter(given: models.Filter | None) -> engine.Filter | None:
    """The engine's form of a filter; None stays None (everything matches).

    Raises:
        NotImplementedError: a condition has no translation (geo conditions).
    """
    if given is None:
        return None
    least = given.min_should
    return engine.Filter(
        must=_conditions(given.must),
        should=_conditions(given.should),
        must_not=_conditions(given.must_not),
        min_should=None
        if least is None
        else engine.MinShould(_conditions(least.conditions) or [], least.min_count),
    )


def _conditions(given: Any) -> list[Any] | None:
    """One condition or a list of them; qdrant-client takes both."""
    if given is None:
        return None
    return [_condition(each) for each in (given if isinstance(given, list) else [given])]


def _condition(given: Any) -> Any:
    match given:
        case models.Filter():
            return to_filter(given)
        case models.FieldCondition():
            return _field(given)
        case models.HasIdCondition():
            return engine.HasIdCondition({to_id(each) for each in given.has_id})
        case models.IsEmptyCondition():
            return engine.IsEmptyCondition(given.is_empty.key)
        case models.IsNullCondition():
            return engine.IsNullCondition(given.is_null.key)
        case models.HasVectorCondition():
            return engine.HasVectorCondition(given.has_vector)
        case models.NestedCondition():
            nested = to_filter(given.nested.filter)
            assert nested is not None
            return engine.NestedCondition(given.nested.key, nested)
    raise NotImplementedError(f"the embedded index knows no {type(given).__name__}")


def _field(given: models.FieldCondition) -> engine.FieldCondition:
    if given.geo_bounding_box or given.geo_radius or given.geo_polygon:
        raise NotImplementedError("the embedded index is asked for no geo conditions")
    count = given.values_count
    return engine.FieldCondition(
        given.key,
        match=_match(given.match),
        range=_range(given.range),
        values_count=None
        if count is None
        else engine.ValuesCount(lt=count.lt, gt=count.gt, lte=count.lte, gte=count.gte),
        is_empty=given.is_empty,
        is_null=given.is_null,
    )


def _match(given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, models.MatchValue) and isinstance(given.value, bool):
        # Its Python binding takes True for the number 1, which matches no boolean.
        raise NotImplementedError("the embedded index cannot match booleans")
    if type(given) not in _MATCHES:
        raise NotImplementedError(f"the embedded index knows no {type(given).__name__}")
    made, attribute = _MATCHES[type(given)]
    return made(getattr(given, attribute))


def _range(given: models.Range | models.DatetimeRange | None) -> Any:
    if given is None:
        return None
    bounds = {name: getattr(given, name) for name in ("gte", "gt", "lte", "lt")}
    if isinstance(given, models.Range):
        return engine.RangeFloat(**bounds)
    return engine.RangeDateTime(
        **{name: None if bound is None else bound.isoformat() for name, bound in bounds.items()}
    )


def to_id(given: Any) -> PointId:
    """An id as the engine takes it; UUID objects become their text."""
    return given if isinstance(given, int) else str(given)


def to_selection(given: Any) -> list[PointId] | engine.Filter:
    """What a points selector selects: a list of ids, or a filter.

    Takes a list of ids, ``PointIdsList``, ``Filter`` and ``FilterSelector``.
    """
    match given:
        case models.PointIdsList():
            return [to_id(each) for each in given.points]
        case models.FilterSelector():
            return _not_none(to_filter(given.filter))
        case models.Filter():
            return _not_none(to_filter(given))
        case Sequence() if not isinstance(given, str):
            return [to_id(each) for each in given]
        case int() | str():
            return [to_id(given)]
    raise NotImplementedError(f"the embedded index cannot select by {type(given).__name__}")


def _not_none(made: engine.Filter | None) -> engine.Filter:
    assert made is not None
    return made
