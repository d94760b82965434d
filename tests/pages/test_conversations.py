"""Conversations on the page: found, opened, renamed, deleted; feedback; side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.records.conversations import Place
from selfrag.service import SelfRag
from selfrag.settings import Settings
from selfrag.ui import person
from tests.support.pdf_factory import make_pdf

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "selfrag" / "ui" / "navigation.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
FERRY = "The ferry to Saint Malo leaves at noon. A ticket costs forty euros."
QUESTION = "What is the tidal range of Saint Malo?"
OTHER = "What does a ticket cost?"


def opened(storage: Path) -> SelfRag:
    process.close()
    return process.open_once(Settings(_env_file=None, storage_dir=storage, reranker_model="none"))


@pytest.fixture
def rag(tmp_path: Path) -> Iterator[SelfRag]:
    rag = opened(tmp_path / "storage")
    list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES, FERRY])]))
    yield rag
    process.close()


def tab(chat: str | None = None) -> AppTest:
    app = AppTest.from_file(SCRIPT, default_timeout=60)
    if chat:
        app.query_params["chat"] = chat
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    assert not app.error
    return app


def ask(app: AppTest, question: str = QUESTION) -> AppTest:
    app.chat_input[0].set_value(question)
    return run(app)


def clean(text: str) -> str:
    return text.replace("\\", "").replace(":gray[]", "").strip("*")


def listed(app: AppTest) -> list[str]:
    return [clean(it.label) for it in app.sidebar.button if str(it.key).startswith("open-")]


def asked(app: AppTest) -> list[str]:
    return [clean(it.value)[5:] for it in app.main.markdown if it.value.startswith("#### ")]


def press(app: AppTest, label: str) -> AppTest:
    button = next(it for it in app.button if clean(it.label) == label)
    button.click()
    return run(app)


def seed(rag: SelfRag, chat: str, question: str) -> str:
    run = rag.start(question, place=Place(chat))
    run.result(30)
    return run.id


def test_conversation_is_found_again_after_the_application_was_restarted(
    rag: SelfRag, tmp_path: Path
):
    first = ask(ask(tab()), OTHER)
    address = first.query_params["chat"]
    rag = opened(tmp_path / "storage")
    again = tab(address[0] if isinstance(address, list) else address)
    assert asked(again) == [OTHER, QUESTION]
    assert "Answered and grounded" in "".join(str(it.value) for it in again.markdown)
    ask(again, "And how do ships wait there?")
    assert len(rag.conversations.all()) == 1
    assert len(rag.conversations.turns(again.session_state["conversation"])) == 3


def test_list_opens_renames_and_deletes(rag: SelfRag):
    app = ask(tab())
    press(app, "New chat")
    ask(app, OTHER)
    assert listed(app) == [OTHER, "What is the tidal range o…"]
    press(app, "What is the tidal range o…")
    assert asked(app) == [QUESTION]
    press(app, "Rename")
    app.text_input(key="conversation-title").set_value("Tides")
    next(it for it in app.button if it.label == "Rename" and it.proto.is_form_submitter).click()
    run(app)
    assert listed(app) == [OTHER, "Tides"]
    press(app, "Delete")
    app.button(key="delete-for-good").click()
    run(app)
    assert listed(app) == [OTHER]
    assert asked(app) == []
    assert "chat" not in app.query_params


def test_hundreds_of_conversations_are_searched_and_drawn_in_parts(rag: SelfRag):
    run_id = seed(rag, f"{0:032x}", OTHER)
    for number in range(1, 300):
        rag._runs._runs.begin(
            type(rag.recorded(run_id))(f"r{number}", f"Number {number}?", "answered", 1.0, 1.0, [])
        )
        rag.conversations.add(Place(f"{number:032x}"), f"r{number}", f"Number {number}?")
    app = tab()
    assert listed(app) == [f"Number {number}?" for number in range(299, 274, -1)]
    press(app, "Show more (275)")
    assert len(listed(app)) == 75
    app.text_input(key="conversations-search").set_value("forty euros")
    run(app)
    assert listed(app) == [OTHER]
    app.text_input(key="conversations-search").set_value("no such word")
    run(app)
    assert listed(app) == []


def test_address_of_a_deleted_conversation_says_so(rag: SelfRag):
    app = tab("0" * 32)
    assert [it.value for it in app.info] == ["This conversation is no longer there."]
    ask(app)
    assert not app.info


def test_conversation_is_opened_with_what_was_chosen_in_it(rag: SelfRag):
    app = tab()
    app.session_state["ask-k"] = 7
    app.session_state["ask-strategy"] = "plain"
    ask(app)
    chat = app.session_state["conversation"]
    press(app, "New chat")
    app.session_state["ask-k"] = 2
    ask(app, OTHER)
    other = tab(chat)
    assert other.session_state["ask-k"] == 7
    started = rag.events(rag.conversations.turns(chat)[0].run_id)[0]
    assert started.strategy == other.session_state["ask-strategy"] == "plain"
    again = tab(app.session_state["conversation"])
    assert again.session_state["ask-k"] == 2


def test_thumb_and_note_are_kept_and_shown_when_it_is_opened_again(rag: SelfRag):
    app = ask(tab())
    (turn,) = rag.conversations.turns(app.session_state["conversation"])
    app.feedback[0].set_value(0)
    run(app)
    assert rag.feedback.of([turn.run_id])[turn.run_id].thumb is False
    assert rag.feedback.put(turn.run_id, False, "Wrong page")
    again = tab(app.session_state["conversation"])
    assert again.feedback[0].value == 0
    again.feedback[0].set_value(1)
    run(again)
    kept = rag.feedback.of([turn.run_id])[turn.run_id]
    assert (kept.thumb, kept.note) == (True, "Wrong page"), "a new thumb leaves the note"


def test_person_who_is_logged_in_sees_only_their_own(rag: SelfRag, monkeypatch: pytest.MonkeyPatch):
    everybodys = ask(tab()).session_state["conversation"]
    for module in ("conversation", "conversation_list", "side_by_side"):
        monkeypatch.setattr(f"selfrag.ui.{module}.owner", lambda: "ann")
    mine = ask(tab(), OTHER)
    assert listed(mine) == [OTHER]
    assert tab(everybodys).info[0].value == "This conversation is no longer there."
    monkeypatch.undo()
    assert listed(tab()) == ["What is the tidal range o…"]


def test_owner_is_one_for_each_person_and_names_nobody(monkeypatch: pytest.MonkeyPatch):
    def owner(**user) -> str | None:
        monkeypatch.setattr(person.st, "user", user)
        return person.owner()

    assert owner() is None
    assert owner(is_logged_in=False, sub="1") is None
    ann = owner(is_logged_in=True, iss="https://id", sub="1", email="ann@example.com")
    assert ann == owner(is_logged_in=True, iss="https://id", sub="1", email="new@example.com")
    assert ann != owner(is_logged_in=True, iss="https://other", sub="1")
    assert ann is not None
    assert "ann" not in ann


def test_logging_in_is_offered_where_it_is_set_up_and_nowhere_else(
    rag: SelfRag, monkeypatch: pytest.MonkeyPatch
):
    def offered(user: dict) -> list[str]:
        monkeypatch.setattr(person.st, "user", user)
        return [it.label for it in tab().sidebar.button if "Log" in it.label]

    assert offered({}) == []
    assert offered({"is_logged_in": False}) == ["Log in"]
    assert offered({"is_logged_in": True, "iss": "i", "sub": "1", "name": "Ann"}) == ["Log out"]


def test_two_runs_stand_side_by_side_with_what_differs(rag: SelfRag):
    a, b = seed(rag, "0" * 32, QUESTION), seed(rag, "1" * 32, OTHER)
    app = AppTest.from_file(ROOT / "pages" / "runs.py", default_timeout=60)
    app.query_params["a"], app.query_params["b"] = a, b
    run(app)
    text = clean("\n".join(str(it.value) for it in app.markdown))
    assert "They were asked different questions." in text
    assert "Only A cites harbour.pdf, page 1. Only B cites harbour.pdf, page 2." in text
    assert asked(app) == [f":primary-badge[A] {QUESTION}", f":primary-badge[B] {OTHER}"]
    assert "verified: Answered and grounded" in text
    assert "error: Grounded, and may be the answer" in text
    third = seed(rag, "1" * 32, "When does the ferry leave?")
    run(app)
    app.selectbox(key="side-b").set_value(third)
    run(app)
    assert asked(app)[1] == ":primary-badge[B] When does the ferry leave?"
    assert app.query_params["b"] in (third, [third])


def test_run_cannot_be_chosen_against_itself_and_unknown_ones_are_ignored(rag: SelfRag):
    a = seed(rag, "0" * 32, QUESTION)
    app = AppTest.from_file(ROOT / "pages" / "runs.py", default_timeout=60)
    app.query_params["a"], app.query_params["b"] = a, a
    run(app)
    assert app.selectbox(key="side-b").value is None
    app.query_params["b"] = "00000000-0000-0000-0000-000000000000"
    run(app)
    assert app.selectbox(key="side-b").value is None
