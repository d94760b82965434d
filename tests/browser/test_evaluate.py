"""The Evaluate page in a real browser: from labels to a result, stopped, opened again, deleted."""

import io
import re
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.conftest import App, at_rest, open_page
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.browser

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUAY = "Dogs are not allowed on the quay of Saint Malo in summer. In winter they are welcome."
QUESTIONS = ("What is the tidal range of Saint Malo?", "Are dogs allowed on the quay?")
_SLOW = 180_000  # milliseconds on a busy machine
_WORDS = ("glacier", "valley", "summer", "council", "water", "farmer", "bridge", "harbour")


def until(page: Page, click, seen, seconds: float = 60.0) -> None:
    """Click until something is seen: a click on what is being drawn anew is lost."""
    end = time.monotonic() + seconds
    while not seen.is_visible():
        # It may be drawn anew, or be gone since the click before was not lost.
        with suppress(Error):
            click.click(timeout=2_000)
        try:
            seen.wait_for(timeout=4_000)
        except Error:
            assert time.monotonic() < end, f"{seen} does not come"


def tab(page: Page, name: str) -> None:
    chosen = page.get_by_role("tab", name=name)
    until(page, chosen, page.locator("[role=tab][aria-selected=true]", has_text=name))
    at_rest(page)


def labelled(app: App, page: Page, tmp_path: Path) -> None:
    """A library of one document, with a label on each of two questions."""
    open_page(page, f"{app.url}/documents")
    made = make_pdf(tmp_path / "harbour.pdf", [TIDES, QUAY])
    page.locator("input[type=file]").set_input_files(str(made))
    expect(page.locator(".st-key-jobs_done")).to_contain_text("1 document is ready", timeout=_SLOW)
    for number, question in enumerate(QUESTIONS, start=1):
        open_page(page, f"{app.url}/compare?q={question}&modes=bm25;dense")
        relevant = page.get_by_role("button", name="Relevant", exact=True).first
        relevant.wait_for(timeout=_SLOW)
        until(page, relevant, page.get_by_text(re.compile(f"{number} labels? on {number} quest")))


def test_labels_are_measured_and_the_result_is_kept_opened_and_deleted(
    running_app: App, page: Page, tmp_path: Path
) -> None:
    labelled(running_app, page, tmp_path)
    open_page(page, f"{running_app.url}/evaluate")
    questions = page.get_by_role("combobox", name="Questions")
    expect(questions).to_have_value("Your labels (2 questions)")
    measure = page.get_by_role("button", name="Measure", exact=True)
    result = page.get_by_role("heading", name="Your labels")
    until(page, measure, result, seconds=180)
    expect(page.get_by_text("better/equal/worse")).to_be_visible()

    tab(page, "History")
    expect(page.get_by_text("2 questions").first).to_be_visible()
    opened = page.locator("[class*=st-key-open-] button").first
    until(page, opened, page.get_by_role("button", name="All results"))
    expect(page).to_have_url(re.compile("result=[0-9a-f-]{36}"))
    expect(page.get_by_text("JSON: all of it")).to_be_visible()
    address = page.url

    page.reload()
    expect(page.get_by_text("JSON: all of it")).to_be_visible(timeout=_SLOW)
    for label, ending, held in (
        ("CSV: every value", ".csv", "question_id"),
        ("JSON: all of it", ".json", '"made_of": {"'),
        ("HTML: the tables", ".html", "</html>"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        assert download.value.suggested_filename == f"Your labels{ending}"
        assert held in Path(download.value.path()).read_text("utf-8")
    dialog = page.get_by_role("dialog")
    until(page, page.locator(".st-key-delete-result button"), dialog)
    until(page, dialog.get_by_role("button", name="Delete"), page.get_by_text("Nothing has been"))
    open_page(page, address)
    expect(page.get_by_text("This result is no longer kept")).to_be_visible()


def test_an_upload_that_is_no_set_is_refused_in_a_sentence(running_app: App, page: Page) -> None:
    open_page(page, f"{running_app.url}/evaluate")
    drop = page.get_by_test_id("stFileUploaderDropzone")
    until(page, page.get_by_role("button", name="Upload a set"), drop)
    page.locator("input[type=file]").set_input_files(
        [{"name": "odd.zip", "mimeType": "application/zip", "buffer": b"no zip at all"}]
    )
    said = page.get_by_text("odd.zip is no zip that can be opened")
    expect(said.first).to_be_visible(timeout=_SLOW)


def test_a_study_that_is_stopped_goes_on_after_the_application_was_killed(
    running_app: App, page: Page
) -> None:
    open_page(page, f"{running_app.url}/evaluate")
    drop = page.get_by_test_id("stFileUploaderDropzone")
    until(page, page.get_by_role("button", name="Upload a set"), drop)
    page.locator("input[type=file]").set_input_files(
        [{"name": "many.zip", "mimeType": "application/zip", "buffer": many(3_000)}]
    )
    expect(page.get_by_text("many is there: 1 question").first).to_be_visible(timeout=_SLOW)
    page.keyboard.press("Escape")
    cancel = page.get_by_role("button", name="Cancel")
    until(page, page.get_by_role("button", name="Measure", exact=True), cancel)
    page.reload()
    stopped(page)

    running_app.kill_and_start()
    open_page(page, f"{running_app.url}/evaluate")
    many_of_them = page.get_by_role("option", name="many")
    until(page, page.get_by_role("combobox", name="Questions"), many_of_them)
    until(page, many_of_them, page.get_by_role("button", name="Remove the set"))
    until(page, page.get_by_role("button", name="Measure", exact=True), cancel)
    stopped(page)


def stopped(page: Page) -> None:
    """Cancel the study under way and wait until it has ended."""
    ended = page.get_by_text("Cancelled. What was searched is kept")
    ending = page.get_by_text("ends with what is under way")
    until(page, page.get_by_role("button", name="Cancel"), ending.or_(ended).first)
    expect(ended).to_be_visible(timeout=_SLOW)


def many(documents: int) -> bytes:
    """A set that takes a while to embed."""
    texts = [
        " ".join(_WORDS[(number * 7 + place * place) % len(_WORDS)] for place in range(60))
        for number in range(documents)
    ]
    lines = [f'{{"_id": "d{number}", "text": "{number} {it}"}}' for number, it in enumerate(texts)]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("many/corpus.jsonl", "\n".join(lines))
        zipped.writestr("many/queries.jsonl", '{"_id": "q1", "text": "glacier in the valley"}')
        zipped.writestr("many/qrels/test.tsv", "q1\td1\t1\n")
    return out.getvalue()
