"""What needs no document is told by the whole question only."""

import pytest

from selfrag.reflection.small_talk import small_talk


@pytest.mark.parametrize(
    "question",
    [
        "Hello!",
        "hi there",
        "Good morning, how are you?",
        "Olá, tudo bem?",
        "¡Hola!",
        "Guten Tag",
        "thank you very much",
        "thanks, that was great",
        "Thanks for your help!",
        "Muito obrigada!",
        "Who are you?",
        "Quem é você?",
        "Qui es-tu ?",
        "what is 12 * 7?",
        "2+2",
        "Quanto é 3 vezes 4?",
        "   ",
        "?!",
    ],
)
def test_small_talk_needs_no_document(question: str) -> None:
    assert small_talk(question)


@pytest.mark.parametrize(
    "question",
    [
        "Hello, how many days of leave do I have?",
        "Who are you allowed to invite?",
        "What can you do about mould?",
        "Thank you letters: how long must they be kept?",
        "1914-1918",
        "What is 5G?",
        "What happened on 12/7?",
        "What is the capital of Mongolia?",
        "ISO 9001",
        "12.5",
        "no smoking",
    ],
)
def test_everything_else_is_asked_of_the_documents(question: str) -> None:
    assert small_talk(question) is None
