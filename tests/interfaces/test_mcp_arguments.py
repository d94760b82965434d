"""Arguments that do not fit are told in a sentence that names them and what is allowed."""

from typing import Any

import pytest
from mcp import Client

from selfrag.interfaces.asking import AnswerBody, SearchParameters, fit
from selfrag.interfaces.mcp.server import build
from selfrag.settings import Settings
from tests.support import own_loop


def refused(tool: str, **arguments: Any) -> str:
    """What a client is told; nothing of the library is asked for."""

    async def call() -> str:
        server = build(lambda: pytest.fail("it was asked"), lambda: Settings(_env_file=None))
        async with Client(server) as client:
            answer = await client.call_tool(tool, arguments)
        assert answer.is_error
        return "".join(part.text for part in answer.content)

    return own_loop.run(call)


def test_unknown_argument_is_named_with_those_there_are() -> None:
    said = refused("rag_answer", question="How much?", retries=3)
    assert "There is no argument 'retries': it takes question, strategy, documents" in said
    assert "'verbose': it takes none" in refused("list_documents", verbose=True)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "question is missing: it has to be text."),
        ({"question": 3}, "question does not fit: it has to be text."),
        (
            {"question": "How much?", "strategy": "fast"},
            "strategy does not fit: it has to be plain or critique or selfrag or null.",
        ),
        (
            {"question": "How much?", "max_retries": True},
            "max_retries does not fit: it has to be a whole number or null.",
        ),
        (
            {"question": "How much?", "documents": "all"},
            "documents does not fit: it has to be a list or null.",
        ),
    ],
)
def test_argument_that_does_not_fit_is_told_with_what_is_allowed(
    arguments: dict[str, Any], told: str
) -> None:
    said = refused("rag_answer", **arguments)
    assert told in said
    assert "pydantic" not in said and "validation error" not in said


def test_empty_query_is_told_by_the_name_that_the_tool_gives_it() -> None:
    assert "query is empty: write what is asked for." in refused("retrieve", query="")


def test_half_a_character_from_a_shell_becomes_a_question_mark():
    assert fit(AnswerBody, {"question": "caf\udce9 hours"}).question == "caf? hours"
    assert fit(SearchParameters, {"q": "caf\udce9"}).q == "caf?"
