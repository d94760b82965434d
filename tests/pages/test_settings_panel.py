"""The settings at the side: what a question costs, who answers, and a key for one tab."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.models.own_key import OwnKey
from selfrag.service import SelfRag
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.support.llm_answers import refusal
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

SCRIPT = Path(__file__).resolve().parents[2] / "selfrag" / "ui" / "navigation.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"
KEY = "entered-by-a-person-4711"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., SelfRag]]:
    def open_(**values) -> SelfRag:
        process.close()
        given = {**plain_settings(), "storage_dir": tmp_path / "storage", **values}
        rag = process.open_once(Settings(_env_file=None, **given))
        list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
        return rag

    yield open_
    process.close()


def tab() -> AppTest:
    return run(AppTest.from_file(SCRIPT, default_timeout=60))


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception
    return app


def ask(app: AppTest) -> AppTest:
    app.chat_input[0].set_value(QUESTION)
    return run(app)


def clean(text: object) -> str:
    return str(text).replace("\\", "").replace(":gray[]", "")


def who(app: AppTest) -> str:
    return clean(app.button(key="ask-who").label)


def panel(app: AppTest) -> AppTest:
    """Open the settings; as in the browser, they stay open until the next question."""
    app.button(key="ask-who").click()
    return run(app)


def enter(app: AppTest, key: str, address: str, writer: str = "scripted", judge: str = "") -> None:
    panel(app)
    for name, value in (
        ("own-key", key),
        ("own-address", address),
        ("own-writer", writer),
        ("own-judge", judge),
    ):
        app.text_input(key=name).set_value(value)
    next(it for it in app.button if it.label == "Use this key").click()
    run(app)
    panel(app)


def shown(app: AppTest) -> bytes:
    """Everything that was sent to the browser."""
    sent = b"".join(
        element.proto.SerializeToString()
        for element in app._tree
        if getattr(element, "proto", None) is not None
    )
    assert len(sent) > 1_000
    return sent


def test_nothing_configured_says_local_and_that_nothing_is_called(opened):
    opened()
    app = panel(tab())
    assert who(app) == "Quotes from your documents · local"
    assert "No model calls: everything happens on this computer." in clean(
        "".join(it.value for it in app.caption)
    )


def test_each_change_shows_what_it_costs(opened, llm_server: LlmServer):
    opened(llm_base_url=llm_server.url, chat_model="scripted", model_prices={"scripted": (1, 10)})

    def cost(app: AppTest) -> str:
        return next(clean(it.value) for it in app.caption if "model call" in it.value)

    app = panel(tab())
    assert who(app) == "scripted · local"
    usual = cost(app)
    assert usual.startswith("Usually 8 model calls, never more than 75.")
    app.session_state["ask-k"] = 8
    assert cost(panel(run(app))).startswith("Usually 12 model calls")
    app.session_state["ask-strategy"] = "plain"
    assert cost(panel(run(app))).startswith("Usually 1 model call, never more than 1.")
    app.session_state["ask-source"] = "none"
    assert "No model calls" in "".join(it.value for it in panel(run(app)).caption)


def test_quotes_that_were_chosen_are_not_told_as_a_missing_model(opened, llm_server: LlmServer):
    opened(llm_base_url=llm_server.url, chat_model="scripted")
    app = tab()
    app.session_state["ask-source"] = "none"
    ask(run(app))
    told = [clean(it.value) for it in app.caption]
    assert any("The answers quote your documents: the writer is set to quotes" in it for it in told)
    assert not any("No language model" in it for it in told)
    assert not any(request.stream for request in llm_server.requests), "nothing is written"


def test_model_that_refuses_is_told_with_what_it_said_and_by_its_name(
    opened, llm_server: LlmServer
):
    opened(llm_base_url=llm_server.url, chat_model="scripted", strategy="plain")
    llm_server.reply(refusal("I must not speak of tides."))
    (told,) = [clean(it.value) for it in ask(tab()).error]
    assert told.startswith("scripted refused to answer (I must not speak of tides). Ask in other")


def test_budget_too_small_is_said_before_a_question_and_offered_no_second_time(
    opened, llm_server: LlmServer
):
    opened(llm_base_url=llm_server.url, chat_model="scripted", budget_calls=3)
    app = panel(tab())
    said = next(clean(it.value) for it in app.caption if "model call" in it.value)
    assert said.startswith("Never more than 3 model calls (BUDGET_CALLS).")
    assert [clean(it.value).partition(":")[0] for it in app.warning] == [
        "An answer with these checks usually takes 8 calls, and the budget allows 3 (BUDGET_CALLS)"
    ]
    ask(app)
    labels = [it.label for it in app.button]
    assert "Try again" not in labels
    next(it for it in app.button if it.label == "Ask with one look over the answer").click()
    run(app)
    assert app.session_state["ask-strategy"] == "critique"
    assert any("Answered, not checked" in it.value for it in app.markdown)
    assert not panel(app).warning


def test_stop_by_a_budget_is_tried_again_once_fewer_checks_are_chosen(
    opened, llm_server: LlmServer
):
    opened(llm_base_url=llm_server.url, chat_model="scripted", budget_calls=3)
    app = ask(tab())
    assert "Try again" not in [it.label for it in app.button]
    app.session_state["ask-strategy"] = "plain"
    next(it for it in run(app).button if it.label == "Try again").click()
    assert any("Answered, not checked" in it.value for it in run(app).markdown)


def test_judge_is_chosen_for_the_next_question(opened, llm_server: LlmServer):
    rag = opened(llm_base_url=llm_server.url, chat_model="scripted")
    app = tab()
    app.session_state["ask-judge"] = "local"
    ask(run(app))
    (turn,) = rag.conversations.turns(app.session_state["conversation"])
    started = rag.events(turn.run_id)[0]
    assert (started.writer, started.judge_language_model) == ("scripted", False)
    assert llm_server.asked("Relevance") == []


def test_key_of_a_tab_is_used_by_its_questions_and_found_nowhere(
    opened, llm_server: LlmServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    rag = opened()
    llm_server.key = KEY
    app = tab()
    llm_server.models = ["scripted", "judging"]
    enter(app, KEY, llm_server.url, judge="judging")
    assert who(app) == "scripted, judging · local"
    assert [it.value for it in app.success] == ["Your key is in use in this tab."]
    ask(app)
    (turn,) = rag.conversations.turns(app.session_state["conversation"])
    started = rag.events(turn.run_id)[0]
    assert (started.writer, started.judge) == ("scripted", "judging")
    sent = [it.headers["authorization"] for it in llm_server.requests if it.body]
    assert len(sent) >= 5
    assert set(sent) == {f"Bearer {KEY}"}

    other = tab()
    assert who(other) == "Quotes from your documents · local"
    before = len(llm_server.requests)
    ask(other)
    assert len(llm_server.requests) == before, "another tab must not use it"

    places = {
        "page": shown(app) + shown(panel(app)),
        "session": repr(app.session_state).encode(),
        "log": caplog.text.encode(),
        **{
            str(file): file.read_bytes()
            for file in (tmp_path / "storage").rglob("*")
            if file.is_file()
        },
    }
    assert len(places) > 4
    assert [name for name, content in places.items() if KEY.encode() in content] == []


def test_wrong_key_is_told_in_a_sentence_and_not_used(opened, llm_server: LlmServer, caplog):
    opened()
    llm_server.key = "another"
    app = tab()
    enter(app, KEY, llm_server.url)
    (error,) = [clean(it.value) for it in app.error]
    # It is read beside the form.
    assert error == f"{llm_server.url} refused the key that you entered. Enter another one."
    assert who(app) == "Quotes from your documents · local"
    assert app.text_input(key="own-key").value in ("", None)
    assert KEY.encode() not in shown(app)
    assert KEY not in caplog.text


def test_key_that_is_refused_later_ends_the_run_with_what_to_do(opened, llm_server: LlmServer):
    rag = opened()
    app = tab()
    enter(app, KEY, llm_server.url)
    llm_server.key = "changed meanwhile"
    ask(app)
    (error,) = [clean(it.value) for it in app.error]
    assert "refused the key that you entered" in error
    assert KEY not in error
    assert "a click on the model's name opens, choose “Forget the key” and enter another" in error
    opener, forget = app.button(key="ask-who"), "Forget the key"
    assert "scripted" in clean(opener.label), "the model's name"
    assert forget in [it.label for it in panel(app).button]
    (turn,) = rag.conversations.turns(app.session_state["conversation"])
    assert KEY not in repr(rag.recorded(turn.run_id))


def test_forgotten_key_is_used_no_more_and_its_connections_are_closed(
    opened, llm_server: LlmServer, monkeypatch: pytest.MonkeyPatch
):
    rag = opened()
    made = []
    make = rag.casting_with

    def remember(own):
        casting = make(own)
        made.extend(model.root_client for model in casting.chat_models)
        return casting

    monkeypatch.setattr(rag, "casting_with", remember)
    app = tab()
    enter(app, KEY, llm_server.url)
    next(it for it in app.button if it.label == "Forget the key").click()
    run(app)
    assert who(app) == "Quotes from your documents · local"
    assert [client.is_closed() for client in made] == [True]


def test_models_stay_open_for_the_run_that_uses_them(opened, llm_server: LlmServer):
    rag = opened()
    casting = rag.casting_with(OwnKey.entered(KEY, llm_server.url, "scripted"))
    (client,) = [model.root_client for model in casting.chat_models]
    llm_server.delay = 0.05
    going = rag.start(QUESTION, casting=casting)
    casting.close()
    assert not client.is_closed()
    assert going.result(30).status == "answered"
    assert client.is_closed()


def test_keys_can_be_turned_off(opened):
    opened(own_keys=False)
    app = panel(tab())
    assert "own-key" not in [it.key for it in app.text_input]
