"""Statements told from questions, and follow-up questions without a language model."""

import pytest

from selfrag.reflection.context import format_history
from selfrag.reflection.follow_up import by_itself, complete, within
from selfrag.reflection.roles import Turn
from selfrag.reflection.statements import is_statement

HISTORY = [Turn("How long is annual leave?", "25 days."), Turn("Who approves it?", "The head.")]


@pytest.mark.parametrize(
    "text",
    [
        "Annual leave is 25 days a year.",
        "Annual leave is 25 days a year",
        "0-dimensional biomaterials show inductive properties.",
        "O prazo de entrega é de trinta dias",
        "As férias são de 25 dias por ano.",
        "Der Urlaub beträgt 25 Tage im Jahr.",
        "La durée du congé est de 25 jours",
        "Las vacaciones son de 25 días",
    ],
)
def test_statement(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is annual leave 25 days a year?",
        "Is annual leave 25 days a year",
        "How long is annual leave",
        "annual leave policy part-time",
        "Tell me about the rules on annual leave.",
        "List the fees of the library.",
        "Hello, what is our leave policy?",
        "Please summarise the second chapter.",
        "Quantos dias de férias há por ano",
        "Para que serve um repositório",
        "Explique o prazo de entrega.",
        "Quel est le délai de livraison",
        "Wie lange ist der Urlaub",
        "Thanks a lot!",
    ],
)
def test_question(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize(
    "question",
    [
        "And in 2020?",
        "Why?",
        "How long is it for part-time staff?",
        "E em 2020?",
        "Quando ela vence?",
        "Can you give an example?",
        "What are the advantages?",
        "Does that include holidays?",
        "For students too?",
        "Para que serve isso?",
        "E o segundo?",
        "Et pourquoi ?",
        "À quoi cela sert-il ?",
        "Und wozu braucht man sie?",
        "Gilt das auch für Studierende?",
        "¿Quién la aprueba?",
        "Waarom?",
    ],
)
def test_question_that_points_back_is_lent_the_words_of_the_one_before(question: str) -> None:
    assert complete(question, HISTORY[:1]).query == f"{question} (annual leave)"


@pytest.mark.parametrize(
    "question",
    [
        "Where are bicycles parked at night?",
        "Qual é o prazo de entrega dos livros?",
        "What is SunSpider?",
        "What is a manifold?",
        "So what is a trace tree?",
        "And how are traces recorded by TraceMonkey?",
        "What does XML mean?",
        "What does it mean to compile a trace?",
        "Is it possible to nest trace trees?",
        "What is a trace tree and how does it grow?",
        "How did Grant move his army across the river?",
        "TraceMonkey?",
        "O que é o Git?",
        "Quem é Linus Torvalds?",
        "Was ist eine Mannigfaltigkeit?",
        "Können Sie mir sagen, was eine Karte der Mannigfaltigkeit ist?",
        "Qu'est-ce que OLAP?",
        "Comment les requêtes sont-elles résumées ?",
        "¿Qué es la fotosíntesis?",
        "Che cos'è la fotosintesi?",
        "Wat is een variëteit?",
    ],
)
def test_complete_question_on_something_else_stays_as_it_is(question: str) -> None:
    assert complete(question, HISTORY).query is None
    assert complete("And in 2020?", []).query is None


def test_pronoun_means_what_was_named_and_the_thread_is_kept_over_several_turns() -> None:
    turns = [Turn("What is LayoutParser?", "A library."), Turn("Who wrote it?", "Its authors.")]
    said = complete("Who wrote it?", turns[:1])
    assert said.query == "Who wrote it? (LayoutParser)"
    assert not said.search_only  # "wrote" alone would be answered by whoever wrote anything
    assert complete("And how is it installed?", turns).query.endswith("(LayoutParser)")
    assert complete("Por quê?", [Turn("Quem criou o Git?", "Linus."), Turn("E em que ano?", "")])


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("Why?", False),
        ("Who wrote it?", False),
        ("And in 2020?", True),
        ("What causes overfitting?", True),
        ("And how does the library index its scanned maps?", True),
        ("Quais são as vantagens?", False),
    ],
)
def test_question_is_searched_by_itself_only_where_it_says_something(
    question: str, alone: bool
) -> None:
    assert by_itself(question) is alone


def test_history_is_bounded_in_turns_and_in_characters() -> None:
    long = Turn("q" * 5000, "a" * 5000)
    assert within([long] * 9, 3) == (long,) * 3
    assert within([long], 0) == ()
    assert within([Turn(" ", "x")], 3) == ()
    assert len(format_history([long] * 3)) < 3 * 1100


def test_greeting_in_a_conversation_is_lent_nothing() -> None:
    assert complete("Hello!", [Turn("How long is the quay?", "90 metres.")]).query is None
