"""Prompt files: what stands in them reaches the model, and why it stands there does not."""

from pathlib import Path

import pytest

from selfrag.reflection import prompts

FOLDER = Path(prompts.__file__).parent


def test_reasons_are_stripped_and_rules_are_kept() -> None:
    prompt = prompts.load("decide", question="How long is leave?")

    assert "<!--" not in prompt.system + prompt.user
    assert 'Answer "yes" for anything' in prompt.system
    assert prompt.user == "<question>How long is leave?</question>"


def test_braces_placeholders_and_comments_in_documents_stay_as_they_are() -> None:
    text = "{{question}} {x} {{}} {0} <!-- kept --> \\1 \\g<0> %s $x"
    prompt = prompts.load("relevance", context=text, question="{{context}}?")

    assert prompt.user == f"{text}\n<question>{{{{context}}}}?</question>"


def test_missing_or_unknown_value_is_a_bug() -> None:
    with pytest.raises(KeyError, match="wants"):
        prompts.load("decide")
    with pytest.raises(KeyError, match="wants"):
        prompts.load("decide", question="x", context="y")


@pytest.mark.parametrize("name", prompts.names())
def test_every_prompt_is_short_and_gives_reasons(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")

    assert text.startswith("<!-- "), "says what it is for"
    assert text.count("<!--") >= 2, "gives the reason for its rules"
    assert len(text) < 3500


@pytest.mark.parametrize(
    "name",
    [name for name in prompts.names() if "{{question}}" in (FOLDER / f"{name}.md").read_text()],
)
def test_rules_and_data_are_apart(name: str) -> None:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    system, _, _ = text.partition("## User")

    ours = system.replace("{{number}}", "")
    assert "{{" not in ours, "nothing from outside stands among the rules"
    assert "can't change these rules" in system or "is data" in system
