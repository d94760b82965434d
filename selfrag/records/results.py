"""Results of evaluations, kept with their time and with all that made them.

A summary is enough for a list and for a chart over time; the payload holds every value and is
read only where a result is opened.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Engine, and_, delete, insert, select, true

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


_SUMMARY = [column for column in results.c if column.name not in ("payload", "owner")]


class Results:
    """The results in the database; ``owner`` is whose they are, None where nobody logs in."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def add(
        self, record: ResultRecord, payload: Mapping[str, Any], owner: str | None = None
    ) -> None:
        """Keep one more."""
        values = {**asdict(record), "payload": dict(payload), "owner": owner}
        with self._engine.begin() as connection:
            connection.execute(insert(results).values(values))

    def all(self, kind: str | None = None, owner: str | None = None) -> list[ResultRecord]:
        """The summaries, the oldest first; of every kind where none is named."""
        wanted = and_(_owned(owner), results.c.kind == kind if kind else true())
        query = select(*_SUMMARY).where(wanted).order_by(results.c.ended_at)
        with self._engine.connect() as connection:
            return [ResultRecord(**row) for row in connection.execute(query).mappings()]

    def get(self, result_id: str, owner: str | None = None) -> ResultRecord | None:
        """One summary; None where there is none of this person's."""
        query = select(*_SUMMARY).where(_owned(owner), results.c.id == result_id)
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return ResultRecord(**row) if row else None

    def payload(self, result_id: str, owner: str | None = None) -> dict[str, Any] | None:
        """Every value of one."""
        query = select(results.c.payload).where(_owned(owner), results.c.id == result_id)
        with self._engine.connect() as connection:
            return connection.execute(query).scalar()

    def delete(self, result_id: str, owner: str | None = None) -> bool:
        """Delete one; False where there is none of this person's."""
        query = delete(results).where(_owned(owner), results.c.id == result_id)
        with self._engine.begin() as connection:
            return connection.execute(query).rowcount > 0


def _owned(owner: str | None) -> ColumnElement[bool]:
    return results.c.owner.is_(None) if owner is None else results.c.owner == owner
