"""A text that is being written can't make the browser fetch or follow anything."""

import re

import pytest

from selfrag.ui.literal import harmless


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
    assert not re.search(r"(?<!\\)[\[\]<>!$`:|~]", shown)
    assert not re.search(r"://|www\.", shown), "an address must not become a link"
    assert shown.replace("\\", "").replace("\u200b", "") == hostile


def test_emphasis_and_lists_stay():
    assert harmless("**Yes.**\n- one\n- two") == "**Yes.**\n- one\n- two"
