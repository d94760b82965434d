"""Suggested questions are made from what stands in the documents, and can be answered."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.documents.samples import sample_files
from selfrag.pages import Heading, Page, PageKind
from selfrag.records.documents import DocumentRecord, State
from selfrag.reflection.questions import questions_in
from selfrag.reflection.suggesting import MOST, by_language, candidates
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The guest flat costs 38 euros a night.", "How much does the guest flat cost?"),
        ("The collection holds 12,400 objects.", "How many objects does the collection hold?"),
        ("The hopper holds 250 grams of beans.", "How much does the hopper hold?"),
        ("The solar panels cost 164,000 euros.", "How much do the solar panels cost?"),
        ("The summer party is held on 11 July.", "When is the summer party held?"),
        ("The waiting time lasts three weeks.", "How long does the waiting time last?"),
        ("A photon is a particle that has no mass.", "What is a photon?"),
        ("The tidal range is about 13 metres.", "What is the tidal range?"),
        ("The lighthouse was built in 1823.", "When was the lighthouse built?"),
        ("The docket contains all comments.", "What does the docket contain?"),
        ("LayoutParser provides a toolkit.", "What does LayoutParser provide?"),
    ],
)
def test_sentence_makes_the_question_that_it_answers(sentence: str, question: str):
    assert list(questions_in(sentence, "en")) == [(question, sentence)]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A festa da colheita é no segundo sábado.", "Quando é a festa da colheita?"),
        ("O passe anual custa 60 reais.", "Quanto custa o passe anual?"),
        ("O sistema do Git foi criado no ano de 2005.", "Quando foi criado o sistema do Git?"),
        ("A trava serve para fechar o portão.", "Para que serve a trava?"),
        ("O GitHub é um serviço de hospedagem.", "O que é o GitHub?"),
        ("O zelador chama-se Osvaldo Pereira.", "Como se chama o zelador?"),
    ],
)
def test_portuguese_makes_portuguese(sentence: str, question: str):
    assert list(questions_in(sentence, "pt")) == [(question, sentence)]


@pytest.mark.parametrize(
    "sentence",
    [
        "It costs 38 euros a night.",
        "This machine weighs 3 kilograms.",
        "Whoever comes late costs 3 euros.",
        "The man who is there weighs 90 kilograms.",
        "After that the pump holds 3 litres.",
        "There is a table that costs 3 euros.",
        "Table 3: The range is 13 metres",
        "The sea is blue.",
    ],
)
def test_sentence_that_points_back_or_tells_nothing_makes_none(sentence: str):
    assert not list(questions_in(sentence, "en"))


@pytest.mark.parametrize(
    "sentence",
    [
        "Section 3 is a description of the whole compiler that we built.",
        "A region is an area of the page that holds one column.",
        "The figure is about 4 centimetres wide.",
        "Table 2.1 consists of all results.",
        "The results consist of two parts.",
        "The following is a list of all members of the board.",
        "Another quiet game is a race of the snails.",
        "Starting a tree means that a loop is hot.",
        "The compi\ufffeler consists of two parts.",
    ],
)
def test_what_any_document_has_is_not_asked_for(sentence: str):
    assert not list(questions_in(sentence, "en"))


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("The trace tree consists of all loops.", "What does the trace tree consist of?"),
        ("The user interface consists of 3 pages.", "What does the user interface consist of?"),
        ("Table tennis lasts two hours.", "How long does Table tennis last?"),
    ],
)
def test_common_word_beside_one_of_its_own_is_asked_for(sentence: str, question: str):
    assert [found for found, _ in questions_in(sentence, "en")] == [question]


def test_language_without_patterns_makes_none():
    assert not list(questions_in("Das Zimmer kostet 38 Euro.", "de"))


def record(name: str, *headings: str, language: str = "en") -> DocumentRecord:
    outline = tuple(Heading(title, 1, 1) for title in headings)
    return DocumentRecord(
        id=name,
        sha256=name,
        name=name,
        bytes=1,
        state=State.READY,
        language=language,
        outline=outline,
    )


def page(text: str, number: int = 1) -> Page:
    return Page(number, PageKind.TEXT, text, ((0, len(text)),))


def test_document_without_an_outline_is_asked_from_its_sentences():
    found = list(candidates(record("a.pdf"), [page("The ferry costs 3 euros. It is red.")]))
    assert found == ["How much does the ferry cost?"]


def test_headings_come_after_what_sentences_make():
    found = list(
        candidates(record("a.pdf", "2.1 Harbour dues"), [page("The ferry costs 3 euros.")])
    )
    assert found == ["How much does the ferry cost?", "What does “a” say about Harbour dues?"]


def test_headings_that_say_nothing_make_none():
    furniture = ("Introduction", "Table of contents", "3", "Slide 4")
    assert not list(candidates(record("a.pdf", *furniture), []))
    assert not list(candidates(record("a.pdf", "Gezeiten und Häfen", language="de"), []))


def test_page_without_text_is_passed_over():
    assert not list(candidates(record("a.pdf"), [Page(1, PageKind.SCANNED)]))


def test_every_suggestion_for_the_samples_is_answered_and_backed(rag: SelfRag):
    list(rag.ingest(sample_files()))
    found = rag.suggestions.find()
    assert len(found) == MOST
    for question in found:
        end = rag.start(question).result(60)
        assert (end.status, end.useful) == ("answered", True), question
        assert all(claim.support == "fully_supported" for claim in end.claims), question
    documents = {rag.start(it).result(60).citations[0].document for it in found}
    assert len(documents) == len(sample_files()), "one for each document"


def test_languages_are_suggested_in_proportion_and_from_many_documents(
    rag: SelfRag, tmp_path: Path
):
    prices = {
        "en": (
            "The {} costs {} euros a day. The weather is often good in the summer months.",
            ("ferry", "bicycle", "tent", "cabin", "canoe", "sauna"),
        ),
        "pt": (
            "O {} custa {} reais por dia. Os moradores gostam muito de passear na praça.",
            ("barco", "ingresso"),
        ),
    }
    # The latest documents are all in English.
    for language in ("pt", "en"):
        form, things = prices[language]
        for number, thing in enumerate(things, 3):
            text = form.format(thing, number)
            list(rag.ingest([make_pdf(tmp_path / f"{thing}.pdf", [text])]))
    languages = [record.language for record in rag.ready()]
    assert (languages.count("en"), languages.count("pt")) == (6, 2)
    found = rag.suggestions.find()
    assert len(found) == MOST == 4
    assert sum(question.startswith("Quanto custa") for question in found) == 1, "2 of 8 documents"
    documents = {rag.start(it).result(60).citations[0].document for it in found}
    assert len(documents) == MOST, "each from a document of its own"


def test_document_that_cannot_be_asked_leaves_its_place_to_others(rag: SelfRag, tmp_path: Path):
    texts = ["The ferry costs 3 euros a day. The cabin costs 9 euros a night.", "Nothing at all."]
    for number, text in enumerate(texts):
        list(rag.ingest([make_pdf(tmp_path / f"{number}.pdf", [text])]))
    assert set(rag.suggestions.find()) == {
        "How much does the ferry cost?",
        "How much does the cabin cost?",
    }


def test_every_language_has_some_of_the_documents_that_are_looked_at():
    records = [
        *(replace(record(f"en{n}"), added_at=float(n)) for n in range(30)),
        replace(record("pt", language="pt"), added_at=0.0),
    ]
    chosen = by_language(records, 10)
    assert [each.id for each in chosen["en"]][:2] == ["en29", "en28"], "the latest first"
    assert len(chosen["en"]) == 10 and [each.id for each in chosen["pt"]] == ["pt"]


def test_what_the_library_can_not_answer_is_not_suggested(
    rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    list(rag.ingest([make_pdf(tmp_path / "a.pdf", ["The ferry costs 3 euros a day."])]))
    assert rag.suggestions.find() == ["How much does the ferry cost?"]
    (only,) = rag.ready()
    rag.delete(only.id)
    list(rag.ingest([make_pdf(tmp_path / "b.pdf", ["Nothing here can be asked for."])]))
    assert rag.suggestions.find() == []


def test_looking_for_them_keeps_nothing_and_asks_no_model(
    open_rag: Callable[..., SelfRag], tmp_path: Path, llm_server
):
    rag = open_rag(llm_base_url=llm_server.url)
    list(rag.ingest([make_pdf(tmp_path / "a.pdf", ["The ferry costs 3 euros a day."])]))
    rag.suggestions.find()
    assert not llm_server.requests
    with closing(sqlite3.connect(rag.settings.storage_dir / "records.db")) as records:
        assert records.execute("select count(*) from runs").fetchone() == (0,)
