"""A key that was entered: what can be one, and that it shows nowhere."""

import pytest

from selfrag.errors import UserError
from selfrag.models.own_key import OwnKey
from selfrag.models.whereabouts import who_answers_short
from selfrag.settings import Settings
from tests.conftest import plain_settings

KEY = "sk-entered-by-a-person"


def settings(**values) -> Settings:
    return Settings(_env_file=None, **{**plain_settings(), **values})


@pytest.mark.parametrize(
    ("entered", "said"),
    [
        (("",), "Enter a key"),
        (("two words",), "no key has"),
        (("sk-…",), "no key has"),
        ((KEY, "localhost:11434"), "must begin with https://"),
        ((KEY, "file:///etc/passwd"), "must begin with https://"),
        ((KEY, "http://[broken/v1"), "must begin with https://"),
        ((KEY, "https://me:secret@host/v1"), "no name, password or key"),
        ((KEY, "https://host/v1?key=secret"), "no name, password or key"),
        ((KEY + "x" * 2_000,), "too long"),
    ],
)
def test_what_cannot_be_one_is_told_without_repeating_it(entered: tuple[str, ...], said: str):
    with pytest.raises(UserError, match=said) as refused:
        OwnKey.entered(*entered)
    assert KEY not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_key_does_not_show_where_it_is_printed():
    own = OwnKey.entered(KEY, "https://host/v1")
    assert KEY not in repr(own)
    assert KEY not in str(own.applied(settings()))


def test_key_goes_to_the_endpoint_that_was_entered_with_it_and_to_no_other():
    configured = settings(
        llm_base_url="http://inside:1/v1", chat_model="theirs", openrouter_api_key="other"
    )
    applied = OwnKey.entered(KEY).applied(configured)
    assert (applied.llm_endpoint, applied.llm_key) == ("https://api.openai.com/v1", KEY)
    assert who_answers_short(applied) == "gpt-4.1-mini at api.openai.com"
    router = OwnKey.entered(KEY, "https://openrouter.ai/api/v1/").applied(configured)
    assert (router.llm_key, router.writer_model) == (KEY, "openai/gpt-4.1-mini")


def test_key_of_the_application_is_not_sent_to_an_endpoint_that_was_entered():
    applied = OwnKey.entered("", "http://host:1/v1").applied(settings(openai_api_key="ours"))
    assert applied.llm_key is None
