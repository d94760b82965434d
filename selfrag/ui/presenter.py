"""Presenter mode: one step of a run on the whole screen, in large type, explained to laymen.

It has an address of its own (``?present=<run id>``), and shows neither settings nor the sidebar.
"""

from pathlib import Path

import streamlit as st

from selfrag.service import SelfRag
from selfrag.ui.links import stop_presenting
from selfrag.ui.person import can_log_in, owner
from selfrag.ui.stepper import draw_stepper

_STYLE = (Path(__file__).parent / "presenter.css").read_text("utf-8")


def draw_presenter(rag: SelfRag, run_id: str) -> None:
    """Draw the page for a run that is under way or has ended."""
    # Styles alone have no place on the page, and stay until a script has ended: that of the chat
    # that is gone back to ends with the run that it follows.
    st.html(f"<style>{_STYLE}</style><span></span>")
    if may_be_seen(rag, run_id):
        draw_stepper(rag, run_id, details=False, leave=_leave)
    else:
        _leave()
        st.info("This answer is somebody else’s.", icon=":material/lock:")


def _leave() -> None:
    st.button(
        "Leave",
        key="present-leave",
        icon=":material/close:",
        type="tertiary",
        shortcut="Esc",
        on_click=stop_presenting,
    )


def may_be_seen(rag: SelfRag, run_id: str) -> bool:
    """Whether a run may be shown to who is looking: an address is quickly passed on."""
    return not can_log_in() or rag.conversations.of_run(run_id, owner()) is not None
