"""Comparing searches in a real browser: lists, a passage in all of them, labels, blind mode."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, at_rest, open_page, take_in
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.browser

PAGES = [
    "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood.",
    "Dogs are not allowed on the quay of Saint Malo in summer. In winter they are welcome.",
    "The ferry to Jersey leaves at noon. A ticket costs forty euros and is sold on the quay.",
]
QUESTION = "What is the tidal range of Saint Malo?"
_SLOW = 120_000  # milliseconds, on a busy machine
_WAIT = 30_000
_TRIES = 3


@pytest.fixture
def compared(running_app: App, page: Page, tmp_path: Path) -> Page:
    """Two modes compared over a library of one document."""
    take_in(running_app, make_pdf(tmp_path / "harbour.pdf", PAGES))
    open_page(page, f"{running_app.url}/compare?q={quote(QUESTION)}&modes=bm25;dense")
    expect(lists(page)).to_have_count(2, timeout=_SLOW)
    at_rest(page)
    return page


def lists(page: Page) -> Locator:
    return page.locator(".lists .list")


def cards(page: Page, place: int) -> Locator:
    return lists(page).nth(place).locator(".card")


def until(page: Page, act: Callable[[], None], seen: Callable[[], None]) -> None:
    """Do it again where a click was lost in what was drawn anew in that moment."""
    for _ in range(_TRIES - 1):
        act()
        try:
            seen()
            return
        except AssertionError:
            at_rest(page)
    act()
    seen()


def labelled(page: Page, text: str) -> Callable[[], None]:
    return lambda: expect(page.get_by_text(text).first).to_be_visible(timeout=_WAIT)


def test_two_modes_stand_side_by_side_with_what_they_share(compared: Page) -> None:
    left, right = lists(compared).nth(0), lists(compared).nth(1)
    expect(left.locator(".title strong")).to_have_text("bm25")
    expect(right.locator(".title strong")).to_have_text("dense")
    first = left.locator(".card").first
    expect(first).to_contain_text("tidal range of thirteen metres")
    expect(first.locator(".finders")).to_have_text("found by 2 of 2")
    one, other = left.bounding_box(), right.bounding_box()
    assert one is not None
    assert other is not None
    assert one["x"] + one["width"] <= other["x"]
    for title in ("Who found what", "What it takes", "From stage to stage", "Scores at each stage"):
        expect(compared.get_by_text(title)).to_be_visible()


def test_passage_that_is_clicked_lights_up_in_every_list_and_is_shown_whole(
    compared: Page,
) -> None:
    until(
        compared,
        lambda: cards(compared, 0).first.click(),
        labelled(compared, "Rank at each stage, with that stage's own score"),
    )
    for place in range(2):
        lit = lists(compared).nth(place).locator(".card.lit")
        expect(lit).to_have_count(1)
        expect(lit).to_contain_text("tidal range of thirteen metres")
    link = compared.get_by_role("link", name="Open the document at this page")
    expect(link).to_be_visible()
    # Only pointed at, it lights up as well.
    cards(compared, 1).nth(1).hover()
    text = cards(compared, 1).nth(1).locator(".text").inner_text()
    expect(lists(compared).nth(1).locator(".card.lit .text")).to_have_text(text)


def test_label_is_kept_counted_and_taken_back(compared: Page) -> None:
    def button() -> Locator:
        return cards(compared, 0).first.get_by_role("button", name="Relevant", exact=True)

    pressed = compared.locator(".card .label[aria-label='Relevant'][aria-pressed='true']")
    until(compared, lambda: button().click(), labelled(compared, "1 label on 1 question"))
    expect(pressed).to_have_count(2)  # the same passage in both lists
    expect(compared.get_by_text("not enough for a test")).to_be_visible(timeout=_WAIT)
    compared.reload()
    expect(pressed).to_have_count(2, timeout=_SLOW)
    at_rest(compared)
    until(compared, lambda: button().click(), labelled(compared, "none yet"))
    expect(pressed).to_have_count(0)


def test_blind_shows_the_passages_without_who_found_them(compared: Page) -> None:
    switch = compared.get_by_test_id("stCheckbox")
    until(
        compared,
        lambda: switch.locator("label").first.click(),
        lambda: expect(compared.locator(".lists.blind")).to_be_visible(timeout=_WAIT),
    )
    main = compared.locator(".lists.blind")
    for told in (".rank", ".chip", ".title"):
        expect(main.locator(told)).to_have_count(0)
    expect(compared.get_by_text("an order that says nothing")).to_be_visible()
    expect(compared.get_by_text("Who found what")).to_have_count(0)
    # It can be labelled all the same, and lies open in no list of a mode.
    until(
        compared,
        lambda: main.locator(".card").first.get_by_role("button", name="Not relevant").click(),
        labelled(compared, "1 label on 1 question"),
    )
    expect(compared.get_by_text("hidden while you label blind")).to_be_visible(timeout=_WAIT)
    until(
        compared,
        lambda: main.locator(".card").first.get_by_role("button", name="Not relevant").click(),
        labelled(compared, "none yet"),
    )


def test_choices_stand_on_one_line(compared: Page) -> None:
    middles = []
    for name in ("stButtonGroup", "stPopover", "stNumberInputContainer"):
        box = compared.get_by_test_id(name).first.bounding_box()
        assert box is not None
        middles.append(box["y"] + box["height"] / 2)
    assert max(middles) - min(middles) <= 2, middles


def test_question_leads_to_its_answers_and_back(compared: Page) -> None:
    compared.get_by_role("link", name="Compare the answers to it").click()
    box = compared.get_by_role("textbox", name="Question")
    expect(box).to_have_value(QUESTION, timeout=_WAIT)
    at_rest(compared)
    ask = compared.get_by_role("button", name="Ask", exact=True)
    took = compared.get_by_text("What each took")
    until(compared, ask.click, lambda: expect(took).to_be_visible(timeout=_SLOW))
    compared.get_by_role("link", name="What each way of searching finds").click()
    expect(lists(compared)).to_have_count(2, timeout=_SLOW)  # the modes chosen last


def test_lists_scroll_by_themselves_on_a_phone(compared: Page) -> None:
    compared.set_viewport_size({"width": 400, "height": 800})
    expect(lists(compared)).to_have_count(2, timeout=_WAIT)
    for mode in ("bm25", "full"):
        pill = compared.get_by_test_id("stButtonGroup").first.get_by_text(mode, exact=True)
        expect(pill).to_be_in_viewport(ratio=1)
    assert compared.evaluate("document.scrollingElement.scrollWidth") <= 400
    inner = compared.locator(".lists")
    assert inner.evaluate("e => e.scrollWidth > e.clientWidth")
