"""Chunks follow the text and know where they stand."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from selfrag.documents.chunking import chunk
from selfrag.documents.reading import read_pdf
from selfrag.pages import Chunk, Heading, Page, PageKind, Reading
from tests.support.pdf_factory import make_pdf


def reading_of(*texts: str, outline: tuple[Heading, ...] = (), language: str = "en") -> Reading:
    pages = tuple(
        Page(i, PageKind.TEXT, text, ((0, len(text)),) if text.strip() else ())
        for i, text in enumerate(texts, start=1)
    )
    return Reading(pages, outline=outline, language=language)


def squashed(text: str) -> str:
    return "".join(text.split())


def at_spans(reading: Reading, one: Chunk) -> str:
    return "".join(reading.pages[s.page - 1].text[s.start : s.end] for s in one.spans)


words = st.text(st.sampled_from("abcdefgéñ漢字א.,!? -"), min_size=1, max_size=14)
paragraphs = st.lists(words, min_size=1, max_size=40).map(" ".join)
texts = st.lists(paragraphs, max_size=6).map("\n\n".join) | st.lists(words).map("\n".join)


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    pages = []
    for number, text in enumerate(draw(st.lists(texts, max_size=5)), start=1):
        borders = sorted(draw(st.lists(st.integers(0, len(text)), max_size=4, unique=True)))
        borders = borders[: len(borders) // 2 * 2]
        body = tuple(zip(borders[::2], borders[1::2], strict=True)) or ((0, len(text)),)
        pages.append(Page(number, PageKind.TEXT, text, body))
    return Reading(tuple(pages), language=draw(st.sampled_from(["en", "pt", "zh", None])))


@settings(max_examples=60, deadline=None)
@given(readings(), st.integers(1, 80), st.floats(0, 0.9), st.integers(0, 200))
def test_chunks_cover_the_body_and_their_spans_say_their_text(
    reading: Reading, size: int, share: float, more: int
) -> None:
    parents, children = chunk(
        "hash",
        reading,
        chunk_size=size,
        chunk_overlap=int(share * (size - 1)),
        parent_chunk_size=size + more,
    )
    by_id = {parent.id: parent for parent in parents}
    for one in (*parents, *children):
        assert one.text == one.text.strip() != ""
        assert squashed(at_spans(reading, one)) == squashed(one.text)
        assert len(one.text) == one.end - one.start <= (size if one.parent_id else size + more)
    for child in children:
        parent = by_id[child.parent_id or ""]
        assert parent.start <= child.start < child.end <= parent.end
    for level in (parents, children):
        assert [one.position for one in level] == list(range(len(level)))
        seen = {
            (span.page, i)
            for one in level
            for span in one.spans
            for i in range(span.start, span.end)
        }
        wanted = {
            (page.number, i)
            for page in reading.pages
            for a, b in page.body
            for i in range(a, b)
            if not page.text[i].isspace()
        }
        # a hyphen that only breaks a word over a page's end is the one thing left out
        lost = wanted - seen
        assert all(reading.pages[p - 1].text[i] in "-\u00ad" for p, i in lost)
    assert len({one.id for one in (*parents, *children)}) == len(parents) + len(children)
    for before, after in pairwise(parents):
        assert before.end <= after.start


def test_same_reading_gives_same_ids_and_another_file_others() -> None:
    reading = reading_of("One sentence here. " * 100)
    assert chunk("a", reading) == chunk("a", reading)
    ours = {one.id for level in chunk("a", reading) for one in level}
    theirs = {one.id for level in chunk("b", reading) for one in level}
    assert not ours & theirs


def test_borders_fall_behind_paragraphs_then_sentences_then_words() -> None:
    sentence = "The ship left the harbour at noon and came back. "
    first, second = (sentence * 8).strip(), (sentence * 30).strip()
    parents, children = chunk("h", reading_of(f"{first}\n\n{second}"))
    assert children[0].text == first
    assert all(child.text.endswith("back.") for child in children)
    assert all(child.text.startswith("The ship") for child in children)
    one_long = "word " * 400
    parents, children = chunk("h", reading_of(one_long))
    for one in (*parents, *children):
        assert set(one.text.split()) == {"word"}


def test_children_overlap_by_whole_sentences() -> None:
    sentences = [f"Sentence number {n} tells of the harbour." for n in range(60)]
    _, children = chunk("h", reading_of(" ".join(sentences)), parent_chunk_size=3_000)
    for before, after in pairwise(children):
        assert 0 < before.end - after.start <= 150
        assert after.text.startswith("Sentence number")


def test_a_word_longer_than_a_chunk_is_the_only_one_cut() -> None:
    long = "x" * 1_500
    _, children = chunk("h", reading_of(f"short words {long} and more"), chunk_overlap=0)
    assert "".join(child.text for child in children).replace(" ", "").count("x") == 1_500
    assert any(child.text.endswith("and more") for child in children)


def test_paragraph_over_a_page_border_is_whole_and_spans_name_both_pages() -> None:
    reading = reading_of("It was the longest night that the old har-", "bour had ever seen.")
    (parent,), (child,) = chunk("h", reading)
    assert child.text == "It was the longest night that the old harbour had ever seen."
    assert list(child.pages) == [1, 2]
    assert child.spans[0].end == len(reading.pages[0].text) - 1
    assert parent.text == child.text


def test_paragraphs_of_two_pages_stay_apart_where_the_first_ends() -> None:
    (parent,), _ = chunk("h", reading_of("It ended there.", "Something new began."))
    assert parent.text == "It ended there.\n\nSomething new began."


def test_running_heads_are_in_no_chunk() -> None:
    page = Page(1, PageKind.TEXT, "ACME report\n\nThe harbour.\n\n7", ((13, 25),))
    parents, children = chunk("h", Reading((page,)))
    assert [one.text for one in (*parents, *children)] == ["The harbour.", "The harbour."]
    assert children[0].spans[0].start == 13


def test_heading_travels_with_chunks_and_is_not_left_behind() -> None:
    fill = "The ship left the harbour at noon and came back. " * 11
    text = f"Part one\n\n{fill.strip()}\n\nPart two\n\n{fill.strip()}"
    outline = (Heading("Part one", 1), Heading("Part two", 1))
    _, children = chunk("h", reading_of(text, outline=outline))
    assert {child.heading for child in children} == {"Part one", "Part two"}
    for child in children:
        assert not child.text.endswith("Part two")
    first = next(child for child in children if child.heading == "Part two")
    assert first.text.startswith("Part two")


def test_text_before_the_first_heading_has_none() -> None:
    reading = reading_of("A foreword.", "Part one\n\nText.", outline=(Heading("Part one", 2),))
    _, children = chunk("h", reading, chunk_size=20, chunk_overlap=0, parent_chunk_size=20)
    assert [child.heading for child in children] == [None, "Part one"]


def test_nothing_gives_no_chunks() -> None:
    assert chunk("h", Reading(())) == ([], [])
    assert chunk("h", reading_of("", " \n ")) == ([], [])


@pytest.mark.parametrize("sizes", [(600, 600, 1200), (600, -1, 1200), (600, 100, 500)])
def test_impossible_sizes_are_refused(sizes: tuple[int, int, int]) -> None:
    size, overlap, parent = sizes
    with pytest.raises(ValueError):
        chunk(
            "h", reading_of("x"), chunk_size=size, chunk_overlap=overlap, parent_chunk_size=parent
        )


def test_chunks_of_a_real_pdf_stand_where_they_say(tmp_path: Path) -> None:
    fill = "The ship left the harbour at noon and came back before the tide turned. " * 25
    path = make_pdf(tmp_path / "a.pdf", [f"# Ships\n\n{fill}", fill, fill], footer="Page {n}")
    reading = read_pdf(path)
    parents, children = chunk("h", reading)
    assert len(parents) > 3
    for one in (*parents, *children):
        assert squashed(at_spans(reading, one)) == squashed(one.text)
        assert not re.search(r"Page \d", one.text)
