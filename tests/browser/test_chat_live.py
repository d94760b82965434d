"""A run that takes its time, watched in a real browser: live steps, stop, reload, two tabs."""

import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, at_rest, hears_arrow_keys, open_page, take_in, type_question
from tests.support.llm_answers import Answer, Request, failure, happy_path, structured, text
from tests.support.llm_server import LlmServer, When
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"
RELEVANCE = "Relevance"
_AT_ONCE = 15_000  # milliseconds; the endpoint is silent for longer
_SLOW = 120_000  # milliseconds, on a busy machine


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def model() -> Iterator[LlmServer]:
    with LlmServer(delay=0.1) as server:
        yield server


@pytest.fixture(scope="module")
def settings(model: LlmServer) -> dict[str, str]:
    return {"LLM_BASE_URL": model.url}


@pytest.fixture
def chat(running_app: App, page: Page, tmp_path: Path) -> Page:
    """The Chat page over a library of one document."""
    take_in(running_app, make_pdf(tmp_path / "harbour.pdf", [TIDES]))
    open_page(page, running_app.url)
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    type_question(page, question)


def answered(page: Page) -> None:
    expect(page.get_by_text("Answered and grounded").first).to_be_visible(timeout=_SLOW)
    at_rest(page)


def writing(request: Request) -> bool:
    return request.schema is None


class Held:
    """A model that answers one request only when the test lets it."""

    def __init__(self, model: LlmServer, when: When) -> None:
        self._go = threading.Event()
        model.reply(self, when=when, times=1)

    def __call__(self, request: Request) -> Answer:
        self._go.wait(60)
        return happy_path(request)

    def release(self) -> None:
        self._go.set()


def sees(page: Page, words: str) -> None:
    expect(page.get_by_text(words).first).to_be_visible(timeout=30_000)


def test_steps_come_one_by_one_and_the_answer_is_written_before_it_is_checked(
    chat: Page, model: LlmServer
) -> None:
    deciding, reading, checking = (
        Held(model, when) for when in ("Decision", RELEVANCE, "SupportByClaim")
    )
    ask(chat)
    sees(chat, "Deciding whether to look in your documents")
    deciding.release()
    sees(chat, "Decided to look in your documents")
    sees(chat, "Reading what was found")
    expect(chat.get_by_text("passage is relevant")).to_have_count(0)
    reading.release()
    sees(chat, "1 of 1 passage is relevant")
    sees(chat, "The harbour of Saint Malo has a tidal range of thirteen metres. [1]")
    sees(chat, "Checking every claim against the sources")
    expect(chat.get_by_text("grounded")).to_have_count(0)
    checking.release()
    answered(chat)
    sees(chat, "1 claim, backed".replace(" ", "\N{NO-BREAK SPACE}"))


def test_reload_in_the_middle_of_a_run_comes_back_to_it(chat: Page, model: LlmServer) -> None:
    reading = Held(model, RELEVANCE)
    ask(chat)
    sees(chat, "Reading what was found")
    chat.reload()
    sees(chat, "Decided to look in your documents")
    sees(chat, "Reading what was found")
    reading.release()
    answered(chat)
    expect(chat.get_by_role("heading", name=QUESTION)).to_have_count(1)


def test_run_goes_on_while_another_page_is_looked_at(chat: Page, model: LlmServer) -> None:
    reading = Held(model, RELEVANCE)
    ask(chat)
    sees(chat, "Reading what was found")
    sidebar = chat.get_by_test_id("stSidebarNav")
    sidebar.get_by_role("link", name="Documents").click()
    expect(chat.get_by_text("harbour.pdf").first).to_be_attached()
    reading.release()
    sidebar.get_by_role("link", name="Chat").click()
    answered(chat)
    expect(chat.get_by_role("heading", name=QUESTION)).to_have_count(1)


def test_stop_ends_the_run_while_the_model_is_silent(chat: Page, model: LlmServer) -> None:
    silent = Held(model, writing)
    ask(chat)
    sees(chat, "Writing an answer")
    chat.get_by_role("button", name="Stop").click()
    stopped = chat.get_by_role("heading", name=re.compile("Stopped"))
    expect(stopped).to_be_visible(timeout=20_000)
    silent.release()
    expect(chat.get_by_test_id("stChatInputTextArea")).to_be_enabled()
    chat.get_by_role("button", name="Try again").click()
    answered(chat)
    expect(chat.get_by_role("heading", name=QUESTION)).to_have_count(1)


def test_dialog_over_a_run_under_way_answers_at_once(chat: Page, model: LlmServer) -> None:
    silent = Held(model, writing)
    ask(chat)
    sees(chat, "Writing an answer")
    dialog = chat.get_by_role("dialog")
    chat.get_by_role("button", name="Delete", exact=True).click()
    dialog.get_by_role("button", name="Keep it").click()
    expect(dialog).to_have_count(0, timeout=_AT_ONCE)
    chat.get_by_role("button", name="Rename", exact=True).click()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0, timeout=_AT_ONCE)
    sees(chat, "Writing an answer")
    chat.get_by_role("button", name="Delete", exact=True).click()
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_have_count(0, timeout=_AT_ONCE)
    expect(chat.get_by_role("heading", name=QUESTION)).to_have_count(0, timeout=_AT_ONCE)
    silent.release()


def test_dialog_leaves_the_run_under_it_followed_when_it_is_closed(
    chat: Page, model: LlmServer
) -> None:
    reading = Held(model, RELEVANCE)
    ask(chat)
    sees(chat, "Reading what was found")
    chat.get_by_role("button", name="Rename", exact=True).click()
    dialog = chat.get_by_role("dialog")
    reading.release()
    dialog.get_by_label("Title").fill("About tides")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog).to_have_count(0, timeout=_AT_ONCE)
    answered(chat)
    expect(chat.get_by_role("button", name="About tides")).to_be_visible()


def test_presenter_waits_for_the_step_that_is_under_way(chat: Page, model: LlmServer) -> None:
    checking = Held(model, "SupportByClaim")
    ask(chat)
    sees(chat, "Checking every claim against the sources")
    chat.get_by_role("button", name="Present").click()
    title = chat.locator(".st-key-stage h1")
    for seen in (QUESTION, "Decided to look", "Found", "relevant", "Wrote an answer"):
        expect(title).to_contain_text(seen, timeout=30_000)
        hears_arrow_keys(chat)
        chat.keyboard.press("ArrowRight")
    expect(title).to_contain_text("Checking every claim against the sources", timeout=30_000)
    checking.release()
    expect(title).to_contain_text("backed by a source", timeout=_SLOW)


def test_presenter_has_the_whole_width_while_a_run_goes_on(chat: Page, model: LlmServer) -> None:
    deciding = Held(model, "Decision")
    ask(chat)
    sees(chat, "Deciding whether to look in your documents")
    chat.get_by_role("button", name="Present").click()
    title = chat.locator(".st-key-stage h1")
    expect(title).to_contain_text(QUESTION)
    hears_arrow_keys(chat)
    chat.keyboard.press("ArrowRight")
    expect(title).to_contain_text("Deciding whether to look")
    expect(chat.get_by_test_id("stSidebar")).to_be_hidden()
    stage = chat.locator(".st-key-stage").bounding_box()
    assert stage is not None and stage["width"] > 1000
    chat.get_by_role("button", name="Leave").click()
    expect(chat.get_by_test_id("stSidebar")).to_be_visible()
    sees(chat, "Deciding whether to look in your documents")
    deciding.release()
    answered(chat)


def test_new_question_stands_over_nothing_of_the_one_before(chat: Page, model: LlmServer) -> None:
    ask(chat)
    answered(chat)
    deciding = Held(model, "Decision")
    ask(chat, "Where do ships wait?")
    sees(chat, "Deciding whether to look in your documents")
    for words, times in (("Answered and grounded", 1), ("Decided to look in your documents", 0)):
        expect(chat.get_by_text(words)).to_have_count(times)  # 1: the answer below
    expect(chat.get_by_test_id("stImage")).to_have_count(0)
    deciding.release()
    expect(chat.get_by_text("Answered and grounded")).to_have_count(2, timeout=_SLOW)


def test_two_tabs_ask_at_the_same_time_and_see_only_their_own(
    chat: Page, model: LlmServer, running_app: App
) -> None:
    other = chat.context.new_page()
    open_page(other, running_app.url)
    ask(chat)
    ask(other, "Where do ships wait?")
    answered(chat)
    answered(other)
    # The list of conversations has both.
    for tab, others in ((chat, "Where do ships wait?"), (other, QUESTION)):
        expect(tab.get_by_test_id("stMain").get_by_text(others)).to_have_count(0)


def test_claim_without_backing_is_written_again(chat: Page, model: LlmServer) -> None:
    claim = {"claim": "Dogs fly.", "document": 0, "quote": "", "support": "not_supported"}
    model.reply(text("Dogs fly. [Doc 1]"), when=writing, times=1)
    model.reply(
        structured(thought="Nothing says so.", declines=False, claims=[claim]),
        when="SupportByClaim",
        times=1,
    )
    ask(chat)
    retry = "Trying again, told which 1 claim had no backing (1 of 3)"
    sees(chat, retry)
    sees(chat, "Wrote the answer again")
    answered(chat)


def test_refused_key_is_told_with_what_to_do(chat: Page, model: LlmServer) -> None:
    model.reply(failure(401, "Incorrect API key provided."), times=1)
    ask(chat)
    expect(chat.get_by_text("This could not be answered")).to_be_visible(timeout=_SLOW)
    expect(chat.get_by_test_id("stAlert")).to_be_visible()
    chat.get_by_role("button", name="Try again").click()
    answered(chat)
