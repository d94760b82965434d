"""What heads an answer, its steps and their colours agree, and only what was checked is green."""

from pathlib import Path

import pytest

from selfrag.reflection.events import QueryRewritten, UsefulnessGraded
from selfrag.reflection.explain import tone
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import RelevanceGrade, Rewrite, Support, UsefulnessGrade
from selfrag.reflection.roles import Turn
from selfrag.reflection.story import tell, verdict
from selfrag.reflection.strategy import Shape
from selfrag.service import SelfRag
from selfrag.ui.verdict import remark_of
from tests.reflection.scripted import ScriptedJudge, ScriptedSearch, make_run
from tests.support.pdf_factory import make_pdf

WAIT = 20
FOLLOW_UP = Shape(follow_up=True)
BEFORE = (Turn("What is a trace?", "A path."),)


@pytest.mark.parametrize(
    ("grade", "title", "head", "step", "colour"),
    [
        (UsefulnessGrade(True, 5), "Answered and grounded", "good", "answers the", "good"),
        (
            UsefulnessGrade(True, 4, "Likely.", probability=0.84, perhaps=True),
            "may be the answer",
            "fair",
            "may answer the",
            "fair",
        ),
        (UsefulnessGrade(True, 5, probability=0.85), "Answered and", "good", "answers the", "good"),
        (UsefulnessGrade(False, 3), "only part of", "fair", "only a part of", "fair"),
        (UsefulnessGrade(False, 2), "Not found", "fair", "misses the", "bad"),
        (UsefulnessGrade(None, error="no reply"), "not checked", "fair", "Could not check", "fair"),
        (UsefulnessGrade(None), "not checked", "fair", "for you to say", None),
    ],
)
def test_headline_and_step_agree(grade, title, head, step, colour):
    run = make_run(ScriptedJudge(useful=lambda _: grade))
    said = verdict(run.result(WAIT))
    graded = next(event for event in run.log.kept() if isinstance(event, UsefulnessGraded))
    assert title in said.title
    assert said.tone == head
    assert step in tell(graded)
    assert tone(graded) == colour


def test_partial_answer_says_what_it_lacks_and_why_the_search_ended():
    partial = UsefulnessGrade(False, 3, "It does not mention the year.")
    judge = ScriptedJudge(useful=lambda _: partial, rewriting=lambda _: Rewrite(None))
    end = make_run(judge).result(WAIT)
    assert end.reason.startswith("It does not mention the year; another search could change")
    spent = make_run(ScriptedJudge(useful=lambda _: partial), max_retries=2).result(WAIT)
    assert spent.reason.endswith("2 further searches found nothing better")
    none = make_run(ScriptedJudge(useful=lambda _: partial), max_retries=0).result(WAIT)
    assert none.reason.endswith("no retry of the search is allowed")


@pytest.mark.parametrize(
    ("search_ends", "retries", "offered"), [(False, 1, True), (False, 0, True), (True, 3, False)]
)
def test_more_retries_are_offered_only_where_they_could_change_something(
    search_ends: bool, retries: int, offered: bool
):
    judge = ScriptedJudge(
        support=lambda _: Support.NOT,
        useful=lambda _: UsefulnessGrade(False, 1),
        rewriting=lambda n: Rewrite(None if search_ends else f"query {n}"),
    )
    run = make_run(judge, max_retries=retries)
    assert run.result(WAIT).status == "unsupported"
    view = RunView.of(run.log.kept())
    assert view.could_retry is offered
    assert ("allow more retries" in remark_of(view)) is offered


def test_question_by_itself_is_tried_where_the_completed_one_finds_nothing():
    search = ScriptedSearch()
    asked = "And how are nested trees recorded?"
    judge = ScriptedJudge(relevance=lambda n: RelevanceGrade(n > 2))
    run = make_run(judge, search=search, question=asked, shape=FOLLOW_UP, history=BEFORE)
    end = run.result(WAIT)
    assert search.queries == [f"{asked} (of the law)", asked]
    assert end.status == "answered"
    rewritten = next(event for event in run.log.kept() if isinstance(event, QueryRewritten))
    assert rewritten.by_itself
    assert tell(rewritten) == f"Searched for the question by itself: “{asked}”"
    assert "rewrite" not in judge.asked  # no model is asked for what the person wrote


def test_passages_are_graded_anew_for_the_question_by_itself():
    search = ScriptedSearch(names=lambda _: ["a", "b"])
    judge = ScriptedJudge(relevance=lambda n: RelevanceGrade(n > 2))
    asked = "And how are nested trees recorded?"
    run = make_run(judge, search=search, question=asked, shape=FOLLOW_UP, history=BEFORE)
    assert run.result(WAIT).status == "answered"
    assert judge.graded == ["parent-a", "parent-b"] * 2


@pytest.mark.parametrize(("question", "retries"), [("Why?", 3), ("And how are trees kept?", 0)])
def test_question_is_not_tried_by_itself_where_it_says_nothing_or_no_retry_is_left(
    question: str, retries: int
):
    search = ScriptedSearch()
    judge = ScriptedJudge(relevance=lambda _: RelevanceGrade(False))
    run = make_run(
        judge,
        search=search,
        question=question,
        shape=FOLLOW_UP,
        history=BEFORE,
        max_retries=retries,
    )
    assert run.result(WAIT).status == "abstained"
    assert question not in search.queries


@pytest.mark.parametrize(
    ("question", "documents", "asks_which"),
    [
        ("Summarize the document", 16, True),
        ("What is this about?", 2, True),
        ("Resuma o documento", 2, True),
        ("Summarize the document", 1, False),
        ("Summarize the document", None, False),
        ("What are these documents about?", 16, False),
        ("Summarize the rules on parking", 16, False),
    ],
)
def test_overview_of_one_document_among_several_asks_which(
    question: str, documents: int | None, asks_which: bool
):
    search = ScriptedSearch()
    run = make_run(search=search, question=question, documents=documents)
    end = run.result(WAIT)
    assert end.unclear is asks_which
    assert (search.queries == []) is asks_which
    if asks_which:
        assert end.status == "abstained"
        assert verdict(end).title == "Which document do you mean?"
        assert f"{documents} are searched" in end.reason
        assert end.answer.startswith("Choose the document")


@pytest.mark.parametrize(
    ("question", "told_of"),
    [
        ("Summarize the harbour report", ["harbour-2024.pdf"]),
        ("What is the harbour document about?", ["harbour-2024.pdf"]),
        ("Summarize the report", None),  # a kind of document, and no name
        ("Summarize the annual report", None),  # no name says so
    ],
)
def test_overview_is_of_the_document_that_the_question_names(
    rag: SelfRag, tmp_path: Path, question: str, told_of: list[str] | None
):
    texts = {
        "harbour-2024.pdf": "The harbour handled nine ships. A crane was bought.",
        "school-report.pdf": "The school has four classes. A roof was mended.",
    }
    for name, text in texts.items():
        list(rag.ingest([make_pdf(tmp_path / name, [text])]))
    end = rag.start(question).result(WAIT)
    assert end.unclear is (told_of is None)
    assert sorted({it.document for it in end.citations}) == (told_of or [])
