"""Gold passages: pages, sentences and labels, found in a library of real PDFs."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.gold import GoldFinder
from selfrag.evaluation.answers.questions import Question, QuestionSet
from selfrag.records.labels import Relevance
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from tests.interfaces.conftest import LEAVE, ROYALTY


@pytest.fixture
def rag(library: Callable[..., SelfRag]) -> SelfRag:
    return library()


@pytest.fixture
def finder(rag: SelfRag) -> GoldFinder:
    return GoldFinder(rag.ready(), rag.chunks, rag.funnel, rag.index, rag.labels.of)


def asked(*gold: str, question: str = "How much is the royalty?") -> Question:
    return Question("q", question, "", gold=gold)


@pytest.mark.parametrize(
    "written",
    [
        "handbook.pdf, page 2",
        "Handbook p. 2",
        "handbook.pdf#page=2",
        "handbook.pdf (p 2)",
        "handbook.pdf; pg. 2",
        ROYALTY,
        "“The patent royalty amounts to five",
        ROYALTY.upper(),
    ],
)
def test_page_and_sentence_lead_to_the_passage(finder: GoldFinder, written: str) -> None:
    gold = finder.find(asked(written))
    assert gold.missing == ()
    assert any(ROYALTY in hit.parent_text for hit in gold.hits)
    assert not any(LEAVE in hit.parent_text for hit in gold.hits)


@pytest.mark.parametrize(
    "written", ["other.pdf, page 1", "handbook.pdf, page 9", "The royalty is six percent of sales."]
)
def test_what_the_library_does_not_hold_is_told(finder: GoldFinder, written: str) -> None:
    gold = finder.find(asked(written))
    assert gold.hits == () and gold.missing == (written,)


def test_several_are_taken_together_and_none_twice(finder: GoldFinder) -> None:
    gold = finder.find(asked(ROYALTY, "handbook, page 2", LEAVE, "nowhere.pdf, page 1"))
    assert len(gold.hits) == len(gold.parents)
    texts = " ".join(hit.parent_text for hit in gold.hits)
    assert ROYALTY in texts and LEAVE in texts
    assert gold.missing == ("nowhere.pdf, page 1",)


def test_labels_of_the_compare_page_are_gold_where_the_file_names_none(
    rag: SelfRag, finder: GoldFinder
) -> None:
    question = "How much is the royalty?"
    assert finder.find(asked()).hits == ()
    hits = {hit.text.split(".")[0]: hit for hit in rag.retrieve("royalty leave", Mode.BM25).hits}
    right = next(hit for hit in hits.values() if ROYALTY in hit.text)
    wrong = next(hit for hit in hits.values() if LEAVE in hit.text)
    rag.labels.put(question, right, Relevance.PARTLY)
    rag.labels.put(question, wrong, Relevance.NOT)
    assert finder.find(asked()).parents == {right.parent_id}
    assert finder.find(asked(LEAVE)).parents == {wrong.parent_id}, "the file goes before labels"


def test_search_finds_the_gold_passage_by_the_passage_that_is_read(
    rag: SelfRag, questions: QuestionSet
) -> None:
    choice = AnswerChoice(strategies=("plain",), rounds=1)
    one = replace(questions, questions=questions.questions[:1])
    (row,) = rag.answers.measure(one, choice).study.rows
    assert row.evidence is True
    elsewhere = replace(one.questions[0], gold=("The committee meets on the first",))
    (row,) = rag.answers.measure(replace(one, questions=(elsewhere,)), choice).study.rows
    assert row.evidence is True
    nowhere = replace(one.questions[0], gold=("nowhere.pdf, page 1",))
    study = rag.answers.measure(replace(one, questions=(nowhere,)), choice).study
    assert study.rows[0].evidence is None
    assert any("is not in your library, such as “nowhere.pdf" in note for note in study.notes)
