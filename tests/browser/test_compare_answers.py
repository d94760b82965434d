"""One question in several ways in a real browser: live columns, one that fails, stop, reload."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, at_rest, open_page, take_in
from tests.browser.test_chat_live import Held
from tests.support.llm_answers import failure
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUESTION = "What is the tidal range of Saint Malo?"
OTHER = "Where do ships wait?"
_SLOW = 120_000  # milliseconds, on a busy machine
_WAIT = 30_000

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def model() -> Iterator[LlmServer]:
    with LlmServer(delay=0.05) as server:
        yield server


@pytest.fixture(scope="module")
def settings(model: LlmServer) -> dict[str, str]:
    return {"LLM_BASE_URL": model.url, "MAX_RETRIES": "0"}


@pytest.fixture
def answers(running_app: App, page: Page, tmp_path: Path) -> Page:
    """The page over a library of one document."""
    take_in(running_app, make_pdf(tmp_path / "harbour.pdf", [TIDES]))
    open_page(page, f"{running_app.url}/runs")
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    """Ask, and again where the click was lost in the page being drawn anew."""
    box = page.get_by_role("textbox", name="Question")
    heading = page.get_by_test_id("stMain").get_by_role("heading", name=question)
    for _ in range(3):
        box.fill(question)
        page.keyboard.press("Enter")
        try:
            expect(heading).to_be_visible(timeout=_WAIT)
            return
        except AssertionError:
            at_rest(page)
    expect(heading).to_be_visible()


def column(page: Page, way: str) -> Locator:
    """The column of a way, by the heading that it begins with."""
    heading = page.get_by_role("heading", name=way, exact=True)
    return page.get_by_test_id("stColumn").filter(has=heading)


def finished(page: Page) -> None:
    expect(page.get_by_text("What each took")).to_be_visible(timeout=_SLOW)


def test_columns_come_about_side_by_side_and_each_ends_by_itself(
    answers: Page, model: LlmServer
) -> None:
    checking = Held(model, "SupportByClaim")
    ask(answers)
    plain, selfrag = column(answers, "plain"), column(answers, "selfrag")
    expect(plain.get_by_text("Answered, not checked")).to_be_visible(timeout=_SLOW)
    checks = selfrag.get_by_text("Checking every claim against the sources")
    expect(checks.first).to_be_visible(timeout=_SLOW)
    # Written before it is checked, beside one that is done.
    expect(selfrag.get_by_text("thirteen metres. [1]")).to_be_visible(timeout=_WAIT)
    expect(answers.get_by_text("2 of 3 done")).to_be_visible(timeout=_WAIT)
    expect(answers.get_by_text("What each took")).to_have_count(0)
    left, right = plain.bounding_box(), selfrag.bounding_box()
    assert left is not None
    assert right is not None
    assert left["x"] + left["width"] <= right["x"]
    checking.release()
    finished(answers)
    expect(selfrag.get_by_text("Answered and grounded")).to_be_visible()
    headline = "selfrag answered, and found every claim backed by a source."
    expect(answers.get_by_role("heading", name=re.compile(headline))).to_be_visible()
    expect(answers.get_by_text("plain once, critique twice", exact=False)).to_be_visible()
    expect(answers.get_by_role("button", name="Stop all")).to_have_count(0)


def test_sentence_that_a_number_stands_for_is_shown_on_its_page(
    answers: Page, model: LlmServer
) -> None:
    ask(answers)
    finished(answers)
    at_rest(answers)
    dialog = answers.get_by_test_id("stDialog")
    for _ in range(3):
        column(answers, "selfrag").get_by_role("button", name=re.compile("harbour.pdf")).click()
        try:
            expect(dialog).to_be_visible(timeout=_WAIT)
            break
        except AssertionError:
            at_rest(answers)
    expect(dialog.get_by_alt_text("the quote highlighted")).to_be_visible(timeout=_SLOW)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0, timeout=_WAIT)


@pytest.mark.parametrize("status", [429, 500])
def test_one_that_fails_says_why_and_leaves_the_others(
    answers: Page, model: LlmServer, status: int
) -> None:
    broken = failure(status, "Not now.", retry_after="90")
    model.reply(broken, when=lambda request: request.schema is None, times=1)
    ask(answers)
    finished(answers)
    failed = answers.get_by_role("heading", name="This could not be answered")
    expect(failed).to_have_count(1, timeout=_WAIT)
    expect(answers.get_by_test_id("stAlert")).to_have_count(1)
    expect(answers.get_by_role("heading", name=re.compile("failed"))).to_be_visible()
    at_rest(answers)
    answers.get_by_role("button", name="Try again").click()
    expect(failed).to_have_count(0, timeout=_SLOW)
    finished(answers)
    expect(answers.get_by_test_id("stAlert")).to_have_count(0)


def test_one_stop_ends_all_within_a_second(answers: Page, model: LlmServer) -> None:
    silent = [Held(model, lambda request: request.schema is None) for _ in range(3)]
    ask(answers)
    stop = answers.get_by_role("button", name="Stop all")
    working = answers.get_by_text("Writing an answer")
    expect(working.first).to_be_visible(timeout=_SLOW)
    stop.click()
    began = time.monotonic()
    stopped = answers.get_by_role("heading", name=re.compile("Stopped$"))
    expect(stopped).to_have_count(3, timeout=_WAIT)
    took = time.monotonic() - began
    for each in silent:
        each.release()
    assert took < 5, took  # one second on a machine that nobody else uses
    expect(answers.get_by_role("button", name="Ask", exact=True)).to_be_enabled(timeout=_WAIT)


def test_reload_and_a_second_tab_see_the_same_run_to_its_end(
    answers: Page, model: LlmServer
) -> None:
    checking = Held(model, "Usefulness")
    ask(answers)
    expect(answers.get_by_text("2 of 3 done")).to_be_visible(timeout=_SLOW)
    expect(answers).to_have_url(re.compile("trial="))
    other = answers.context.new_page()
    open_url = answers.url
    other.goto(open_url)
    answers.reload()
    for tab in (answers, other):
        expect(tab.get_by_text("2 of 3 done")).to_be_visible(timeout=_SLOW)
    checking.release()
    for tab in (answers, other):
        finished(tab)
        expect(column(tab, "selfrag").get_by_text("Answered and grounded")).to_be_visible()


def test_two_tabs_ask_at_the_same_time_and_see_only_their_own(
    answers: Page, model: LlmServer, running_app: App
) -> None:
    other = answers.context.new_page()
    open_page(other, f"{running_app.url}/runs")
    ask(answers)
    ask(other, OTHER)
    finished(answers)
    finished(other)
    for tab, mine, others in ((answers, QUESTION, OTHER), (other, OTHER, QUESTION)):
        main = tab.get_by_test_id("stMain")
        expect(main.get_by_role("heading", name=mine)).to_have_count(1)
        expect(main.get_by_role("heading", name=others)).to_have_count(0)


def test_answers_are_opened_again_and_are_in_no_conversation(
    answers: Page, model: LlmServer, running_app: App
) -> None:
    ask(answers)
    finished(answers)
    open_page(answers, running_app.url)
    sidebar = answers.get_by_test_id("stSidebarUserContent")
    expect(sidebar.get_by_role("button", name=QUESTION)).to_have_count(0)
    open_page(answers, f"{running_app.url}/runs")
    earlier = answers.get_by_test_id("stMain").get_by_role("button", name=QUESTION)
    earlier.first.click()
    finished(answers)
    expect(answers.get_by_role("textbox", name="Question")).to_have_value(QUESTION)


def test_columns_stand_under_each_other_on_a_phone(answers: Page, model: LlmServer) -> None:
    ask(answers)
    finished(answers)
    answers.set_viewport_size({"width": 400, "height": 800})
    answers.reload()
    finished(answers)
    boxes = [column(answers, way).bounding_box() for way in ("plain", "critique", "selfrag")]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3
    assert answers.evaluate("document.scrollingElement.scrollWidth") <= 400
