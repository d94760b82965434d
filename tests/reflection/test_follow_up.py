"""Statements told from questions, and follow-up questions without a language model."""

import pytest

from selfrag.reflection.context import format_history
from selfrag.reflection.follow_up import complete, within
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
    ],
)
def test_question_that_points_back_is_lent_the_words_of_the_one_before(question: str) -> None:
    assert complete(question, HISTORY[:1]).query == f"{question} (annual leave)"


@pytest.mark.parametrize(
    "question", ["Where are bicycles parked at night?", "Qual é o prazo de entrega dos livros?"]
)
def test_question_on_something_else_stays_as_it_is(question: str) -> None:
    assert complete(question, HISTORY).query is None
    assert complete("And in 2020?", []).query is None


def test_history_is_bounded_in_turns_and_in_characters() -> None:
    long = Turn("q" * 5000, "a" * 5000)
    assert within([long] * 9, 3) == (long,) * 3
    assert within([long], 0) == ()
    assert within([Turn(" ", "x")], 3) == ()
    assert len(format_history([long] * 3)) < 3 * 1100


def test_greeting_in_a_conversation_is_lent_nothing() -> None:
    assert complete("Hello!", [Turn("How long is the quay?", "90 metres.")]).query is None
