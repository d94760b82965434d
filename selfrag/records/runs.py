"""Runs: each is its question and its event log, kept so that it can be read again."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, delete, insert, select

from selfrag.records.schema import runs


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A finished run: ``events`` are its log as JSON objects, in order."""

    id: str
    question: str
    status: str
    started_at: float
    elapsed_s: float | None
    events: list[dict[str, Any]]


class Runs:
    """The runs in the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, run: RunRecord) -> None:
        """Store a run, in place of an earlier one with the same id."""
        with self._engine.begin() as connection:
            connection.execute(delete(runs).where(runs.c.id == run.id))
            connection.execute(
                insert(runs).values(
                    id=run.id,
                    question=run.question,
                    status=run.status,
                    started_at=run.started_at,
                    elapsed_s=run.elapsed_s,
                    events=run.events,
                )
            )

    def get(self, run_id: str) -> RunRecord | None:
        """The run with this id, or None."""
        with self._engine.connect() as connection:
            row = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().first()
        return RunRecord(**row) if row else None

    def latest(self, limit: int = 20) -> list[RunRecord]:
        """The most recent runs, newest first."""
        query = select(runs).order_by(runs.c.started_at.desc()).limit(limit)
        with self._engine.connect() as connection:
            return [RunRecord(**row) for row in connection.execute(query).mappings()]
