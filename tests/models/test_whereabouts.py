"""Who answers, where: the line beside the question."""

import pytest

from selfrag.models.whereabouts import host_of, who_answers, who_answers_short
from selfrag.settings import Settings
from tests.conftest import plain_settings


def of(**values) -> Settings:
    return Settings(_env_file=None, **{**plain_settings(), **values})


@pytest.mark.parametrize(
    ("settings", "short", "whole"),
    [
        (
            of(),
            "Quotes from your documents · local",
            "Quotes from your documents, checked by the local judge · on this computer",
        ),
        (
            of(openai_api_key="k"),
            "gpt-4.1-mini at api.openai.com",
            "gpt-4.1-mini writes and judges · api.openai.com",
        ),
        (
            of(openai_api_key="k", judge_model="gpt-4.1"),
            "gpt-4.1-mini, gpt-4.1 at api.openai.com",
            "gpt-4.1-mini writes, gpt-4.1 judges · api.openai.com",
        ),
        (
            of(llm_base_url="http://localhost:11434/v1", chat_model="llama3.1", judge="local"),
            "llama3.1 · local",
            "llama3.1 writes, the local judge judges · on this computer",
        ),
        (
            of(llm_base_url="http://192.168.1.5:8000/v1", chat_model="q", writer="quotes"),
            "q at 192.168.1.5:8000",
            "Quotes from your documents, judged by q · 192.168.1.5:8000",
        ),
        (
            of(openrouter_api_key="k", judge="decisions", judge_model="d"),
            "openai/gpt-4.1-mini, d at openrouter.ai",
            "openai/gpt-4.1-mini writes, d judges · openrouter.ai",
        ),
    ],
)
def test_line_names_models_and_place(settings: Settings, short: str, whole: str):
    assert who_answers_short(settings) == short
    assert who_answers(settings) == whole


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:1/v1", None),
        ("http://[::1]:8080/v1", None),
        ("https://app.localhost/v1", None),
        ("https://localhost.example.com/v1", "localhost.example.com"),
    ],
)
def test_only_this_computer_is_called_local(url: str, host: str | None):
    assert host_of(of(llm_base_url=url)) == host
