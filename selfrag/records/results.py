"""Results of evaluations, kept with their time and with all that made them.

A summary is enough for a list and for a chart over time; the payload holds every value and is
read only where a result is opened.
"""

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    RowMapping,
    Text,
    and_,
    cast,
    delete,
    insert,
    select,
    true,
)

from selfrag.errors import UserError
from selfrag.records.schema import results

#: series (a mode, a strategy) -> measure -> mean, low, high (None where not defined), count
Means = Mapping[str, Mapping[str, Mapping[str, float | None]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRecord:
    """A result without its payload.

    Attributes:
        kind: ``retrieval`` or ``answers``.
        name: of the set.
        signature: digest of everything that the numbers depend on.
        asked: what tells two results of one signature apart: modes, measures.
        ended_at: seconds since the epoch.
        seconds: how long it took; None where not known.
        questions: how many were measured.
        undefined: questions, or values, that could not be measured.
        made_of: everything that the numbers depend on, by name.
        trace_url: where it can be looked at in LangSmith, if it was traced.
        damaged: whether its row cannot be read: it has no values then, and can be deleted only.
    """

    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    kind: str
    name: str
    signature: str
    asked: str
    ended_at: float = field(default_factory=time.time)
    seconds: float | None = None
    questions: int
    undefined: int = 0
    made_of: dict[str, str]
    means: dict[str, dict[str, dict[str, float | None]]]
    trace_url: str | None = None
    damaged: bool = False


UNREADABLE = "This result cannot be read any more: delete it."

_OBJECTS = ("made_of", "means")
# Objects are read as text: one that is damaged must not take all other rows with it.
_SUMMARY = [
    cast(column, Text).label(column.name) if column.name in _OBJECTS else column
    for column in results.c
    if column.name not in ("payload", "owner")
]


class Results:
    """The results in the database; ``owner`` is whose they are, None where nobody logs in."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self, record: ResultRecord, payload: Mapping[str, Any], owner: str | None = None
    ) -> None:
        """Keep one more."""
        summary = {key: value for key, value in asdict(record).items() if key != "damaged"}
        values = {**summary, "payload": dict(payload), "owner": owner}
        with self._engine.begin() as connection:
            connection.execute(insert(results).values(values))

    def all(self, kind: str | None = None, owner: str | None = None) -> list[ResultRecord]:
        """The summaries, the oldest first; of every kind where none is named."""
        wanted = and_(_owned(owner), results.c.kind == kind if kind else true())
        query = select(*_SUMMARY).where(wanted).order_by(results.c.ended_at)
        with self._engine.connect() as connection:
            return [_record(row) for row in connection.execute(query).mappings()]

    def get(self, result_id: str, owner: str | None = None) -> ResultRecord | None:
        """One summary; None where there is none of this person's."""
        query = select(*_SUMMARY).where(_owned(owner), results.c.id == result_id)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return _record(row) if row else None

    def payload(self, result_id: str, owner: str | None = None) -> dict[str, Any] | None:
        """Every value of one; None where there is none of this person's.

        Raises:
            UserError: it is damaged.
        """
        query = select(cast(results.c.payload, Text)).where(
            _owned(owner), results.c.id == result_id
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        try:
            return _object(row[0])
        except ValueError:
            raise UserError(UNREADABLE) from None

    def delete(self, result_id: str, owner: str | None = None) -> bool:
        """Delete one; False where there is none of this person's."""
        query = delete(results).where(_owned(owner), results.c.id == result_id)
        with self._engine.begin() as connection:
            return connection.execute(query).rowcount > 0


def _owned(owner: str | None) -> ColumnElement[bool]:
    return results.c.owner.is_(None) if owner is None else results.c.owner == owner


def _record(row: RowMapping) -> ResultRecord:
    """The summary in a row; without its values where they are damaged."""
    values = dict(row)
    try:
        values |= {name: _object(row[name]) for name in _OBJECTS}
        _must_be_means(values["means"])
        numbers = (row["ended_at"], row["questions"], row["undefined"], row["seconds"] or 0)
        if not all(isinstance(number, int | float) for number in numbers):
            raise ValueError("no number")
        return ResultRecord(**values)
    except ValueError:
        at = row["ended_at"] if isinstance(row["ended_at"], int | float) else 0.0
        lost = {"ended_at": at, "seconds": None, "questions": 0, "undefined": 0}
        return ResultRecord(**{**values, **lost, "made_of": {}, "means": {}, "damaged": True})


def _object(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "")
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _must_be_means(found: dict[str, Any]) -> None:
    for measures in found.values():
        for mean in measures.values() if isinstance(measures, dict) else (None,):
            if not isinstance(mean, dict) or "mean" not in mean:
                raise ValueError("no mean")
            if not all(value is None or isinstance(value, int | float) for value in mean.values()):
                raise ValueError("no number")
