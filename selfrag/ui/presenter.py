"""Presenter mode: one step of a run on the whole screen, in large type, explained to laymen.

It has an address of its own (``?present=<run id>``), and shows neither settings nor the sidebar.
"""

from pathlib import Path

import streamlit as st

from selfrag.service import SelfRag
from selfrag.ui.links import stop_presenting
from selfrag.ui.stepper import draw_stepper

_STYLE = Path(__file__).parent / "presenter.css"


def draw_presenter(rag: SelfRag, run_id: str) -> None:
    """Draw the page for a run that is under way or has ended."""
    st.html(_STYLE)
    with st.container(horizontal=True, horizontal_alignment="right"):
        st.button(
            "Leave",
            key="present-leave",
            icon=":material/close:",
            type="tertiary",
            shortcut="Esc",
            on_click=stop_presenting,
        )
    draw_stepper(rag, run_id, details=False)
