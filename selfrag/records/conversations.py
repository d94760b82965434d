"""Conversations: runs in the order in which they were asked, under a title.

A conversation begins with its first question. One of another kind than the chat's holds runs that
belong together otherwise (a question asked in several ways), and is listed apart. What is searched
(titles, questions, answers) is kept folded beside them, so that any database finds it without
regard to case and accents.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Engine,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from selfrag.errors import UserError
from selfrag.models.words import fold
from selfrag.records.schema import conversations, feedback, runs, turns
from selfrag.records.titles import shortened, title_of

LONGEST_TITLE = 200  #: characters
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question is asked.

    Attributes:
        conversation: id; one that is not there yet begins with this question.
        owner: who is logged in; None where nobody is, and what is asked is everybody's.
        options: how it is asked, to be taken up when the conversation is opened again.
        in_place_of: a run of the conversation that is given up for this one.
        kind: what a conversation that begins is; None is one of the chat.
    """

    conversation: str
    owner: str | None = None
    options: dict[str, Any] | None = None
    in_place_of: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """One conversation; times are seconds since the epoch, ``kind`` as in `Place`."""

    id: str
    owner: str | None
    title: str
    options: dict[str, Any]
    created_at: float
    changed_at: float
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One question of a conversation: its run without the log."""

    run_id: str
    question: str
    status: str
    started_at: float


class Conversations:
    """The conversations in the database.

    Args:
        stop: called, beside, with the ids of runs that were deleted.
    """

    def __init__(
        self, engine: Engine, stop: Callable[[Sequence[str]], None] = lambda ids: None
    ) -> None:
        self._engine = engine
        self._stop = stop

    def get(
        self, conversation_id: str, owner: str | None = None, *, kind: str | None = None
    ) -> ConversationRecord | None:
        """The conversation with this id; None where there is none of this kind, or it is someone
        else's."""
        own = conversations.c.id == conversation_id
        query = select(*_SHOWN).where(own, _owned(owner), _of_kind(kind))
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return ConversationRecord(**row) if row else None

    def all(
        self,
        owner: str | None = None,
        *,
        search: str = "",
        limit: int = 50,
        kind: str | None = None,
    ) -> list[ConversationRecord]:
        """Conversations of ``owner``, the one asked in last first.

        Args:
            search: words that must all stand in title, questions or answers; case and accents
                make no difference.
        """
        query = (
            select(*_SHOWN)
            .where(_matching(owner, search), _of_kind(kind))
            .order_by(conversations.c.changed_at.desc(), conversations.c.id)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [ConversationRecord(**row) for row in connection.execute(query).mappings()]

    def count(self, owner: str | None = None, *, search: str = "", kind: str | None = None) -> int:
        """How many there are of those that `all` lists."""
        query = (
            select(func.count())
            .select_from(conversations)
            .where(_matching(owner, search), _of_kind(kind))
        )
        with self._engine.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def turns(self, conversation_id: str) -> list[TurnRecord]:
        """Its questions, oldest first; none where there is no such conversation."""
        query = (
            select(turns.c.run_id, runs.c.question, runs.c.status, runs.c.started_at)
            .join(runs, runs.c.id == turns.c.run_id)
            .where(turns.c.conversation_id == conversation_id)
            .order_by(turns.c.id)
        )
        with self._engine.connect() as connection:
            return [TurnRecord(**row) for row in connection.execute(query).mappings()]

    def of_run(self, run_id: str, owner: str | None = None) -> ConversationRecord | None:
        """The conversation in which a run was asked; None where it was asked in none."""
        query = (
            select(*_SHOWN)
            .join(turns, turns.c.conversation_id == conversations.c.id)
            .where(turns.c.run_id == run_id, _owned(owner))
        )
        with self._engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return ConversationRecord(**row) if row else None

    def recent_runs(
        self, owner: str | None = None, limit: int = 100
    ) -> list[tuple[TurnRecord, ConversationRecord]]:
        """The runs asked last in any conversation of ``owner``, newest first, each with it."""
        query = (
            select(turns.c.run_id, runs.c.question, runs.c.status, runs.c.started_at, *_SHOWN)
            .join(runs, runs.c.id == turns.c.run_id)
            .join(conversations, conversations.c.id == turns.c.conversation_id)
            .where(_owned(owner))
            .order_by(turns.c.id.desc())
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return [
                (TurnRecord(*row[:4]), ConversationRecord(*row[4:]))
                for row in connection.execute(query)
            ]

    def add(self, place: Place, run_id: str, question: str) -> None:
        """Take a run, which is in the records already, in as the newest of its conversation.

        Raises:
            UserError: the conversation is someone else's.
        """
        now = time.time()
        own = conversations.c.id == place.conversation
        with self._engine.begin() as connection:
            found = connection.execute(select(conversations.c.owner).where(own)).first()
            if found is None:
                title = title_of(question)
                connection.execute(
                    insert(conversations).values(
                        id=place.conversation,
                        owner=place.owner,
                        title=title,
                        searched=fold(title),
                        options=place.options or {},
                        created_at=now,
                        changed_at=now,
                        kind=place.kind,
                    )
                )
            elif found.owner != place.owner:
                raise UserError("This conversation is not yours. Begin a new one.")
            else:
                changes: dict[str, Any] = {"changed_at": now}
                if place.options is not None:
                    changes["options"] = place.options
                connection.execute(update(conversations).where(own).values(changes))
            if place.in_place_of is not None:
                given_up = (
                    select(turns.c.run_id)
                    .where(turns.c.run_id == place.in_place_of)
                    .where(turns.c.conversation_id == place.conversation)
                )
                _delete_runs(connection, [row.run_id for row in connection.execute(given_up)])
            connection.execute(
                insert(turns).values(
                    conversation_id=place.conversation, run_id=run_id, searched=fold(question)
                )
            )

    def note_answer(self, run_id: str, question: str, answer: str) -> None:
        """Let a run be found by its answer as well."""
        with self._engine.begin() as connection:
            connection.execute(
                update(turns)
                .where(turns.c.run_id == run_id)
                .values(searched=fold(f"{question} {answer}"))
            )

    def rename(self, conversation_id: str, title: str, owner: str | None = None) -> str:
        """Give it another title; returns the title as it is kept.

        Raises:
            UserError: the title is blank, or the conversation is not there (any more).
        """
        title = shortened(title, LONGEST_TITLE)
        if not title:
            raise UserError("A title needs at least one character: write one.")
        with self._engine.begin() as connection:
            changed = connection.execute(
                update(conversations)
                .where(conversations.c.id == conversation_id, _owned(owner))
                .values(title=title, searched=fold(title))
            )
        if not changed.rowcount:
            raise UserError("This conversation is no longer there. Choose another one.")
        return title

    def delete(
        self, conversation_id: str, owner: str | None = None, *, kind: str | None = None
    ) -> bool:
        """Delete it with its runs and what was said of them; those under way are
        stopped, which is not waited for.

        Returns:
            False where it is not there (any more), or someone else's.
        """
        if self.get(conversation_id, owner, kind=kind) is None:
            return False
        inside = select(turns.c.run_id).where(turns.c.conversation_id == conversation_id)
        with self._engine.begin() as connection:
            run_ids = [row.run_id for row in connection.execute(inside)]
            _delete_runs(connection, run_ids)
            connection.execute(delete(conversations).where(conversations.c.id == conversation_id))
        # A run that is stopped first puts together what it has, which may take seconds; how it
        # ended is written nowhere, since its row is gone.
        threading.Thread(target=self._stop, args=(run_ids,), name="stop-deleted").start()
        return True


_SHOWN = [
    conversations.c[name]
    for name in ("id", "owner", "title", "options", "created_at", "changed_at", "kind")
]


def _owned(owner: str | None) -> ColumnElement[bool]:
    column = conversations.c.owner
    return column.is_(None) if owner is None else column == owner


def _of_kind(kind: str | None) -> ColumnElement[bool]:
    column = conversations.c.kind
    return column.is_(None) if kind is None else column == kind


def _matching(owner: str | None, search: str) -> ColumnElement[bool]:
    wanted = fold(search[:_LONGEST_SEARCH]).split()
    found = [
        or_(
            conversations.c.searched.contains(word, autoescape=True),
            exists().where(
                turns.c.conversation_id == conversations.c.id,
                turns.c.searched.contains(word, autoescape=True),
            ),
        )
        for word in wanted
    ]
    return and_(_owned(owner), *found)


def _delete_runs(connection: Any, run_ids: Sequence[str]) -> None:
    """Delete runs with their turns and feedback, also where a database does not cascade."""
    for table, column in ((feedback, "run_id"), (turns, "run_id"), (runs, "id")):
        connection.execute(delete(table).where(table.c[column].in_(run_ids)))
