"""The colours of the theme where Python has to name them: charts, and the path in the graph.

The values are those of ``.streamlit/config.toml``; a test keeps them equal.
"""

from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True)
class Palette:
    """One theme: what is backed, partly so, not so; what can be clicked; what is neither."""

    good: str
    fair: str
    bad: str
    path: str
    quiet: str
    line: str
    text: str
    paper: str


LIGHT = Palette(
    "#2B8A3E", "#B35900", "#C92A2A", "#3B5BDB", "#868E96", "#E3E6EB", "#1C1F26", "#FFFFFF"
)
DARK = Palette(
    "#69DB7C", "#FFC078", "#FF8787", "#748FFC", "#868E96", "#2C303B", "#E8EAF0", "#12141A"
)

#: tone of a verdict -> Streamlit's name for its colour, and its icon
TONES = {
    "good": ("green", ":material/check_circle:"),
    "fair": ("orange", ":material/error:"),
    "bad": ("red", ":material/cancel:"),
}


def palette() -> Palette:
    """The colours of the theme that is shown."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def toned(tone: str, text: str = "") -> str:
    """The tone's icon in its colour, with a text in the same colour where there is one."""
    colour, icon = TONES[tone]
    return f":{colour}[{icon}{' ' + text if text else ''}]"


def badge(tone: str, word: str) -> str:
    """The tone's icon and a word on the tone's colour."""
    colour, icon = TONES[tone]
    return f":{colour}-badge[{icon} {word}]"
