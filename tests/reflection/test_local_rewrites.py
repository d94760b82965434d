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


def test_word_is_added_only_where_several_sentences_use_it_beside_the_question() -> None:
    passages = (
        "The siege of Vicksburg began in May. Grant held the siege of Vicksburg for weeks. "
        "At Vicksburg the letters of Abdelrahman were found.",
        "Read about Vicksburg at https://example.org/briskly every day. The river is wide. "
        "Boats carried corn. Cotton was stored there. It rained often.",
    )
    made = queries("When did Vicksburg surrender?", *passages)
    added = {word for query in made for word in query.split()} - {"Vicksburg", "surrender"}
    assert "siege" in added
    assert added.isdisjoint({"abdelrahman", "briskly", "https", "letters", "example"})


STYLES = (
    "A propriedade length do Apollo redimensiona a imagem de fundo da página. O valor length no "
    "Apollo redimensiona a imagem até a borda."
)


@pytest.mark.parametrize(
    ("question", "lent"),
    [
        ("What is the length of the spacecraft?", False),
        ("What is the length of the spacecraft Apollo?", True),
    ],
)
def test_passage_in_another_language_lends_words_only_where_it_has_a_name_that_was_asked_for(
    question: str, lent: bool
) -> None:
    added = {word for query in queries(question, *[ENGLISH] * 3, STYLES) for word in query.split()}
    assert ("redimensiona" in added) is lent


def test_nothing_is_added_where_nothing_belongs_together() -> None:
    made = queries("How many pages of the Treasury report mention Mars?", ENGLISH)
    allowed = {"pages", "Treasury", "report", "mention", "Mars"}
    assert made
    assert all(set(query.split()) <= allowed for query in made)


def test_same_words_in_another_order_are_not_searched_again() -> None:
    question = "What does the script cost at the library?"
    made = [frozenset(query.lower().split()) for query in queries(question, ENGLISH, GERMAN)]
    assert len(made) == len(set(made))
