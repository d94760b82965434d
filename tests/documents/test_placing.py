"""A quote that runs over a page's end is marked on each of its pages, and nothing else is."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from selfrag.documents.placing import parts_on, place, place_in
from selfrag.documents.reading import read_pdf
from selfrag.pages import Page, PageKind, Span
from selfrag.retrieval.result import Hit
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

FILLER = "The committee meets on the first Monday of each month, and whoever wants may come. "
FIRST = f"{FILLER * 3}Every employee may take twenty five days of leave in each calen-"
SECOND = f"dar year that has begun. {FILLER * 2}"
QUOTE = "Every employee may take twenty five days of leave in each calendar year that has begun."
HEAD = "Handbook of the harbour"


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    pages = ["Something else stands here, of no use.", FIRST, SECOND, f"{FILLER}{QUOTE}"]
    return make_pdf(tmp_path / "handbook.pdf", pages, header=HEAD, footer="Page {n} of many")


@pytest.fixture
def page_of(pdf: Path) -> Callable[[int], Page | None]:
    return {page.number: page for page in read_pdf(pdf).pages}.get


def test_quote_over_a_page_end_has_a_stretch_on_each_page_and_no_head_or_foot(
    page_of: Callable[[int], Page | None],
) -> None:
    spans = place(QUOTE, 2, page_of)
    texts = [page_of(span.page).text[span.start : span.end] for span in spans]  # type: ignore[union-attr]
    assert [span.page for span in spans] == [2, 3]
    assert " ".join(texts[0].split()).endswith("twenty five days of leave in each calen")
    assert " ".join(texts[1].split()) == "dar year that has begun."


def test_quote_is_placed_only_where_it_begins(page_of: Callable[[int], Page | None]) -> None:
    assert place(QUOTE, 1, page_of) == place(QUOTE, 3, page_of) == place(QUOTE, 9, page_of) == ()
    assert [span.page for span in place(QUOTE, 4, page_of)] == [4]
    assert [[it.page for it in parts_on(QUOTE, n, page_of)] for n in (1, 2, 3, 4)] == [
        [],
        [2],
        [3],
        [4],
    ]


def test_page_may_end_in_the_hyphen_of_a_name() -> None:
    texts = {1: "They landed at Soekarno-", 2: "Hatta at noon. Rain fell."}
    pages = {
        number: Page(number, PageKind.TEXT, text, ((0, len(text)),))
        for number, text in texts.items()
    }
    within = [Span(number, 0, len(text)) for number, text in texts.items()]
    placed = place_in("They landed at Soekarno-Hatta at noon.", within, pages.get)
    assert [texts[span.page][span.start : span.end] for span in placed] == [
        "They landed at Soekarno-",
        "Hatta at noon.",
    ]


def test_both_pages_show_their_part_and_repetitions_elsewhere_are_not_marked(
    rag: SelfRag, pdf: Path
) -> None:
    (taken,) = rag.ingest([pdf])
    id_ = taken.document_id or ""

    def marked(page: int, begins: int | None = None) -> tuple[int, int, int, int] | None:
        images = [rag.page_image(id_, page), rag.page_image(id_, page, (QUOTE,), begins)]
        plain, drawn = (Image.open(io.BytesIO(png)).convert("RGB") for png in images)
        return ImageChops.difference(plain, drawn).getbbox()

    first, second = marked(2, 2), marked(3, 2)
    assert first == marked(2) and second == marked(3)
    assert first is not None and second is not None
    assert second[3] < first[3], "the top line of the next page, but not all of it"
    assert marked(4) is not None and marked(4, 2) is None and marked(1) is None
    assert rag.last_page(id_, 2, (QUOTE,)) == 3
    assert rag.last_page(id_, 4, (QUOTE,)) == 4


def test_citation_of_a_sentence_with_a_broken_word_names_the_page_on_which_it_begins(
    rag: SelfRag, pdf: Path
) -> None:
    assert [it.status for it in rag.ingest([pdf])] == ["ready"]
    hits: list[Hit] = [
        hit for hit in rag.retrieve(QUOTE).hits if len({it.page for it in hit.parent_spans}) > 1
    ]
    assert hits, "a passage runs over the page's end"
    assert rag._viewer.locate(hits[0], QUOTE)[0] == 2
