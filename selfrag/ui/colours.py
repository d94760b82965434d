"""The colours of the theme where Python has to name them: charts, verdicts, badges."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from selfrag.palette import (
    DARK,
    LIGHT,
    MODES_DARK,
    MODES_LIGHT,
    STRATEGIES_DARK,
    STRATEGIES_LIGHT,
    Palette,
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


def main_button() -> Literal["primary", "secondary"]:
    """The type of the button that matters most in its place.

    Streamlit writes white on the primary colour, which on the dark theme's is 3:1 and too little
    to be read (WCAG 2.2, 1.4.3); such a button is an ordinary one there.
    """
    return "secondary" if st.context.theme.type == "dark" else "primary"


def quiet_popover() -> Literal["secondary", "tertiary"]:
    """The type of a button that opens something beside it, where an outline is more than needed.

    Streamlit darkens the primary colour for a tertiary one that is open, which on the dark theme
    is 2:1 (WCAG 2.2, 1.4.3); it has an outline there.
    """
    return "secondary" if st.context.theme.type == "dark" else "tertiary"


def mode_colours() -> Mapping[str, str]:
    """Name of a mode -> its colour in the theme that is shown."""
    return MODES_DARK if st.context.theme.type == "dark" else MODES_LIGHT


def strategy_colours() -> Mapping[str, str]:
    """Name of a strategy -> its colour in the theme that is shown."""
    return STRATEGIES_DARK if st.context.theme.type == "dark" else STRATEGIES_LIGHT


def toned(tone: str, text: str = "") -> str:
    """The tone's icon in its colour, with a text in the same colour where there is one."""
    colour, icon = TONES[tone]
    return f":{colour}[{icon}{' ' + text if text else ''}]"


def badge(tone: str, word: str) -> str:
    """The tone's icon and a word on the tone's colour."""
    colour, icon = TONES[tone]
    return f":{colour}-badge[{icon} {word}]"
