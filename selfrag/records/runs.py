"""Runs: each is its question and its event log, kept so that it can be read again.

A run is written when it begins and again when it ends: one that is still ``running`` when the
records are opened was under way when the application was ended.
"""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, insert, select, update

from selfrag.records.schema import conversations, runs, turns

RUNNING = "running"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run without its log.

    Attributes:
        status: how it ended, or ``running``.
        started_at: seconds since the epoch; ``elapsed_s`` is None where the end was not seen.
    """

    id: str
    question: str
    status: str
    started_at: float
    elapsed_s: float | None


@dataclass(frozen=True, slots=True)
class RunRecord(RunSummary):
    """A run: ``events`` are its log as JSON objects, in order."""

    events: list[dict[str, Any]]


class Runs:
    """The runs in the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def begin(self, run: RunRecord) -> None:
        """Store a run that has begun."""
        with self._engine.begin() as connection:
            connection.execute(insert(runs).values(asdict(run)))

    def finish(self, run: RunRecord) -> bool:
        """Store how a run ended; False where it was deleted while it was under way."""
        values = asdict(run)
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(runs).where(runs.c.id == values.pop("id")).values(values)
            )
        return changed.rowcount > 0

    def get(self, run_id: str) -> RunRecord | None:
        """The run with this id, or None."""
        with self._engine.connect() as connection:
            row = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().first()
        return RunRecord(**row) if row else None

    def running(self) -> list[RunRecord]:
        """The runs whose end has not been recorded."""
        query = select(runs).where(runs.c.status == RUNNING)
        with self._engine.connect() as connection:
            return [RunRecord(**row) for row in connection.execute(query).mappings()]

    def latest(self, limit: int = 20) -> list[RunSummary]:
        """The most recent runs, newest first; without those of a person who logged in."""
        columns = (runs.c.id, runs.c.question, runs.c.status, runs.c.started_at, runs.c.elapsed_s)
        theirs = (
            select(turns.c.run_id)
            .join(conversations, turns.c.conversation_id == conversations.c.id)
            .where(conversations.c.owner.is_not(None))
        )
        query = select(*columns).where(runs.c.id.not_in(theirs))
        query = query.order_by(runs.c.started_at.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [RunSummary(**row) for row in connection.execute(query).mappings()]
