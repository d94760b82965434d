"""The sample library, levels, sharing, replay and presenting in a real browser."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from selfrag.sharing.export import read
from tests.browser.conftest import App, appears, at_rest, hears_arrow_keys, open_page, type_question

pytestmark = pytest.mark.browser

QUESTION = "How much does a bicycle place cost?"
QUOTE = "A bicycle place costs 4 euros a month"
STEPS = [
    QUESTION,
    "Decided to look in your documents",
    "Found 4 passages",
    "relevant",
    "Wrote an answer",
    "backed by a source",
    "It answers the question",
    "Answered and grounded",
    "house-rules.pdf, page 2",
]
_LETTERS_OF_THE_GRAPH = """least => {
    const it = document.querySelector(".st-key-stage [data-testid=stGraphVizChart] svg text");
    return it && parseFloat(getComputedStyle(it).fontSize) * it.getScreenCTM().d >= least;
}"""
#: the head of an answer that was found, whether the local judge is sure of it or not
ANSWERED = re.compile("Answered and grounded|Grounded, and may be the answer")
_SLOW = 120_000  # milliseconds, on a busy machine


@pytest.fixture
def chat(running_app: App, page: Page) -> Page:
    """The Chat page over the sample library."""
    open_page(page, running_app.url)
    load = page.get_by_role("button", name="Load the samples")
    there = page.get_by_text("Your 4 documents can be asked")
    expect(load.or_(there)).to_be_visible()
    if load.is_visible():
        load.click()
    expect(there).to_be_visible(timeout=_SLOW)
    return page


def ask(page: Page, question: str = QUESTION) -> None:
    type_question(page, question)
    answered(page)


def answered(page: Page) -> None:
    expect(page.get_by_role("heading", name=ANSWERED)).to_be_visible(timeout=_SLOW)
    at_rest(page)


def test_from_nothing_to_an_answered_suggestion_and_back_to_nothing(
    running_app: App, page: Page
) -> None:
    open_page(page, running_app.url)
    page.get_by_role("button", name="Read how it works").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Is every claim backed?")
    expect(dialog.get_by_test_id("stGraphVizChart")).to_contain_text("Search again")
    page.keyboard.press("Escape")
    with appears(page, ".st-key-jobs_running"):
        page.get_by_role("button", name="Load the samples").click()
    expect(page.get_by_text("Your 4 documents can be asked")).to_be_visible(timeout=_SLOW)
    suggested = page.locator("[class*=st-key-suggestion-]")
    expect(suggested).to_have_count(4, timeout=_SLOW)
    question = suggested.nth(2).inner_text().split("\n")[-1]
    suggested.nth(2).get_by_role("button").click()
    expect(page.get_by_role("heading", name=question)).to_be_visible()
    answered(page)
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Remove the samples").click()
    expect(page.get_by_role("heading", name="Answers you can check")).to_be_visible()
    expect(page.get_by_text("No documents yet")).to_be_visible()


def test_level_of_the_steps_stays_chosen(chat: Page) -> None:
    ask(chat)
    explained = chat.get_by_text("A greeting needs no documents; a question about facts does.")
    expect(explained).to_be_hidden()
    chat.get_by_role("radio", name="Explain").click()
    expect(explained).to_be_visible()
    expect(chat.get_by_text("no language model asked").first).to_be_hidden()
    chat.get_by_role("radio", name="Details").click()
    expect(chat.get_by_text("no language model asked").first).to_be_visible()
    expect(chat.get_by_text("likely to be relevant").first).to_be_visible()
    type_question(chat, "How much does a wash cost?")
    expect(chat.get_by_role("heading", name="How much does a wash cost?")).to_be_visible()
    expect(chat.get_by_text("no language model asked").first).to_be_visible(timeout=_SLOW)


def test_report_opens_from_disk_with_its_pages_and_asks_for_nothing(
    chat: Page, browser: Browser, tmp_path: Path
) -> None:
    ask(chat)
    chat.get_by_role("button", name="Share").click()
    for whole in ("Report to read", "Events as JSON"):
        expect(chat.get_by_role("button", name=whole)).to_be_in_viewport(ratio=1)
    with chat.expect_download() as download:
        chat.get_by_role("button", name="Report to read").click()
    report = tmp_path / "report.html"
    download.value.save_as(report)
    assert download.value.suggested_filename == "self-rag How much does a bicycle place cost.html"
    with chat.expect_download() as download:
        chat.get_by_role("button", name="Events as JSON").click()
    exported = tmp_path / "run.json"
    download.value.save_as(exported)
    events = read(exported.read_text(encoding="utf-8"))
    assert events[0].step == "run_started" and events[-1].step == "run_finished"

    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(report.as_uri())
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    expect(page.get_by_text("Answered and grounded")).to_be_visible()
    expect(page.get_by_text("How was this answered?")).to_be_visible()
    picture = page.get_by_role("img", name="the quote highlighted")
    assert picture.evaluate("image => image.complete && image.naturalWidth > 300")
    expect(page.get_by_role("img", name="The path through the graph")).to_be_visible()
    page.get_by_role("link", name="Source 1").click()
    expect(picture).to_be_in_viewport(ratio=0.2)
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]
    assert not complaints, "the browser refused something"
    context.close()


def test_replay_goes_step_by_step_with_the_arrow_keys(chat: Page) -> None:
    ask(chat)
    chat.get_by_role("button", name="Replay").click()
    dialog = chat.get_by_role("dialog")
    walk(dialog.locator(".st-key-stage h1"), chat)
    chat.keyboard.press("ArrowLeft")
    expect(dialog.locator(".st-key-stage h1")).to_contain_text(STEPS[-2])
    expect(dialog.get_by_text(f"{len(STEPS) - 1} of {len(STEPS)}")).to_be_visible()


def test_presenter_shows_one_step_at_a_time_and_nothing_else(
    running_app: App, chat: Page, browser: Browser
) -> None:
    chat.set_viewport_size({"width": 1920, "height": 1080})
    ask(chat)
    chat.get_by_role("button", name="Present").click()
    expect(chat).to_have_url(re.compile("present=[0-9a-f-]{36}"))
    title = chat.locator(".st-key-stage h1")
    expect(title).to_contain_text(QUESTION)
    for gone in ("stSidebarNav", "stChatInput"):
        expect(chat.get_by_test_id(gone)).to_have_count(0)
    size = title.evaluate("it => parseFloat(getComputedStyle(it).fontSize)")
    assert size >= 40, "it is read from the last row"
    # The graph beside it as well, once it is laid out.
    chat.wait_for_function(_LETTERS_OF_THE_GRAPH, arg=0.5 * size)
    walk(title, chat)
    scrolls = "it => it.scrollHeight - it.clientHeight"
    assert chat.get_by_test_id("stMain").evaluate(scrolls) <= 0, "nothing to scroll"

    # The address alone shows the same run.
    other = browser.new_context().new_page()
    open_page(other, chat.url)
    expect(other.locator(".st-key-stage h1")).to_contain_text(QUESTION)
    other.context.close()

    chat.keyboard.press("Escape")
    answered(chat)
    expect(chat.get_by_test_id("stChatInput")).to_be_visible()
    open_page(chat, f"{running_app.url}/?present=00000000-0000-0000-0000-000000000000")
    expect(chat.get_by_text("This answer is no longer kept")).to_be_visible()


def test_steps_are_gone_through_on_a_phone_without_scrolling(chat: Page) -> None:
    ask(chat)
    chat.set_viewport_size({"width": 400, "height": 800})
    following = chat.get_by_role("button", name="Next")
    chat.get_by_role("button", name="Replay").click()
    for number in range(2, len(STEPS) + 1):
        expect(following).to_be_in_viewport(ratio=1)
        following.click()
        expect(chat.get_by_text(f"{number} of {len(STEPS)}")).to_be_visible()
    expect(following).to_be_disabled()
    chat.get_by_role("dialog").get_by_role("button", name="Close").click()
    chat.get_by_role("button", name="Present").click()
    leave = chat.get_by_role("button", name="Leave")
    expect(leave).to_be_in_viewport(ratio=1)
    assert "Esc" not in leave.inner_text(), "a phone has no such key"
    expect(following).to_be_in_viewport(ratio=1)
    leave.click()
    answered(chat)


def test_presses_of_the_arrow_keys_are_all_heard_however_quick(chat: Page) -> None:
    ask(chat)
    chat.get_by_role("button", name="Present").click()
    title = chat.locator(".st-key-stage h1")
    expect(title).to_contain_text(QUESTION)
    hears_arrow_keys(chat)
    for _ in range(6):
        chat.keyboard.press("ArrowRight")
    expect(title).to_contain_text(STEPS[6], timeout=_SLOW)
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight"):
        chat.keyboard.press(key)
    expect(title).to_contain_text(STEPS[4], timeout=_SLOW)
    for _ in range(9):
        chat.keyboard.press("ArrowRight")
    expect(title).to_contain_text(STEPS[-1], timeout=_SLOW)
    chat.keyboard.press("ArrowLeft")
    expect(title).to_contain_text(STEPS[-2], timeout=_SLOW)
    chat.keyboard.press("Escape")
    answered(chat)
    chat.get_by_role("button", name="Present").click()
    expect(title).to_contain_text(QUESTION, timeout=_SLOW)


def test_citation_is_reached_and_opened_by_the_keyboard(chat: Page) -> None:
    ask(chat, "What was decided about the solar panels?")
    marks = chat.locator(".answer .cite")
    last = marks.last
    chat.get_by_role("radio", name="Story").focus()
    for _ in range(40):
        chat.keyboard.press("Tab")
        if last.evaluate("it => it.getRootNode().activeElement === it"):
            break
    else:
        pytest.fail("the mark can't be reached")
    outline = last.evaluate("it => getComputedStyle(it).outlineStyle")
    assert outline == "solid", "where one is can be seen"
    number = last.inner_text()
    chat.keyboard.press("Enter")
    expect(last).to_have_attribute("aria-pressed", "true")
    expect(chat.get_by_alt_text("the quote highlighted")).to_be_visible(timeout=_SLOW)
    assert last.evaluate("it => it.getRootNode().activeElement?.textContent") == number


def walk(title, page: Page) -> None:
    """Step to the end, seeing each scene in its turn."""
    for number, step in enumerate(STEPS):
        expect(title).to_contain_text(step, timeout=30_000)
        if number < len(STEPS) - 1:
            hears_arrow_keys(page)
            page.keyboard.press("ArrowRight")
