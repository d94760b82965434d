"""The Chat page by axe-core's rules for WCAG 2.1 AA, in both themes: names, roles, contrast.

axe-core comes with the package axe-playwright-python, so that nothing is fetched.
"""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import App, at_rest, hears_arrow_keys, open_page, type_question

pytestmark = pytest.mark.browser

_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
_SLOW = 120_000  # milliseconds, on a busy machine


@pytest.fixture(params=["light", "dark"])
def themed(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900},
        color_scheme=request.param,
        reduced_motion="reduce",
    )
    yield context.new_page()
    context.close()


def accessible(page: Page) -> None:
    at_rest(page)  # what fades in or out has another contrast meanwhile
    violations = Axe().run(page, options=_RULES).response["violations"]
    told = [
        f"{violation['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for violation in violations
        for node in violation["nodes"]
    ]
    assert not told, "\n".join(told)


def test_chat_from_the_start_to_the_presenter(running_app: App, themed: Page) -> None:
    page = themed
    open_page(page, running_app.url)
    load = page.get_by_role("button", name="Load the samples")
    there = page.get_by_text("Your 4 documents can be asked")
    expect(load.or_(there)).to_be_visible()
    if load.is_visible():
        accessible(page)
        load.click()
    expect(there).to_be_visible(timeout=_SLOW)
    expect(page.locator("[class*=st-key-suggestion-]")).to_have_count(4, timeout=_SLOW)
    accessible(page)
    type_question(page, "How much does a bicycle place cost?")
    expect(page.get_by_text("Answered and grounded")).to_be_visible(timeout=_SLOW)
    expect(page.get_by_alt_text("the quote highlighted")).to_be_visible(timeout=_SLOW)
    accessible(page)
    page.get_by_role("radio", name="Details").click()
    expect(page.get_by_text("likely to be relevant").first).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Present").click()
    title = page.locator(".st-key-stage h1")
    for step in ("How much does a bicycle", "Decided to look", "Found 4 passages", "relevant"):
        expect(title).to_contain_text(step, timeout=30_000)
        accessible(page)
        hears_arrow_keys(page)
        page.keyboard.press("ArrowRight")
