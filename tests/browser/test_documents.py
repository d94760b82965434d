"""The Documents page in a real browser, from the drop to the deletion."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, appears, open_page
from tests.support.pdf_factory import Empty, make_pdf

pytestmark = pytest.mark.browser

TIDES = (
    "# Tides\n\nThe harbour of Saint Malo has a tidal range of thirteen metres. "
    "Ships wait outside for the flood.\n\n" + "The sea rises and falls twice a day. " * 30
)
_SLOW = 180_000  # milliseconds for ingestion on a busy machine


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\n1 0 obj << /Type /Catalog")
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    return {
        "tides": make_pdf(tmp_path / "tides.pdf", [TIDES, Empty(), "Neap tides are lower."]),
        "locked": make_pdf(tmp_path / "locked.pdf", ["The vault opens."], password="sesame"),
        "broken": broken,
        "table": table,
    }


def drop(page: Page, *paths: Path) -> None:
    page.locator("input[type=file]").set_input_files([str(path) for path in paths])


def settled(page: Page) -> None:
    """Wait until nothing is being read any more."""
    expect(page.locator(".st-key-jobs_done")).to_be_visible(timeout=_SLOW)
    expect(page.locator(".st-key-jobs_running")).to_have_count(0, timeout=_SLOW)


def test_an_upload_says_of_each_file_what_became_of_it(
    running_app: App, page: Page, files: dict[str, Path]
) -> None:
    open_page(page, f"{running_app.url}/documents")
    expect(page.get_by_text("Your library is empty")).to_be_visible()
    with appears(page, ".st-key-jobs_running [role=progressbar]"):
        drop(page, *files.values())
    page.reload()
    expect(page.locator(".st-key-jobs_running, .st-key-jobs_done").first).to_be_visible()

    settled(page)
    done = page.locator(".st-key-jobs_done")
    expect(done).to_contain_text("1 document is ready, 3 files could not be taken in")
    expect(done).to_contain_text("locked.pdf is locked with a password")
    expect(done).to_contain_text("table.csv is not a PDF, it seems to be a text file")
    expect(done).to_contain_text("broken.pdf is damaged or cut short")
    expect(done).to_contain_text("tides.pdf 3 pages")

    # The password opens it, right there, and the failure is gone.
    done.get_by_placeholder("Password").fill("sesame")
    done.get_by_role("button", name="Try again").click()
    expect(done).to_contain_text("2 documents are ready", timeout=_SLOW)
    expect(done).not_to_contain_text("locked with a password")

    drop(page, files["tides"])
    expect(done).to_contain_text("Already in your library", timeout=_SLOW)
    done.get_by_role("button", name="Dismiss").click()
    expect(done).to_have_count(0)
    expect(page.get_by_text("2 documents ready · 4 pages")).to_be_visible()


def test_a_document_opens_with_its_page_beside_its_text_and_can_be_deleted(
    running_app: App, page: Page, tmp_path: Path
) -> None:
    name = "<i>moons :red[x] :smile: *1*.pdf"
    drop_me = make_pdf(
        tmp_path / "moons.pdf",
        ["Phobos is the larger moon of Mars.", Empty(), "Deimos is the smaller one."],
    )
    open_page(page, f"{running_app.url}/documents")
    page.locator("input[type=file]").set_input_files(
        [{"name": name, "mimeType": "application/pdf", "buffer": drop_me.read_bytes()}]
    )
    settled(page)
    done = page.locator(".st-key-jobs_done")
    expect(done).to_contain_text(name)  # Markdown and HTML in a name stay letters
    done.get_by_role("button", name="Open").click()

    reader = page.locator(".reader")
    expect(reader).to_contain_text("Phobos is the larger moon of Mars.")
    image = reader.get_by_role("img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.complete && image.naturalWidth > 500")
    expect(page).to_have_url(re.compile(r"document=[0-9a-f]{16}&page=1"))
    row = page.get_by_role("navigation", name="Pagination")
    expect(row.get_by_role("button", name=re.compile("[0-9]"))).to_have_count(3)

    # A chunk that is pointed at in the text lights up on the page.
    reader.get_by_role("button", name="1", exact=True).hover()
    expect(reader.locator(".box.child.lit").first).to_be_visible()

    # A search leads to the page and marks the place.
    page.get_by_placeholder("Search in this document").fill("deimos")
    page.get_by_placeholder("Search in this document").press("Enter")
    page.get_by_text("1 place on 1 page").wait_for()
    page.locator(".st-key-document_hits").get_by_role("button").click()
    expect(reader.locator("mark.chosen")).to_have_text("Deimos")
    expect(reader.locator(".box.hit.chosen")).to_have_count(1)
    expect(page).to_have_url(re.compile("page=3"))

    # The page without text is accounted for, and a link leads to it.
    page.get_by_text("1 of 3 pages is left out of search").click()
    page.get_by_role("button", name="p. 2").click()
    expect(reader).to_contain_text("Nothing stands on this page.")

    address = page.url
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Drop PDFs here, or choose them")).to_be_visible()
    expect(page.get_by_text("document is ready")).to_have_count(0)
    open_page(page, address)
    expect(page.get_by_text("This document is not in your library")).to_be_visible()
