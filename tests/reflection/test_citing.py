"""Every mark points to the page and the words that back the claim it stands behind."""

import pytest

from selfrag.pages import Span
from selfrag.reflection.citing import cite
from selfrag.reflection.events import ClaimGrade, ContextPassage, Generated, RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Claim, Support, SupportGrade
from selfrag.reflection.roles import Passage
from selfrag.reflection.sources import sources
from selfrag.reflection.state import Attempt
from selfrag.retrieval.result import Hit

FIRST, SECOND = "The panels cost 164,000 euros.", "The members approved them with 49 votes."
FULLY = Support.FULLY


def passage(number: int, *pages: str) -> Passage:
    """A passage that begins on page 2, with the text of each further page behind it."""
    spans = tuple(Span(2 + at, 0, len(text)) for at, text in enumerate(pages))
    hit = Hit(
        1, f"c{number}", "d", "minutes.pdf", 2, pages[0], spans[:1], f"p{number}",
        "\n".join(pages), spans,
    )  # fmt: skip
    return Passage(number, hit, hit.parent_text, 0.9)


OVER_A_BREAK = passage(1, FIRST, SECOND)


def locate(hit: Hit, quote: str) -> tuple[int, str | None]:
    lines = hit.parent_text.split("\n")
    at = next((i for i, line in enumerate(lines) if quote.casefold() in line.casefold()), 0)
    return hit.parent_spans[at].page, None


def cited(answer: str, *claims: Claim, passages: tuple[Passage, ...] = (OVER_A_BREAK,)):
    grade = SupportGrade(FULLY, "", claims)
    text, citations, removed = cite(Attempt(1, answer, passages, support=grade), locate)
    return text, [(it.number, it.page, it.quote) for it in citations], removed


def test_passage_over_a_page_break_is_cited_on_both_pages():
    text, found, _ = cited(
        f"{FIRST} [Doc 1] {SECOND} [Doc 1]",
        Claim(FIRST, FULLY, 1, FIRST),
        Claim(SECOND, FULLY, 1, SECOND),
    )
    assert text == f"{FIRST} [1] {SECOND} [2]"
    assert found == [(1, 2, FIRST), (2, 3, SECOND)]


def test_numbers_follow_the_answer_and_not_the_document():
    text, found, _ = cited(
        f"{SECOND} [Doc 1] {FIRST} [Doc 1]",
        Claim(SECOND, FULLY, 1, SECOND),
        Claim(FIRST, FULLY, 1, FIRST),
    )
    assert text == f"{SECOND} [1] {FIRST} [2]"
    assert found == [(1, 3, SECOND), (2, 2, FIRST)]


def test_claims_with_the_same_quote_share_a_number():
    text, found, _ = cited(
        "They are paid for [Doc 1]. It was dear [Doc 1].",
        Claim("They are paid for.", FULLY, 1, FIRST),
        Claim("It was dear.", Support.PARTIALLY, 1, FIRST.upper()),
    )
    assert text == "They are paid for [1]. It was dear [1]."
    assert found == [(1, 2, FIRST)]


def test_one_mark_behind_two_claims_points_to_both_quotes():
    text, found, _ = cited(
        f"{FIRST} {SECOND} [Doc 1]", Claim(FIRST, FULLY, 1, FIRST), Claim(SECOND, FULLY, 1, SECOND)
    )
    assert text == f"{FIRST} {SECOND} [1][2]"
    assert [page for _, page, _ in found] == [2, 3]


def test_claim_told_in_other_words_goes_to_the_mark_it_shares_words_with():
    text, found, _ = cited(
        "The price is 164,000 euros [Doc 1]. A majority of 49 votes agreed [Doc 1].",
        Claim("Those 49 votes were a majority that agreed.", FULLY, 1, SECOND),
        Claim("164,000 euros is the price.", FULLY, 1, FIRST),
    )
    assert text == "The price is 164,000 euros [1]. A majority of 49 votes agreed [2]."
    assert found == [(1, 2, FIRST), (2, 3, SECOND)]


def test_mark_without_a_quote_stands_for_its_passage():
    text, found, _ = cited(
        f"Nobody knows [Doc 1]. {SECOND} [Doc 1]",
        Claim("Nobody knows.", Support.NOT),
        Claim(SECOND, FULLY, 1, SECOND),
    )
    assert text == f"Nobody knows [1]. {SECOND} [2]"
    assert found == [(1, 2, FIRST), (2, 3, SECOND)]


def test_backed_claim_without_a_mark_is_given_one_and_a_wrong_one_is_completed():
    other = passage(2, "The weather was fine.")
    text, found, _ = cited(
        f"{FIRST} [Doc 2] {SECOND}",
        Claim(FIRST, FULLY, 1, FIRST),
        Claim(SECOND, FULLY, 1, SECOND),
        passages=(OVER_A_BREAK, other),
    )
    assert text == f"{FIRST} [1][2] {SECOND.rstrip('.')} [3]."
    assert found == [(1, 2, "The weather was fine."), (2, 2, FIRST), (3, 3, SECOND)]


@pytest.mark.parametrize("marks", ["[Doc 7] [Doc 1]", "[Doc 1][Doc 7]"])
def test_mark_of_no_passage_is_removed_and_numbers_stay_consecutive(marks: str):
    text, found, removed = cited(f"{SECOND} {marks}", Claim(SECOND, FULLY, 1, SECOND))
    assert (text.split(), removed) == (f"{SECOND} [1]".split(), 1)
    assert [number for number, _, _ in found] == [1]


def test_evidence_shows_each_quote_with_its_own_number_and_page():
    claims = (Claim(FIRST, FULLY, 1, FIRST), Claim(SECOND, FULLY, 1, SECOND))
    attempt = Attempt(
        1,
        f"{FIRST} [Doc 1] {SECOND} [Doc 1]",
        (OVER_A_BREAK,),
        support=SupportGrade(FULLY, "", claims),
    )
    answer, citations, _ = cite(attempt, locate)
    end = _end(answer, citations, claims)
    view = _view(end)
    assert [(it.number, it.page, it.quotes) for it in sources(view)] == [
        (1, 2, (FIRST,)),
        (2, 3, (SECOND,)),
    ]
    # A log of before has one citation for the passage; what else it backs is not lost.
    (only,) = sources(_view(end.model_copy(update={"citations": citations[:1]})))
    assert only.quotes == (FIRST, SECOND)


def _end(answer, citations, claims) -> RunFinished:
    graded = [
        ClaimGrade(text=it.text, support=it.support, document=1, quote=it.quote) for it in claims
    ]
    return RunFinished(
        status="answered", answer=answer, support=FULLY, useful=True, retries=0,
        citations=citations, claims=graded, attempt=1,
    )  # fmt: skip


def _view(end: RunFinished) -> RunView:
    hit = OVER_A_BREAK.hit
    given = ContextPassage(
        number=1, chunk_id=hit.chunk_id, document_id="d", document=hit.document, page=2,
        text=hit.parent_text, relevance=0.9,
    )  # fmt: skip
    written = Generated(attempt=1, answer=end.answer, context=[given])
    return RunView.of([written, end])
