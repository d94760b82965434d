"""Queries that are tried without a language model: made of telling words, never of one alone."""

import pytest

from selfrag.models.evidence import EvidenceReader
from selfrag.models.words import guess_language, words
from selfrag.reflection.local_rewrites import next_query
from tests.support.encoder import packaged_encoder

GERMAN = (
    "Das Skript kostet als Heft zehn Euro und ist in der Bibliothek zu haben. Wer es bestellt, "
    "bekommt es innerhalb einer Woche. Für Studierende gibt es einen Nachlass."
)
ENGLISH = (
    "The script costs ten euros and can be bought at the library. Whoever orders it will get it "
    "within a week. It has become cheaper for students."
)


def queries(question: str, *passages: str, missing: str = "") -> list[str]:
    """All that would be tried, one after another."""
    evidence = EvidenceReader(packaged_encoder()).read(question, passages)
    tried: list[str] = [question]
    while (query := next_query(evidence, question, tried, missing).query) is not None:
        tried.append(query)
    return tried[1:]


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("What is the price of the script and where is it?", (GERMAN,)),
        ("Wie viel kostet das Skript in der Bibliothek?", (ENGLISH,)),
        ("What does the script cost at the library?", (ENGLISH,)),
        ("What does the script cost at the library?", (GERMAN, GERMAN + " Ende.", ENGLISH)),
    ],
)
def test_no_word_is_a_function_word_of_the_question_or_of_its_passage(
    question: str, passages: tuple[str, ...]
) -> None:
    made = queries(question, *passages)
    assert made
    for query in made:
        for word in query.split():
            assert any(words(word, guess_language(text)) for text in (question, *passages)), query
            if word in question.split():
                assert words(word, guess_language(question)), (word, query)


def test_one_word_alone_is_no_query() -> None:
    for question in ("How does it work?", "What is it?", "Price?"):
        assert all(len(query.split()) > 1 for query in queries(question, ENGLISH))
