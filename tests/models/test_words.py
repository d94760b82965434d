"""Words that carry meaning, and what a question asks for."""

import pytest

from selfrag.models.cues import Kind, asked_kind, holds
from selfrag.models.features import question_words
from selfrag.models.words import fold, guess_language, listed, words


def test_inflections_share_a_key_and_function_words_have_none() -> None:
    one = {w.key for w in words("The patents were licensed", "en")}
    assert one == {w.key for w in words("a patent licenses", "en")}


def test_figures_are_compared_by_value_of_their_digits() -> None:
    assert words("1,000", "en")[0].key == words("1000", "en")[0].key
    assert words("3.5", "en")[0].key != words("35", "en")[0].key


def test_scripts_without_spaces_are_cut_in_pairs() -> None:
    assert [w.text for w in words("北京会议", "en")] == ["北京", "京会", "会议"]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The committee of the house has met in the morning", "en"),
        ("A comissão não se reuniu porque não havia quórum para isso", "pt"),
        ("La comisión no se reunió porque no había quórum para ello", "es"),
        ("La commission ne s'est pas réunie dans la salle avec nous", "fr"),
        ("Die Kommission hat sich nicht getroffen und das ist auch gut so", "de"),
        ("12345", "en"),
    ],
)
def test_language_is_told_by_its_function_words(text: str, language: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("How many days of leave are there?", "en", ["days", "leave"]),
        ("Quantos dias de férias?", "pt", ["dias", "férias"]),
        ("¿Cuántos puntos?", "es", ["puntos"]),
    ],
)
def test_words_that_only_ask_do_not_weigh(
    question: str, language: str, expected: list[str]
) -> None:
    assert [w.text for w in question_words(question, language)] == expected


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was it signed?", Kind.TIME),
        ("In what year did he die?", Kind.TIME),
        ("Em que ano morreu?", Kind.TIME),
        ("How many people came?", Kind.NUMBER),
        ("¿Cuántas personas vinieron?", Kind.NUMBER),
        ("Who wrote it?", Kind.PERSON),
        ("Quem escreveu?", Kind.PERSON),
        ("Wo liegt es?", Kind.PLACE),
        ("Pourquoi est-ce arrivé ?", Kind.REASON),
        ("What colour is it in spring?", None),
    ],
)
def test_kind_of_answer_is_told_by_the_question_words(question: str, kind: Kind | None) -> None:
    assert asked_kind(question) is kind


@pytest.mark.parametrize(
    ("sentence", "kind", "question", "expected"),
    [
        ("It was signed in 1648.", Kind.TIME, "When was it signed?", True),
        ("It was signed by all.", Kind.TIME, "When was it signed?", False),
        ("In 1648 it was quiet.", Kind.TIME, "When, after 1648, was it signed?", False),
        ("There were twelve of them.", Kind.NUMBER, "How many?", True),
        ("The book is by Ada Lovelace.", Kind.PERSON, "Who wrote the book?", True),
        ("The book is by Ada Lovelace.", Kind.PERSON, "Who was Ada Lovelace?", False),
    ],
)
def test_only_what_the_question_does_not_say_counts(
    sentence: str, kind: Kind, question: str, expected: bool
) -> None:
    assert holds(sentence, kind, question) is expected


def test_folding_and_listing() -> None:
    assert fold("  ÉTÉ\nﬁne ") == "ete fine"
    assert listed(["a", "b", "c"]) == "'a', 'b' and 'c'"
    assert listed([]) == ""
