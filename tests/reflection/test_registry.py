"""Runs in the records: written when they begin and end, found again, closed when cut off."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from selfrag.errors import UserError
from selfrag.models.usage import UsageLedger
from selfrag.records.conversations import Place
from selfrag.reflection.casting import Cast
from selfrag.reflection.grades import RetrievalDecision
from selfrag.reflection.registry import CUT_OFF
from selfrag.reflection.run import Run
from selfrag.service import SelfRag
from tests.reflection.scripted import ScriptedJudge, ScriptedWriter
from tests.support.full_disk import full_while_set
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"


@pytest.fixture
def harbour(rag: SelfRag, tmp_path: Path) -> SelfRag:
    list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
    return rag


def held(rag: SelfRag, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Runs wait in their first step until the event is set."""
    go = threading.Event()

    def decide(_: int) -> RetrievalDecision:
        go.wait(20)
        return RetrievalDecision(True, "")

    cast = Cast(ScriptedWriter(), ScriptedJudge(decide=decide), UsageLedger())
    monkeypatch.setattr(rag.casting, "cast", lambda *_: cast)
    return go


def wait_for(condition: Callable[[], bool]) -> None:
    """The record is written a moment after the log is closed."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_run_is_in_the_records_from_its_beginning(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch
):
    go = held(harbour, monkeypatch)
    run = harbour.start(QUESTION, place=Place("a"))
    record = harbour.recorded(run.id)
    assert record is not None
    assert (record.status, [it["step"] for it in record.events]) == ("running", ["run_started"])
    assert [turn.status for turn in harbour.conversations.turns("a")] == ["running"]
    go.set()
    answer = run.result(20).answer
    wait_for(lambda: harbour.conversations.turns("a")[0].status == "answered")
    assert answer.split()[0] not in QUESTION
    wait_for(lambda: bool(harbour.conversations.all(search=answer.partition(" [")[0])))


def test_run_that_was_cut_off_is_closed_as_stopped_at_the_next_start(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch, open_rag
):
    go = held(harbour, monkeypatch)
    run = harbour.start(QUESTION, place=Place("a"))
    # What a killed process leaves: its end is never written.
    monkeypatch.setattr(harbour._runs, "_keep", lambda run: None)
    harbour.close()
    go.set()
    again = open_rag()
    end = again.events(run.id)[-1]
    assert (end.step, end.status, end.reason) == ("run_finished", "stopped", CUT_OFF)
    assert again.events(run.id)[0].question == QUESTION
    assert [turn.status for turn in again.conversations.turns("a")] == ["stopped"]


@pytest.fixture
def no_room(harbour: SelfRag) -> threading.Event:
    return full_while_set(harbour)


def ended_on_a_full_disk(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch, full: threading.Event
) -> Run:
    """A run that began while there was room, and whose end could not be written."""
    go = held(harbour, monkeypatch)
    run = harbour.start(QUESTION, place=Place("a"))
    full.set()
    go.set()
    assert run.result(20).status == "answered"
    wait_for(lambda: run.id in harbour._runs._refused)
    return run


def test_end_that_could_not_be_written_is_told_and_written_when_there_is_room(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch, no_room: threading.Event
):
    run = ended_on_a_full_disk(harbour, monkeypatch, no_room)
    assert "free some space" in (harbour.unkept(run.id) or "")
    assert harbour.recorded(run.id).status == "running"
    no_room.clear()
    assert harbour.unkept(run.id) is None
    assert harbour.recorded(run.id).status == "answered"
    assert harbour.conversations.all(search=run.result().answer.partition(" [")[0])


def test_end_that_could_not_be_written_is_written_when_the_next_run_ends(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch, no_room: threading.Event
):
    first = ended_on_a_full_disk(harbour, monkeypatch, no_room)
    no_room.clear()
    harbour.start(QUESTION, place=Place("b")).result(20)
    wait_for(lambda: harbour.recorded(first.id).status == "answered")


def test_end_that_could_not_be_written_is_written_at_the_close(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch, no_room: threading.Event, open_rag
):
    run = ended_on_a_full_disk(harbour, monkeypatch, no_room)
    no_room.clear()
    harbour.close()
    end = open_rag().events(run.id)[-1]
    assert (end.status, end.answer) == ("answered", run.result().answer)


def test_conversation_goes_on_with_its_history_after_a_restart(harbour: SelfRag, open_rag):
    run = harbour.start(QUESTION, place=Place("a"))
    assert run.result(20).status == "answered"
    harbour.close()
    again = open_rag()
    run = again.start("And how do ships wait there?", place=Place("a"))
    run.result(20)
    rewritten = next(it for it in run.log.snapshot() if it.step == "question_rewritten")
    assert rewritten.turns == 1
    assert "tidal" in rewritten.question.lower()


def test_history_is_there_as_soon_as_the_log_is_closed_and_of_answered_questions_only(
    harbour: SelfRag,
):
    place = Place("a")
    for question in (QUESTION, "Who won the football world cup in 1998?", "Where do ships wait?"):
        harbour.start(question, place=place).result(20)
        told = [turn.question for turn in harbour._runs.history(place, 9)]
    assert told == [QUESTION, "Where do ships wait?"]
    assert [turn.question for turn in harbour._runs.history(place, 1)] == ["Where do ships wait?"]
    assert harbour._runs.history(place, 0) == []
    assert harbour._runs.history(Place("a", "ann@example.com"), 9) == []


def test_deleting_a_conversation_stops_its_run_and_leaves_nothing_of_it(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch
):
    go = held(harbour, monkeypatch)
    run = harbour.start(QUESTION, place=Place("a"))
    assert harbour.conversations.delete("a")
    assert run.result(5).status == "stopped"
    go.set()
    assert harbour.recorded(run.id) is None
    assert harbour.conversations.count() == 0


def test_deleting_a_conversation_does_not_wait_for_its_run_to_stop(
    harbour: SelfRag, monkeypatch: pytest.MonkeyPatch
):
    go = held(harbour, monkeypatch)
    run = harbour.start(QUESTION, place=Place("a"))
    may, stop = threading.Event(), run.stop
    monkeypatch.setattr(run, "stop", lambda: may.wait(20) and stop())
    assert harbour.conversations.delete("a")
    assert not run.log.closed
    assert harbour.conversations.count() == 0 and harbour.recorded(run.id) is None
    may.set()
    assert run.result(5).status == "stopped"
    go.set()
    assert harbour.conversations.count() == 0 and harbour.recorded(run.id) is None


def test_question_that_cannot_be_recorded_is_refused_and_not_begun(harbour: SelfRag):
    with harbour._documents._engine.begin() as connection:
        connection.execute(text("DROP TABLE turns"))
    with pytest.raises(UserError, match="cannot be recorded"):
        harbour.start(QUESTION, place=Place("a"))
    assert all(run.log.closed for run in harbour._runs._live.values())


def test_question_into_the_conversation_of_someone_else_is_refused(harbour: SelfRag):
    harbour.start(QUESTION, place=Place("a", "ann@example.com")).result(20)
    with pytest.raises(UserError, match="not yours"):
        harbour.start("And now?", place=Place("a", "bob@example.com"))
    assert [turn.question for turn in harbour.conversations.turns("a")] == [QUESTION]
