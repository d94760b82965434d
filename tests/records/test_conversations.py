"""Conversations and what was said of their runs, in the database."""

import uuid
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from selfrag.errors import UserError
from selfrag.records.conversations import Conversations, Place
from selfrag.records.database import open_database
from selfrag.records.feedback import Feedback
from selfrag.records.runs import RunRecord, Runs
from selfrag.records.schema import conversations as table
from selfrag.records.schema import feedback, runs, turns
from selfrag.records.titles import LONGEST, title_of


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_database(None, tmp_path)


@pytest.fixture
def chats(engine: Engine) -> Conversations:
    return Conversations(engine)


def ask(
    engine: Engine,
    conversation: str,
    question: str,
    answer: str = "",
    owner: str | None = None,
    **place,
) -> str:
    """A run that was asked and answered; its id."""
    run_id = str(uuid.uuid4())
    Runs(engine).begin(RunRecord(run_id, question, "running", 1.0, None, []))
    chats = Conversations(engine)
    chats.add(Place(conversation, owner, **place), run_id, question)
    Runs(engine).finish(RunRecord(run_id, question, "answered", 1.0, 0.1, []))
    chats.note_answer(run_id, question, answer)
    return run_id


def rows(engine: Engine) -> list[int]:
    """How many rows each table of conversations has."""
    with engine.connect() as connection:
        return [
            connection.execute(select(func.count()).select_from(it)).scalar_one()
            for it in (table, turns, runs, feedback)
        ]


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What is the tidal range?", "What is the tidal range?"),
        ("I read the report. Who wrote it, and when?", "I read the report."),
        ("Dr. Silva's address?", "Dr. Silva's address?"),
        ("  two\nlines  of it ", "two lines of it"),
        ("word " * 40, ("word " * 11).strip() + "…"),
        ("x" * 100, "x" * (LONGEST - 1) + "…"),
    ],
)
def test_title_is_the_first_sentence_cut_at_a_word(question: str, title: str):
    assert title_of(question) == title
    assert len(title) <= LONGEST


def test_conversation_begins_with_its_first_question_and_keeps_the_order(engine, chats):
    assert chats.get("a") is None
    ids = [ask(engine, "a", question) for question in ("First?", "Second?", "Third?")]
    assert [turn.run_id for turn in chats.turns("a")] == ids
    found = chats.get("a")
    assert found is not None
    assert found.title == "First?"


def test_asked_last_stands_first(engine, chats):
    for name in ("a", "b", "c", "a"):
        ask(engine, name, f"Question in {name}?")
    assert [found.id for found in chats.all()] == ["a", "c", "b"]
    assert [found.id for found in chats.all(limit=1)] == ["a"]
    assert chats.count() == 3


def test_search_looks_into_titles_questions_and_answers_without_case_and_accents(engine, chats):
    ask(engine, "a", "Où est le café?", "Près du port.")
    ask(engine, "a", "And the harbour?", "It closes at 100% tide.")
    ask(engine, "b", "Who wrote it?", "Nobody knows.")
    chats.rename("b", "Ästhetik")
    found = {
        words: [found.id for found in chats.all(search=words)]
        for words in ("CAFE", "pres port", "harbour ou", "asthetik", "nobody", "100%", "%", "xyz")
    }
    assert found == {
        "CAFE": ["a"],
        "pres port": ["a"],
        "harbour ou": ["a"],
        "asthetik": ["b"],
        "nobody": ["b"],
        "100%": ["a"],
        "%": ["a"],
        "xyz": [],
    }
    assert chats.count(search="nobody") == 1


def test_rename_keeps_one_line_and_refuses_a_blank(engine, chats):
    ask(engine, "a", "Why?")
    assert chats.rename("a", "  A new\n title ") == "A new title"
    with pytest.raises(UserError, match="write one"):
        chats.rename("a", " \n")
    with pytest.raises(UserError, match="no longer there"):
        chats.rename("b", "Title")
    ask(engine, "a", "Another question?")
    assert chats.all()[0].title == "A new title"


def test_deleting_takes_runs_and_feedback_along_and_stops_what_is_under_way(engine):
    stopped: list[str] = []
    chats = Conversations(engine, stopped.extend)
    gone = [ask(engine, "a", "One?"), ask(engine, "a", "Two?")]
    kept = ask(engine, "b", "Three?")
    for run in (*gone, kept):
        assert Feedback(engine).put(run, True, "fine")
    assert chats.delete("a")
    assert stopped == gone
    assert rows(engine) == [1, 1, 1, 1]
    assert not chats.delete("a")
    # The run ends only now: nothing of it may come back.
    assert not Runs(engine).finish(RunRecord(gone[0], "One?", "stopped", 0.0, 1.0, []))
    chats.note_answer(gone[0], "One?", "an answer")
    assert not Feedback(engine).put(gone[0], True)
    assert rows(engine) == [1, 1, 1, 1]


def test_asking_again_gives_the_earlier_run_up(engine, chats):
    first = ask(engine, "a", "One?")
    other = ask(engine, "b", "Other?")
    second = ask(engine, "a", "One?", in_place_of=first)
    third = ask(engine, "a", "Two?", in_place_of=other)
    assert [turn.run_id for turn in chats.turns("a")] == [second, third]
    assert Runs(engine).get(first) is None
    assert Runs(engine).get(other) is not None, "a run of another conversation is left alone"


def test_each_person_who_is_logged_in_has_conversations_of_their_own(engine, chats):
    ask(engine, "a", "Mine?", owner="ann@example.com")
    ask(engine, "b", "Everybody's?")
    assert [found.id for found in chats.all("ann@example.com")] == ["a"]
    assert [found.id for found in chats.all()] == ["b"]
    assert chats.get("a") is None
    assert chats.get("a", "bob@example.com") is None
    assert not chats.delete("a", "bob@example.com")
    with pytest.raises(UserError, match="no longer there"):
        chats.rename("a", "Stolen", "bob@example.com")
    Runs(engine).begin(RunRecord("x", "Hers?", "running", 1.0, None, []))
    with pytest.raises(UserError, match="not yours"):
        chats.add(Place("a", "bob@example.com"), "x", "Hers?")
    assert [turn.question for turn in chats.turns("a")] == ["Mine?"]


def test_how_it_was_asked_is_kept_with_the_conversation(engine, chats):
    ask(engine, "a", "One?", options={"k": 4})
    ask(engine, "a", "Two?", options={"k": 8})
    ask(engine, "a", "Three?")
    assert chats.all()[0].options == {"k": 8}


def test_recent_runs_come_with_their_conversation(engine, chats):
    first, second = ask(engine, "a", "One?"), ask(engine, "b", "Two?")
    ask(engine, "c", "Hers?", owner="ann@example.com")
    listed = chats.recent_runs()
    assert [(turn.run_id, record.id) for turn, record in listed] == [(second, "b"), (first, "a")]
    assert {run.id for run in Runs(engine).latest()} == {first, second}
    assert chats.of_run(first) == chats.get("a")
    assert chats.of_run("elsewhere") is None


def test_feedback_can_be_changed_and_taken_back(engine):
    said = Feedback(engine)
    run = ask(engine, "a", "One?")
    assert said.put(run, False, " wrong page ")
    assert (said.of([run])[run].thumb, said.of([run])[run].note) == (False, "wrong page")
    assert said.put(run, True, "")
    assert (said.of([run])[run].thumb, said.of([run])[run].note) == (True, "")
    assert said.put(run, None)
    assert said.of([run]) == {}
    assert not said.put("no such run", True)
