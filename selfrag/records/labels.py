"""Labels: how relevant a person found a passage for a question (qrels).

Question and passage are kept as they were, so that labels can be exported after a document is
gone. A question is the same whatever its case and white space.
"""

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum

from sqlalchemy import ColumnElement, Engine, and_, delete, func, insert, select, update

from selfrag.records.schema import labels


class Relevance(IntEnum):
    """The grades of qrels; the gain that nDCG gives a passage is its grade."""

    NOT = 0
    PARTLY = 1
    RELEVANT = 2


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """One label.

    Attributes:
        chunk_id: the child that was labelled; ``document``, ``page`` and ``text`` are its own.
        changed_at: seconds since the epoch.
    """

    question: str
    chunk_id: str
    document: str
    page: int
    text: str
    relevance: Relevance
    changed_at: float = field(default_factory=time.time)

    @property
    def question_id(self) -> str:
        """The query id in qrels."""
        return question_id(self.question)


def question_id(question: str) -> str:
    """The same for questions that differ in case and white space only."""
    plain = " ".join(question.split()).casefold()
    return "q" + hashlib.sha256(plain.encode()).hexdigest()[:12]


class Labels:
    """The labels in the database; ``owner`` is whose they are, None where nobody logs in."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, records: Iterable[LabelRecord], owner: str | None = None) -> int:
        """Store labels, each in place of an earlier one; returns how many."""
        stored = 0
        with self._engine.begin() as connection:
            for record in records:
                values = asdict(record) | {"relevance": int(record.relevance)}
                at = _at(owner, record.question_id, record.chunk_id)
                changed = connection.execute(update(labels).where(at).values(values))
                if not changed.rowcount:
                    values |= {"owner": owner, "question_id": record.question_id}
                    connection.execute(insert(labels).values(values))
                stored += 1
        return stored

    def remove(self, question: str, chunk_id: str, owner: str | None = None) -> None:
        """Take a label back."""
        with self._engine.begin() as connection:
            connection.execute(delete(labels).where(_at(owner, question_id(question), chunk_id)))

    def forget(self, question: str, owner: str | None = None) -> int:
        """Take back every label of a question; returns how many."""
        mine = and_(_owned(owner), labels.c.question_id == question_id(question))
        with self._engine.begin() as connection:
            return connection.execute(delete(labels).where(mine)).rowcount

    def of(self, question: str, owner: str | None = None) -> dict[str, Relevance]:
        """Chunk id -> label, for one question."""
        query = select(labels.c.chunk_id, labels.c.relevance).where(
            _owned(owner), labels.c.question_id == question_id(question)
        )
        with self._engine.connect() as connection:
            return {row.chunk_id: Relevance(row.relevance) for row in connection.execute(query)}

    def all(self, owner: str | None = None) -> Sequence[LabelRecord]:
        """Every label, in the order in which the questions were first labelled."""
        shown = [column for column in labels.c if column.name not in _HIDDEN]
        query = select(*shown).where(_owned(owner)).order_by(labels.c.id)
        with self._engine.connect() as connection:
            rows = list(connection.execute(query).mappings())
        return [LabelRecord(**{**row, "relevance": Relevance(row["relevance"])}) for row in rows]

    def counts(self, owner: str | None = None) -> tuple[int, int]:
        """How many labels there are, and of how many questions."""
        query = select(func.count(), func.count(func.distinct(labels.c.question_id))).where(
            _owned(owner)
        )
        with self._engine.connect() as connection:
            number, questions = connection.execute(query).one()
        return int(number), int(questions)


_HIDDEN = ("id", "owner", "question_id")


def _owned(owner: str | None) -> ColumnElement[bool]:
    return labels.c.owner.is_(None) if owner is None else labels.c.owner == owner


def _at(owner: str | None, question: str, chunk_id: str) -> ColumnElement[bool]:
    return and_(_owned(owner), labels.c.question_id == question, labels.c.chunk_id == chunk_id)
