"""The arrow keys, left and right, none of whose presses is lost however quickly they come.

A button with a shortcut is one click for Streamlit: two of them that come in while the page is
being drawn are one. So this is a component of its own, which counts in the browser.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

_component = st.components.v2.component(
    "selfrag.arrow_keys",
    html="<span></span>",
    js=(Path(__file__).parent / "arrow_keys.js").read_text("utf-8"),
)


def draw_arrow_keys(key: str, on_steps: Callable[[int], None]) -> None:
    """Listen to the arrow keys while this is on the page; nothing is to be seen of it.

    Args:
        on_steps: called with how often right was pressed since, left counting against it.
    """
    seen = f"{key}-seen"

    def pressed() -> None:
        total = int(st.session_state[key].pressed)
        by = total - st.session_state.get(seen, 0)
        st.session_state[seen] = total
        if by:
            on_steps(by)

    known = st.session_state.get(seen, 0)
    _component(
        key=key,
        data={"pressed": known},
        default={"pressed": known},
        on_pressed_change=pressed,
    )
