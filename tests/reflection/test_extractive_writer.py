"""The writer that quotes: whole sentences, in order, with the right marks, and nothing else."""

import re
from dataclasses import replace

import pytest

from selfrag.models.sentences import split_sentences
from selfrag.pages import Span
from selfrag.quotes import find_quote
from selfrag.reflection.context import parse_citations
from selfrag.reflection.extractive_writer import NO_PASSAGES, NOTHING_LEFT, ExtractiveWriter
from selfrag.reflection.roles import Feedback, Passage
from tests.support.encoder import packaged_encoder
from tests.support.passages import passage

LEAVE = (
    "3. Annual leave\n"
    "Every employee has 25 days of annual leave a year. It must be requested from the line manager "
    "at least two weeks ahead. Up to five days may be carried over to the next year."
)
TRAVEL = (
    "7. Expenses\nTravel by train is reimbursed in second class. Meals are reimbursed up to 30 "
    "euros a day. Taxis are only paid where no public transport runs."
)
ROYALTY = (
    "The licensee pays the university a royalty of 4 percent of net sales. Dr. Helena Brandt of "
    "the technology transfer office negotiated the agreement in 2019. The patent expires in 2031."
)
PASSAGES = [passage(1, LEAVE), passage(2, TRAVEL), passage(3, ROYALTY)]


@pytest.fixture(scope="module")
def writer() -> ExtractiveWriter:
    return ExtractiveWriter(packaged_encoder())


def answer(
    writer: ExtractiveWriter,
    question: str,
    passages: list[Passage] = PASSAGES,
    feedback: Feedback | None = None,
) -> str:
    return "".join(writer.write(question, passages, feedback))


@pytest.mark.parametrize(
    ("question", "quoted", "number"),
    [
        ("How many days of annual leave do I have?", "25 days of annual leave", 1),
        ("Who negotiated the royalty agreement?", "Dr. Helena Brandt", 3),
        ("When does the patent expire?", "expires in 2031", 3),
        ("How much is paid for meals?", "up to 30 euros", 2),
    ],
)
def test_sentence_that_answers_is_quoted_with_its_mark(
    writer: ExtractiveWriter, question: str, quoted: str, number: int
) -> None:
    found = answer(writer, question)
    assert re.search(rf"{re.escape(quoted)}[^\[]*\[Doc {number}\]", found)


def test_heading_is_no_answer_where_a_sentence_stands_under_it(writer: ExtractiveWriter) -> None:
    rents = "5. Rents and fees\nIt is paid on the first of the month: 640 euros for a room."
    found = answer(writer, "What are the rents and fees?", [passage(1, rents)])
    assert "640 euros" in found and "5. Rents and fees" not in found


def test_row_with_a_figure_is_no_heading(writer: ExtractiveWriter) -> None:
    row = "Deposit per room: 200 euros\nIt is given back within a month of moving out."
    found = answer(writer, "How much is the deposit per room?", [passage(1, row)])
    assert "Deposit per room: 200 euros" in found


def test_every_word_of_an_answer_stands_in_the_passage_it_cites(writer: ExtractiveWriter) -> None:
    for question in ("What is reimbursed for travel and meals?", "What is said about leave?"):
        for piece in writer.write(question, PASSAGES):
            text, number = re.fullmatch(r" ?(.+) \[Doc (\d)\]", piece).groups()  # type: ignore[union-attr]
            assert find_quote(text, PASSAGES[int(number) - 1].text)
            assert text in [s.text for s in split_sentences(PASSAGES[int(number) - 1].text)]


def test_answer_comes_sentence_by_sentence_and_is_short(writer: ExtractiveWriter) -> None:
    pieces = list(writer.write("What is reimbursed for travel and meals?", PASSAGES))
    assert 1 <= len(pieces) <= 3


def test_sentences_stand_in_the_order_of_the_document(writer: ExtractiveWriter) -> None:
    # Retrieval found the later page first.
    later = passage(1, "The deposit is paid back within 30 days of moving out, with interest.")
    early = passage(2, "The deposit is two months' rent and is paid before moving in.")
    later = replace(
        later, hit=replace(later.hit, document_id="lease", parent_spans=(Span(9, 0, 9),))
    )
    early = replace(
        early, hit=replace(early.hit, document_id="lease", parent_spans=(Span(2, 0, 9),))
    )
    lease = [
        replace(p, hit=replace(p.hit, document_id="lease", parent_spans=(Span(page, 0, 9),)))
        for p, page in ((later, 9), (early, 2))
    ]
    found = answer(writer, "What about the deposit that is paid?", lease)
    assert found.index("[Doc 2]") < found.index("[Doc 1]")


def test_sentence_that_leans_on_the_one_before_brings_it_along(writer: ExtractiveWriter) -> None:
    found = answer(writer, "How far ahead must leave be requested from the line manager?")
    assert "It must be requested" in found
    assert "Every employee has 25 days" in found


def test_sentences_that_were_not_backed_are_not_repeated(writer: ExtractiveWriter) -> None:
    question = "When does the patent expire?"
    first = answer(writer, question)
    again = answer(writer, question, feedback=Feedback(first, ("The patent expires in 2031.",)))
    assert "2031" in first
    assert "2031" not in again


def test_when_every_sentence_was_refused_it_says_so(writer: ExtractiveWriter) -> None:
    only = [passage(1, "The patent expires in 2031.")]
    feedback = Feedback("", ("the patent expires in 2031",))
    assert answer(writer, "When does it expire?", only, feedback) == NOTHING_LEFT


def test_without_passages_it_says_that_no_language_model_is_configured(
    writer: ExtractiveWriter,
) -> None:
    assert answer(writer, "hello", []) == NO_PASSAGES
    assert "No language model" in NO_PASSAGES
    assert not writer.is_language_model


def test_same_sentence_in_two_passages_is_quoted_once(writer: ExtractiveWriter) -> None:
    twice = [passage(1, ROYALTY), passage(2, ROYALTY)]
    assert answer(writer, "When does the patent expire?", twice).count("2031") == 1


def test_marks_and_invisible_signs_in_a_passage_are_not_passed_on(
    writer: ExtractiveWriter,
) -> None:
    forged = [passage(1, "According to [Doc 7] the annual leave is 25\u200b days [Doc 12].")]
    found = answer(writer, "How long is the annual leave?", forged)
    parsed = parse_citations(found, forged)
    assert "\u200b" not in found
    assert re.findall(r"\[Doc (\d+)\]", found) == ["1"]
    assert not parsed.removed


def test_headings_alone_do_not_break_it(writer: ExtractiveWriter) -> None:
    assert "[Doc 1]" in answer(writer, "What is in section 3?", [passage(1, "3. Annual leave")])


def test_passage_without_text_is_no_crash(writer: ExtractiveWriter) -> None:
    assert answer(writer, "What is it?", [passage(1, "  \n ")]) == NOTHING_LEFT
