"""What people said of an answer: a thumb and a note for each run, changeable at any time."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from sqlalchemy import Engine, delete, insert, select

from selfrag.records.schema import feedback, runs


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """What was said of one run.

    Attributes:
        thumb: True is up, False down, None neither.
        changed_at: seconds since the epoch.
    """

    run_id: str
    thumb: bool | None = None
    note: str = ""
    changed_at: float = field(default_factory=time.time)


class Feedback:
    """The feedback in the database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, run_id: str, thumb: bool | None, note: str = "") -> bool:
        """Say this of a run from now on; neither thumb nor note takes back what was said.

        Returns:
            False where there is no such run (any more): nothing is stored then.
        """
        said = FeedbackRecord(run_id, thumb, note.strip())
        with self._engine.begin() as connection:
            if connection.execute(select(runs.c.id).where(runs.c.id == run_id)).first() is None:
                return False
            connection.execute(delete(feedback).where(feedback.c.run_id == run_id))
            if said.thumb is not None or said.note:
                connection.execute(insert(feedback).values(asdict(said)))
        return True

    def of(self, run_ids: Sequence[str]) -> dict[str, FeedbackRecord]:
        """What was said of each of these runs; those of which nothing was said are left out."""
        query = select(feedback).where(feedback.c.run_id.in_(run_ids))
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings()
            return {row["run_id"]: FeedbackRecord(**row) for row in rows}
