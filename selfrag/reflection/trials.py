"""Trials: the same question answered in several ways at the same time.

Each way is an ordinary run, with its log, feedback and report. What holds them together is a
conversation of a kind of its own, so that they are found again, belong to whoever asked, and are
deleted together, and the chat does not list them.
"""

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from selfrag.errors import UserError
from selfrag.records.conversations import Conversations, Place
from selfrag.reflection.casting import Casting
from selfrag.reflection.events import Event, RunStarted
from selfrag.reflection.run import Run
from selfrag.reflection.way import Way
from selfrag.retrieval.result import Mode

KIND = "trial"
FEWEST, MOST = 2, 4  #: ways; more columns can't be read beside each other
_WAYS, _ASKED = "ways", "asked"


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question is asked whatever the way; what is None is as the settings say."""

    mode: Mode = Mode.FULL
    documents: tuple[str, ...] | None = None
    max_retries: int | None = None
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A question, and the runs that answer it.

    Attributes:
        runs: their ids, in the order of the ways.
        started_at: seconds since the epoch.
    """

    id: str
    question: str
    ways: tuple[Way, ...]
    runs: tuple[str, ...]
    asked: Asked
    started_at: float


class Trials:
    """Every trial that can be asked for.

    Args:
        start: begins a run (`SelfRag.start`).
        live: a run of this process.
        events: the log of a run.

    Attributes:
        way: how a run went, by its id; None where it is lost.
    """

    def __init__(
        self,
        conversations: Conversations,
        start: Callable[..., Run],
        live: Callable[[str], Run | None],
        events: Callable[[str], list[Event]],
    ) -> None:
        self._conversations = conversations
        self._start = start
        self._live = live
        self._events = events
        # Of which way a run is never changes, and reading its log takes long.
        self.way = lru_cache(maxsize=1_000)(self._read_way)

    def start(
        self,
        question: str,
        ways: Sequence[Way],
        *,
        casting: Casting,
        asked: Asked | None = None,
        owner: str | None = None,
    ) -> str:
        """Begin to answer a question in several ways; returns the id, follow the runs' logs.

        Together the runs ask an endpoint no more at once than one of them alone may.

        Raises:
            UserError: there are fewer ways than two, more than `MOST` or the same twice, or a
                run cannot begin. None goes on then.
        """
        if len(set(ways)) != len(ways):
            raise UserError("The same way is named twice: name each once.")
        if not FEWEST <= len(ways) <= MOST:
            raise UserError(f"Name {FEWEST} to {MOST} ways to answer: {len(ways)} are named.")
        asked = asked or Asked()
        trial_id = uuid.uuid4().hex
        options = {_WAYS: [str(way) for way in ways], _ASKED: _as_json(asked)}
        shared = casting.side_by_side()
        try:
            for way in ways:
                place = Place(trial_id, owner, options, kind=KIND)
                self._begin(question, way, asked, shared, place)
        except UserError:
            self.delete(trial_id, owner)
            raise
        return trial_id

    def again(
        self, trial_id: str, run_id: str, *, casting: Casting, owner: str | None = None
    ) -> None:
        """Answer once more in the way of one of its runs, in place of that run.

        Raises:
            UserError: there is no such run, or it cannot begin.
        """
        trial = self.get(trial_id, owner)
        if trial is None or run_id not in trial.runs:
            raise UserError("This answer is no longer there. Ask the question again.")
        way = trial.ways[trial.runs.index(run_id)]
        place = Place(trial_id, owner, None, run_id, KIND)
        self._begin(trial.question, way, trial.asked, casting, place)

    def get(self, trial_id: str, owner: str | None = None) -> Trial | None:
        """The trial with this id; None where there is none, or it is someone else's."""
        record = self._conversations.get(trial_id, owner, kind=KIND)
        turns = self._conversations.turns(trial_id) if record else []
        if record is None or not turns:
            return None
        named = [_parsed(text) for text in record.options.get(_WAYS, [])]
        order = {way: place for place, way in enumerate(filter(None, named))}
        found = [(way, turn) for turn in turns if (way := self.way(turn.run_id)) is not None]
        found.sort(key=lambda pair: order.get(pair[0], len(order)))
        return Trial(
            record.id,
            turns[0].question,
            tuple(way for way, _ in found),
            tuple(turn.run_id for _, turn in found),
            _from_json(record.options.get(_ASKED, {})),
            record.created_at,
        )

    def latest(self, owner: str | None = None, limit: int = 20) -> list[tuple[str, str, float]]:
        """Id, question and beginning of the most recent trials, newest first."""
        found = self._conversations.all(owner, limit=limit, kind=KIND)
        return [(it.id, it.title, it.created_at) for it in found]

    def count(self, owner: str | None = None) -> int:
        """How many there are."""
        return self._conversations.count(owner, kind=KIND)

    def under_way(self, trial: Trial) -> Iterator[Run]:
        """Its runs that have not ended."""
        for run_id in trial.runs:
            run = self._live(run_id)
            if run is not None and not run.log.closed:
                yield run

    def stop(self, trial: Trial) -> None:
        """End every run that is under way; each keeps what it has.

        They end together: the records of one, which may be slow, keep no other going.
        """
        runs = list(self.under_way(trial))
        for run in runs:
            threading.Thread(target=run.stop, name=f"stop-{run.id[:8]}").start()
        for run in runs:
            run.log.wait()

    def delete(self, trial_id: str, owner: str | None = None) -> bool:
        """Delete it with its runs; False where it is not there (any more)."""
        return self._conversations.delete(trial_id, owner, kind=KIND)

    def _begin(self, question: str, way: Way, asked: Asked, casting: Casting, place: Place) -> None:
        self._start(
            question,
            mode=asked.mode,
            documents=asked.documents,
            max_retries=asked.max_retries,
            k=asked.k,
            strategy=way.strategy.value,
            retrieval=way.looks.value,
            place=place,
            casting=casting,
        )

    def _read_way(self, run_id: str) -> Way | None:
        started = self._events(run_id)[:1]
        return Way.of(started[0]) if started and isinstance(started[0], RunStarted) else None


def _parsed(text: str) -> Way | None:
    try:
        return Way.parse(text)
    except UserError:
        return None


def _as_json(asked: Asked) -> dict[str, Any]:
    return {name: value for name, value in asdict(asked).items() if value is not None}


def _from_json(kept: dict[str, Any]) -> Asked:
    documents = kept.get("documents")
    return Asked(
        Mode(kept.get("mode", Mode.FULL)),
        None if documents is None else tuple(documents),
        kept.get("max_retries"),
        kept.get("k"),
    )
