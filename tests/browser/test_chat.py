"""The Chat page in a real browser with nothing configured: upload, ask, check the page."""

import io
import re
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, at_rest, open_page, take_in, type_question
from tests.support.pdf_factory import make_pdf

pytestmark = pytest.mark.browser

QUOTE = "The harbour of Saint Malo has a tidal range of thirteen metres."
TIDES = f"# Tides\n\nShips wait outside for the flood. {QUOTE} The sea rises twice a day."
QUAY = "# The quay\n\nDogs are not allowed on the quay in summer. In winter they are welcome."
STEPS = [
    "Decided to look in your documents",
    "Found 1 passage in 1 document",
    "1 of 1 passage is relevant",
    "Wrote an answer from 1 passage",
    "backed by a source",
    "It answers the question",
]
_SLOW = 120_000  # milliseconds, on a busy machine


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    return make_pdf(tmp_path / "harbour.pdf", [TIDES, QUAY])


def answered(page: Page) -> None:
    expect(page.get_by_text("Answered and grounded")).to_be_visible(timeout=_SLOW)
    at_rest(page)


def test_from_an_empty_library_to_the_sentence_on_the_page(
    running_app: App, page: Page, harbour: Path
) -> None:
    outside: list[str] = []
    page.on("request", lambda it: outside.append(it.url))
    open_page(page, running_app.url)
    page.get_by_role("button", name="Add your PDFs").click()
    page.locator("input[type=file]").set_input_files(str(harbour))
    expect(page.get_by_text("1 document is ready")).to_be_visible(timeout=_SLOW)

    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Chat").click()
    type_question(page, "What is the tidal range of Saint Malo?")
    answered(page)
    shown = page.get_by_test_id("stExpander").locator("summary").all_inner_texts()
    told = [step for label in shown for step in STEPS if step in label]
    assert told == STEPS
    expect(page.locator(".answer")).to_contain_text(QUOTE)
    expect(page.get_by_text("sentences quoted from your documents")).to_have_count(1)

    # The words that are marked on the picture are the words that are quoted.
    page.locator(".answer").get_by_role("button", name="Show source 1").first.click()
    picture = page.get_by_alt_text("the quote highlighted")
    expect(picture).to_be_visible(timeout=_SLOW)
    source = picture.get_attribute("src")
    assert source is not None
    address = source if source.startswith("http") else running_app.url + source
    marked = highlighted(page.request.get(address).body())
    wanted = place_of(harbour, QUOTE)
    assert overlap(marked, wanted) > 0.8, f"marked {marked}, but the quote stands at {wanted}"

    page.get_by_role("button", name="After").click()
    expect(page.get_by_text("page 2 of 2")).to_be_visible()
    link = page.get_by_role("link", name="Open the document at this page")
    expect(link).to_have_attribute("href", re.compile("page=2"))
    link.click()
    expect(page).to_have_url(re.compile(r"/documents\?document=[0-9a-f]+&page=2"))
    expect(page.get_by_text("harbour.pdf").first).to_be_visible()

    page.go_back()
    page.get_by_role("button", name="Before").click()
    expect(page.get_by_text("page 1 of 2")).to_be_visible()
    expect(link).to_have_attribute("href", re.compile("page=1"))
    link.click()
    expect(page.get_by_text("The words quoted in the chat are marked")).to_be_visible()
    expect(page.locator(".reader .box.hit").first).to_be_visible()
    expect(page.locator(".reader mark.hit").first).to_contain_text("tidal range")
    page.get_by_role("link", name="Back to the chat").click()
    answered(page)

    away = [url for url in outside if not url.startswith((running_app.url, "data:", "blob:"))]
    assert not away, "the page asked the network for something"


@pytest.fixture
def chat(running_app: App, page: Page, harbour: Path) -> Page:
    """The Chat page over a library of one document."""
    take_in(running_app, harbour)
    open_page(page, running_app.url)
    return page


def test_details_of_a_step_open_and_stay_open(chat: Page) -> None:
    type_question(chat, "Are dogs allowed on the quay in summer?")
    answered(chat)
    chat.get_by_text("Found 1 passage").click()
    ranks = chat.get_by_text("search by meaning: ")
    expect(ranks).to_be_visible()
    # While the answer takes its final form the chart may stand there twice for a moment.
    expect(chat.locator(".js-plotly-plot")).to_have_count(1)
    expect(chat.locator(".js-plotly-plot")).to_be_visible()
    chat.locator(".answer").get_by_role("button", name="Show source 1").first.click()
    chat.get_by_text("The path through the graph").click()
    expect(chat.get_by_test_id("stGraphVizChart")).to_contain_text("Is every claim backed?")
    expect(ranks).to_be_visible()


def test_what_is_not_in_the_documents_is_not_answered(chat: Page) -> None:
    type_question(chat, "Who won the football world cup in 1998?")
    expect(chat.get_by_text("Not found in your documents")).to_be_visible(timeout=_SLOW)
    searched = chat.get_by_role("listitem").filter(has_text="Who won the football world cup")
    expect(searched).to_be_visible()
    expect(chat.get_by_text("The nearest passages")).to_have_count(0)
    expect(chat.locator(".answer")).to_have_count(0)


def test_input_is_free_after_answers_that_take_no_time(chat: Page) -> None:
    for number, greeting in enumerate(("Hello there!", "Hello again!", "Good morning"), start=1):
        type_question(chat, greeting)
        said = chat.get_by_role("heading", name="Only questions about your documents")
        expect(said).to_have_count(number, timeout=_SLOW)
        expect(chat.get_by_test_id("stChatInputTextArea")).to_be_enabled()
        expect(chat.get_by_role("button", name="New chat")).to_be_enabled()


def test_on_a_phone_the_evidence_stands_under_the_answer(chat: Page) -> None:
    chat.set_viewport_size({"width": 420, "height": 800})
    chat.reload()
    type_question(chat, "What is the tidal range of Saint Malo?")
    answered(chat)
    cited = chat.locator(".answer").get_by_role("button", name="Show source 1").first
    picture = chat.get_by_alt_text("the quote highlighted")
    expect(picture).to_have_count(1, timeout=_SLOW)
    cited.click()
    expect(picture).to_be_in_viewport(ratio=0.3)
    width = chat.evaluate("document.scrollingElement.scrollWidth")
    assert width <= 420, "the page must not scroll sideways"


Box = tuple[float, float, float, float]


def highlighted(png: bytes) -> Box:
    """Where the picture is yellow: shares of its width and height."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    mask = Image.new("L", image.size)
    mask.putdata(
        [255 if r > 200 and g > 150 and b < 190 else 0 for r, g, b in image.get_flattened_data()]
    )
    box = mask.getbbox()
    assert box is not None, "nothing is highlighted"
    width, height = image.size
    return box[0] / width, box[1] / height, box[2] / width, box[3] / height


def place_of(pdf: Path, quote: str) -> Box:
    """Where pdfium finds the quote on the first page."""
    page = pdfium.PdfDocument(pdf)[0]
    width, height = page.get_size()
    text = page.get_textpage()
    first, last = quote.split()[:4], quote.split()[-2:]
    boxes = []
    for words in (first, last):
        start, _ = text.search(" ".join(words)).get_next()
        boxes += [text.get_charbox(start + i) for i in range(len(" ".join(words)))]
    left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
    return left / width, 1 - top / height, right / width, 1 - bottom / height


def overlap(first: Box, second: Box) -> float:
    """The share of the second box's height that the first covers, where they share a width."""
    down = min(first[3], second[3]) - max(first[1], second[1])
    across = min(first[2], second[2]) - max(first[0], second[0])
    return down / (second[3] - second[1]) if across > 0 else 0.0
