"""Questions about real documents: the right document, the right page, the words that answer.

Pages and words were read off the documents with another reader (pypdf), not off our answers.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from selfrag.reflection.grades import Verdict
from selfrag.service import SelfRag
from selfrag.settings import Settings
from tests.conftest import plain_settings

pytestmark = pytest.mark.realdata

FILES = ("tracemonkey.pdf", "multi-column.pdf", "pt_git_github.pdf", "fr_olap.pdf")
QUESTIONS = [
    ("What speedups were measured for certain benchmark programs?", "tracemonkey.pdf", 1, "10x"),
    ("Quem é o criador do Git?", "pt_git_github.pdf", 4, "Linus Torvalds"),
    ("How many passages of Wikipedia result in the end?", "multi-column.pdf", 4, "21,015,324"),
    ("With which learning rate were the encoders trained?", "multi-column.pdf", 5, "learning rate"),
    ("Quel algorithme résume un log, SummarizeLog ?", "fr_olap.pdf", 6, "glouton"),
]
UNANSWERED = ["What is the capital of Australia?", "How many moons does Jupiter have?"]


@pytest.fixture(scope="module")
def library(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SelfRag]:
    folder = tmp_path_factory.mktemp("real")
    settings = Settings(_env_file=None, **{**plain_settings(), "storage_dir": folder})
    with SelfRag(settings) as rag:
        files = [shared_data / "pdfs" / "plain" / name for name in FILES]
        assert [result.status for result in rag.ingest(files)] == ["ready"] * len(FILES)
        yield rag


@pytest.mark.parametrize(("question", "document", "page", "words"), QUESTIONS)
def test_passage_that_answers_is_found(
    library: SelfRag, question: str, document: str, page: int, words: str
):
    hits = library.retrieve(question).hits
    assert any(
        hit.document == document
        and page in {span.page for span in hit.parent_spans}
        and words in hit.parent_text
        for hit in hits
    ), [(hit.document, hit.page, hit.parent_text[:80]) for hit in hits]


def test_most_questions_are_answered_with_document_and_page(library: SelfRag):
    right = []
    for question, document, page, words in QUESTIONS:
        end = library.start(question).result(60)
        if end.status == "answered" and words in end.answer:
            cited = {(citation.document, citation.page) for citation in end.citations}
            assert (document, page) in cited, (question, end.answer, cited)
            right.append(question)
    assert len(right) >= 3, right


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_the_documents_do_not_tell_is_not_answered(library: SelfRag, question: str):
    end = library.start(question).result(60)
    assert end.status == "abstained"
    assert question in end.answer


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SunSpider consists of 26 JavaScript programs.", Verdict.SUPPORTED),
        ("O Git foi feito por Linus Torvalds.", Verdict.SUPPORTED),
        ("O Git foi criado em 2005.", Verdict.SUPPORTED),
        ("SunSpider consists of 62 programs.", Verdict.REFUTED),
        ("O Git foi criado em 1999.", Verdict.REFUTED),
        ("Three of the benchmarks are traced.", Verdict.REFUTED),
        ("TraceMonkey is the slowest VM on 9 of the 26 benchmarks.", Verdict.REFUTED),
        ("TraceMonkey is slower than the SpiderMonkey interpreter.", Verdict.NOT_ENOUGH),
        ("TraceMonkey is faster than the SpiderMonkey interpreter.", Verdict.NOT_ENOUGH),
        ("V8 is the baseline interpreter.", Verdict.NOT_ENOUGH),
        ("JSFUNFUZZ removes random JavaScript programs.", Verdict.NOT_ENOUGH),
        ("O BitKeeper foi feito por Linus Torvalds.", Verdict.NOT_ENOUGH),
        ("O Git usa mais espaço do que o BitKeeper.", Verdict.NOT_ENOUGH),
        ("Git was created by Linus Torvalds.", Verdict.NOT_ENOUGH),
    ],
)
def test_statement_is_decided_only_by_a_sentence_that_says_it(
    library: SelfRag, statement: str, expected: Verdict
):
    end = library.start(statement).result(60)
    assert end.verdict is expected, end.evidence
    assert bool(end.evidence) == (expected is not Verdict.NOT_ENOUGH)
