"""Conversations in a real browser: killed and found again, renamed, searched, deleted; a key for
one tab; two answers side by side."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, at_rest, open_page, take_in, type_question
from tests.support.llm_answers import Answer, Request, happy_path
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.browser

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
FERRY = "The ferry to Saint Malo leaves at noon. A ticket costs forty euros."
QUESTION = "What is the tidal range of Saint Malo?"
OTHER = "What does a ticket cost?"
KEY = "entered-by-a-person-4711"
#: the head of an answer that was found, whether the local judge is sure of it or not
ANSWERED = re.compile("Answered and grounded|Grounded, and may be the answer")
_SLOW = 120_000  # milliseconds, on a busy machine
_WAIT = 30_000  # milliseconds for one click


@pytest.fixture
def model() -> Iterator[LlmServer]:
    with LlmServer() as server:
        server.key = KEY
        yield server


@pytest.fixture
def chat(running_app: App, page: Page, tmp_path: Path) -> Page:
    """The Chat page over a library of one document, nothing configured."""
    take_in(running_app, make_pdf(tmp_path / "harbour.pdf", [TIDES, FERRY]))
    open_page(page, running_app.url)
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    type_question(page, question)


def answered(page: Page, times: int = 1) -> None:
    heading = page.get_by_role("heading", name=ANSWERED)
    expect(heading).to_have_count(times, timeout=_SLOW)
    at_rest(page)


def question(page: Page, text: str) -> Locator:
    return page.get_by_test_id("stMain").get_by_role("heading", name=text)


def sidebar(page: Page) -> Locator:
    return page.get_by_test_id("stSidebarUserContent")


def who(page: Page) -> Locator:
    return page.locator(".st-key-ask-who button").first


def new_chat(page: Page) -> None:
    sidebar(page).get_by_role("button", name="New chat").click()
    expect(page.get_by_text("What do you want to know?")).to_be_visible(timeout=_WAIT)


def leave(page: Page) -> None:
    """Close the panel or dialog."""
    page.get_by_test_id("stDialog").get_by_role("button", name="Close").click()
    expect(page.get_by_test_id("stDialog")).to_have_count(0, timeout=_WAIT)
    at_rest(page)


def use_key(page: Page, model: LlmServer, key: str = KEY) -> None:
    who(page).click()
    panel = page.get_by_test_id("stDialog")
    panel.get_by_text("Use a key of your own").click()
    panel.get_by_role("textbox", name="Key", exact=True).fill(key)
    panel.get_by_role("textbox", name="Address").fill(model.url)
    panel.get_by_role("textbox", name="Model that writes").fill("scripted")
    told = panel.get_by_text("refused the key that you entered").or_(
        panel.get_by_text("Your key is in use in this tab.")
    )
    panel.get_by_role("button", name="Use this key").click()
    try:
        expect(told).to_be_visible(timeout=_WAIT)
    except AssertionError:
        # A click is lost where the panel is drawn again in that moment.
        panel.get_by_role("button", name="Use this key").click()


class Held:
    """A model that answers one kind of request only when the test lets it."""

    def __init__(self, model: LlmServer, schema: str) -> None:
        self._go = threading.Event()
        model.reply(self, when=schema, times=1)

    def __call__(self, request: Request) -> Answer:
        self._go.wait(60)
        return happy_path(request)

    def release(self) -> None:
        self._go.set()


def test_killed_in_the_middle_of_a_run_the_conversation_is_found_and_asked_again(
    chat: Page, model: LlmServer, running_app: App
) -> None:
    ask(chat, OTHER)
    answered(chat)
    use_key(chat, model)
    expect(chat.get_by_text("Your key is in use in this tab.")).to_be_visible(timeout=_SLOW)
    leave(chat)
    reading = Held(model, "Relevance")
    ask(chat)
    expect(chat.get_by_text("Reading what was found").first).to_be_visible(timeout=_SLOW)
    address = chat.url

    running_app.kill_and_start()
    reading.release()
    open_page(chat, address)
    expect(chat.get_by_role("heading", name="Stopped")).to_be_visible(timeout=_SLOW)
    said = "The application was ended before the answer was finished"
    expect(chat.get_by_text(said)).to_be_visible(timeout=_WAIT)
    answered(chat)  # the question before it
    chat.get_by_role("button", name="Try again").click()
    answered(chat, times=2)
    expect(question(chat, QUESTION)).to_have_count(1, timeout=_WAIT)
    expect(question(chat, OTHER)).to_have_count(1, timeout=_WAIT)


def test_conversations_are_opened_renamed_searched_and_deleted_and_feedback_is_kept(
    chat: Page,
) -> None:
    ask(chat, QUESTION)
    answered(chat)
    chat.get_by_role("radio", name="Thumbs down").click()
    chat.get_by_role("button", name="Add a note").click()
    chat.get_by_role("textbox", name="Note").fill("Which day?")
    chat.get_by_role("button", name="Keep the note").click()
    expect(chat.get_by_role("button", name="Your note")).to_be_visible(timeout=_WAIT)

    bar = sidebar(chat)
    bar.get_by_role("button", name="Rename").click()
    dialog = chat.get_by_test_id("stDialog")
    dialog.get_by_role("textbox", name="Title").fill("Ferries, *all*")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog).to_have_count(0, timeout=_WAIT)
    new_chat(chat)
    expect(question(chat, QUESTION)).to_have_count(0, timeout=_WAIT)
    bar.get_by_role("button", name="Ferries, *all*").click()
    expect(question(chat, QUESTION)).to_be_visible(timeout=_WAIT)
    chosen = chat.get_by_role("radio", name="Thumbs down")
    expect(chosen).to_be_checked(timeout=_WAIT)
    chat.get_by_role("button", name="Your note").click()
    expect(chat.get_by_role("textbox", name="Note")).to_have_value("Which day?")
    chat.keyboard.press("Escape")

    bar.get_by_role("button", name="Delete").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_have_count(0, timeout=_WAIT)
    expect(bar.get_by_role("button", name="Ferries, *all*")).to_have_count(0, timeout=_WAIT)
    expect(question(chat, QUESTION)).to_have_count(0, timeout=_WAIT)
    expect(chat.get_by_text("What do you want to know?")).to_be_visible(timeout=_WAIT)


def test_key_is_of_one_tab_and_shows_nowhere(
    chat: Page, model: LlmServer, running_app: App
) -> None:
    other = chat.context.new_page()
    open_page(other, running_app.url)
    use_key(chat, model, "wrong")
    expect(chat.get_by_text("refused the key that you entered")).to_be_visible(timeout=_SLOW)
    leave(chat)
    use_key(chat, model)
    expect(chat.get_by_text("Your key is in use in this tab.")).to_be_visible(timeout=_SLOW)
    assert KEY not in chat.content()
    leave(chat)
    expect(who(chat)).to_contain_text("scripted", timeout=_WAIT)
    ask(chat)
    answered(chat)
    ask(other, OTHER)
    answered(other)
    expect(who(other)).to_contain_text("Quotes from your documents", timeout=_WAIT)
    assert {it.headers["authorization"] for it in model.requests if it.body} == {f"Bearer {KEY}"}
    assert KEY not in chat.content()
    assert KEY not in running_app.log.read_text(errors="replace")
    for file in running_app.storage.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    # The other tab can look at the same conversation, with its own choices.
    open_page(other, chat.url)
    answered(other)
    expect(who(other)).to_contain_text("Quotes from your documents", timeout=_WAIT)
    open_page(chat, chat.url)
    expect(who(chat)).to_contain_text("Quotes from your documents", timeout=_WAIT)


def test_two_answers_stand_side_by_side_and_under_each_other_on_a_phone(chat: Page) -> None:
    ask(chat)
    answered(chat)
    new_chat(chat)
    ask(chat, OTHER)
    expect(question(chat, OTHER)).to_be_visible(timeout=_WAIT)
    answered(chat)
    chat.get_by_test_id("stMain").get_by_role("link", name="Compare").click()
    expect(chat).to_have_url(re.compile(r"/runs\?a="))
    chat.get_by_role("combobox", name="Answer B").click()
    chat.get_by_role("option").filter(has_text=QUESTION).first.click()
    expect(chat.get_by_text("They were asked different questions.")).to_be_visible(timeout=_WAIT)
    answered(chat, times=2)
    a, b = question(chat, OTHER), question(chat, QUESTION)
    expect(b).to_be_visible(timeout=_WAIT)
    left, right = a.bounding_box(), b.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    assert abs(left["y"] - right["y"]) < 5

    chat.set_viewport_size({"width": 420, "height": 800})
    chat.reload()
    answered(chat, times=2)
    left, right = a.bounding_box(), b.bounding_box()
    assert left is not None
    assert right is not None
    assert left["y"] + left["height"] < right["y"]
    assert chat.evaluate("document.scrollingElement.scrollWidth") <= 420
