"""The runs of this process and those of the records: begun, followed, ended, found again.

A run is written to the records when it begins and when it ends. Where its end cannot be written,
such as on a full disk, that is tried again: when it is looked at, when another run ends, and when
all are stopped at the close. One whose end is missing when the records are opened again is closed
as stopped, so that no view ever waits for it.
"""

import logging
import threading
from collections.abc import Sequence

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from selfrag.errors import UserError
from selfrag.records.conversations import Conversations, Place
from selfrag.records.feedback import Feedback
from selfrag.records.runs import RUNNING, RunRecord, Runs, RunSummary
from selfrag.reflection.events import Event, RunFinished, is_kept, parse_event
from selfrag.reflection.grades import Support
from selfrag.reflection.roles import Turn
from selfrag.reflection.run import Run, RunPlan

logger = logging.getLogger(__name__)

KEPT_RUNS = 500  #: runs that can be followed without asking the records
CUT_OFF = "the application was ended before the answer was finished and kept"


class Registry:
    """Every run that can be asked for.

    Attributes:
        conversations: which runs belong together.
        feedback: what was said of runs.
    """

    def __init__(self, engine: Engine) -> None:
        self._runs = Runs(engine)
        self._live: dict[str, Run] = {}
        self._due: dict[str, Run] = {}  # their end is not in the records
        self._refused: dict[str, str] = {}  # why it could not be written
        self._lock = threading.Lock()
        self.conversations = Conversations(engine, self._stop)
        self.feedback = Feedback(engine)
        for cut_off in self._runs.running():
            self._runs.finish(_closed(cut_off))

    def begin(self, question: str, plan: RunPlan, place: Place | None = None) -> Run:
        """Start a run, written to the records and to its conversation first.

        Raises:
            UserError: the records cannot be written, or the conversation is someone else's.
        """

        def started(run: Run) -> None:
            self._runs.begin(_record(run, RUNNING, None))
            if place is not None:
                self.conversations.add(place, run.id, question)

        run = Run(question, plan, started=started, finished=self._ended)
        with self._lock:
            self._live[run.id] = self._due[run.id] = run
            ended = [
                key
                for key, other in self._live.items()
                if other.log.closed and key not in self._due
            ]
            for key in ended[:-KEPT_RUNS]:
                del self._live[key]
        try:
            return run.start()
        except UserError:
            self._give_up(run)
            raise
        except SQLAlchemyError as error:
            self._give_up(run)
            logger.exception("the run %s cannot be recorded", run.id)
            raise UserError(
                f"The question cannot be recorded ({_reason(error)}). Check that the disk is not "
                "full and the database can be written, then ask again."
            ) from None

    def live(self, run_id: str) -> Run | None:
        """A run of this process that is under way or ended lately."""
        return self._live.get(run_id)

    def recorded(self, run_id: str) -> RunRecord | None:
        """A run from the records."""
        return self._runs.get(run_id)

    def latest(self, most: int) -> list[RunSummary]:
        """The most recent runs, newest first; without those of a person who logged in."""
        return self._runs.latest(most)

    def events(self, run_id: str) -> list[Event]:
        """What is known of a run so far, in order; nothing where there is no such run."""
        run = self._live.get(run_id)
        if run is not None:
            return run.log.snapshot()
        record = self._runs.get(run_id)
        return [parse_event(event) for event in record.events] if record else []

    def unkept(self, run_id: str) -> str | None:
        """Why the end of a run is not in the records, after one more try; None where it is there,
        or the run goes on."""
        run = self._due.get(run_id)
        return self._keep(run) if run is not None and run.log.closed else None

    def history(self, place: Place, most: int) -> list[Turn]:
        """The last ``most`` questions of a conversation that were answered, oldest first."""
        if self.conversations.get(place.conversation, place.owner) is None:
            return []
        found: list[Turn] = []
        for turn in reversed(self.conversations.turns(place.conversation)):
            if len(found) == most:
                break
            live = self._live.get(turn.run_id)
            # The log is closed a moment before the record is.
            if live is None and turn.status != "answered":
                continue
            end = self.events(turn.run_id)[-1:]
            if end and isinstance(end[0], RunFinished) and end[0].status == "answered":
                found.append(Turn(turn.question, end[0].answer))
        return found[::-1]

    def stop_all(self) -> None:
        """End every run that is under way, and write what could not be written before."""
        self._stop(list(self._live))
        self._catch_up()

    def _give_up(self, run: Run) -> None:
        """A run that did not start: nobody is told of it, and none may wait for it."""
        run.stop()
        self._live.pop(run.id, None)
        self._due.pop(run.id, None)
        self._refused.pop(run.id, None)

    def _stop(self, run_ids: Sequence[str]) -> None:
        for run_id in run_ids:
            run = self._live.get(run_id)
            if run is not None and not run.log.closed:
                try:
                    run.stop()
                except Exception:  # the others are to be stopped all the same
                    logger.exception("the run %s could not be stopped", run_id)

    def _ended(self, run: Run) -> None:
        if self._keep(run) is None:
            self._catch_up()

    def _catch_up(self) -> None:
        """Write the ends that are due, up to one that cannot be written."""
        for run in list(self._due.values()):
            if run.log.closed and self._keep(run) is not None:
                return

    def _keep(self, run: Run) -> str | None:
        """Write how a run ended; why not, where it cannot be. Twice does no harm."""
        end = run.result()
        try:
            if self._runs.finish(_record(run, end.status, end.elapsed_s)):
                self.conversations.note_answer(run.id, run.question, end.answer)
        except (SQLAlchemyError, UserError) as error:
            why = str(error) if isinstance(error, UserError) else f"{_reason(error)}."
            if run.id not in self._refused:
                # Without a trace where the surroundings are at fault: a command shows this line.
                traced = not isinstance(error, UserError)
                logger.error("the run %s is not kept: %s", run.id, why, exc_info=traced)
            self._refused[run.id] = why
            return why
        self._due.pop(run.id, None)
        if self._refused.pop(run.id, None):
            logger.warning("the run %s is kept now", run.id)
        return None


def _reason(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).splitlines()[0]


def _record(run: Run, status: str, elapsed: float | None) -> RunRecord:
    return RunRecord(
        id=run.id,
        question=run.question,
        status=status,
        started_at=run.started_at,
        elapsed_s=elapsed,
        events=[event.model_dump(mode="json") for event in run.log.snapshot() if is_kept(event)],
    )


def _closed(record: RunRecord) -> RunRecord:
    """A run that was cut off, with an end."""
    end = RunFinished(
        status="stopped",
        answer="",
        support=Support.NOT_APPLICABLE,
        useful=None,
        retries=0,
        reason=CUT_OFF,
        stopped_by="cut_off",
    )
    events = [*record.events, end.model_dump(mode="json")]
    return RunRecord(record.id, record.question, end.status, record.started_at, None, events)
