"""Function words of a question count in no language of the library; words that matter stay."""

from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.edge import EdgeClient
from selfrag.index.question import understood
from selfrag.index.store import Index
from selfrag.pages import Chunk, Span


@pytest.mark.parametrize(
    ("question", "left", "language"),
    [
        (
            "How fast is TraceMonkey compared to the interpreter?",
            "fast TraceMonkey compared interpreter",
            "en",
        ),
        ("Was ist eine Überlagerung?", "Überlagerung", "de"),
        ("Qual é a diferença entre os repositórios?", "diferença repositórios", "pt"),
        ("Quelles sont les propriétés d'un résumé ?", "Quelles propriétés résumé", "fr"),
        ("¿Cuál es el nombre de la ciudad?", "Cuál nombre ciudad", "es"),
    ],
)
def test_stop_words_of_the_questions_own_language_go(question: str, left: str, language: str):
    found = understood(question)
    assert found.language == language
    words = "".join(c if c.isalnum() else " " for c in found.text).split()
    assert words == left.split()


@pytest.mark.parametrize(
    "question",
    [
        "war crimes",  # German "war"
        "die casting defects",  # German "die"
        "IT security",  # Italian, Portuguese and English "it"
        "hat size",  # German "hat"
        "TraceMonkey",
        "XK-4471 3.14",
        "机器学习",
    ],
)
def test_word_that_is_a_stop_word_elsewhere_stays(question: str):
    assert understood(question).text == question


def test_word_that_either_likely_language_drops_goes():
    # As likely Spanish as Portuguese; "de" is a stop word of both.
    assert understood("motor de busca").language is None
    assert understood("motor de busca").text.split() == ["motor", "busca"]


@pytest.mark.parametrize("question", ["", " ", "?!", "123", "\ud83d", "a\0b", "_"])
def test_text_without_words_is_no_fault(question: str):
    assert understood(question).language is None


PASSAGES = {
    "en": [
        "TraceMonkey runs loops up to twenty times faster than the interpreter does.",
        "The interpreter of the browser is written in C++ and reads bytecodes.",
        "Dynamic languages such as JavaScript are hard to compile.",
        "In die casting, molten metal is forced into a mould under high pressure.",
        "A trace is a path through the program that is executed often.",
        "The recorder is started when a loop is hot.",
        "How to measure the speed of a program is a question of its own.",
        "Nested loops are to be recorded as trees.",
    ],
    "fr": [
        "Nous proposons une méthode pour résumer des journaux de requêtes.",
        "Summary. How is a log to be summarised? This is the question to which the paper is the "
        "answer: it is compared to the logs, and the method is fast.",
        "Les propriétés des résumés sont étudiées dans cette section.",
    ],
    "de": [
        "Die Gießerei stellt Gehäuse aus Aluminium her.",
        "Fehler beim Die Casting, dem Druckguss, entstehen durch eingeschlossene Luft.",
        "Die Maschine wurde im Jahr 1999 gebaut und läuft seither.",
    ],
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory):
    folder: Path = tmp_path_factory.mktemp("mixed")
    client = EdgeClient(folder)
    made = Index.open(
        client,
        embeddings=None,  # type: ignore[arg-type]
        sparse=Bm25Embeddings(avg_len=15),
        fingerprint={"embedding_model": "none", "dimension": 2},
    )
    for language, texts in PASSAGES.items():
        ids = [str(uuid5(NAMESPACE_URL, text)) for text in texts]
        chunks = [
            Chunk(
                id=ids[number],
                text=text,
                spans=(Span(1, 0, len(text)),),
                start=0,
                end=len(text),
                position=number,
                parent_id=ids[number],
            )
            for number, text in enumerate(texts)
        ]
        made.add(language, language, chunks, chunks, [[1.0, 0.0]] * len(texts), language)
    yield made
    client.close()


def best(index: Index, query: str) -> str:
    sparse = Bm25Embeddings(avg_len=15).embed_query_in(query, list(index.languages()))
    found = index.search(None, sparse, 5)["bm25"]
    return found[0].payload["page_content"]


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("How fast is TraceMonkey compared to the interpreter?", "TraceMonkey runs"),
        ("What is it that is to be summarised?", "Summary."),
        ("Comment résumer les requêtes ?", "Nous proposons"),
        ("What is die casting of molten metal?", "In die casting"),
        ("die casting", "In die casting"),
        ("Was sind Fehler beim Die Casting?", "Fehler beim"),
        ("Wann wurde die Maschine gebaut?", "Die Maschine"),
    ],
)
def test_best_passage_of_a_mixed_library_is_the_one_that_answers(
    index: Index, query: str, begins: str
):
    assert best(index, query).startswith(begins)


def test_question_in_a_language_that_no_document_has_is_searched_by_its_names(index: Index):
    assert best(index, "O que é o TraceMonkey, e o que é isto de que se fala?").startswith("Trace")
