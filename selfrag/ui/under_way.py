"""A study under way: how far it is, how much is left of it, and its end at a click."""

from typing import Any

import streamlit as st

from selfrag.evaluation.background import Background
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.wording import duration


@st.fragment(run_every=1.0)
def draw_under_way(background: Background[Any], kept: str) -> None:
    """Draw it, anew every second, and the whole page when it is over.

    Args:
        kept: what stays where it is ended, in a sentence.
    """
    view = background.view()
    if view is None or view.finished:
        st.rerun()
    left = "" if view.remaining is None else f", about {duration(view.remaining)} left of this"
    if view.ending:
        st.caption(f":material/hourglass: **{literal(view.name)}** ends with what is under way.")
        return
    of = f": {view.done:,} of {view.total:,}" if view.total else ""
    st.progress(
        min(1.0, view.done / view.total) if view.total else 0.0,
        f"**{literal(view.name)}**: {literal(view.what)}{of}{left}",
    )
    st.button(
        "Cancel",
        icon=":material/stop_circle:",
        type="tertiary",
        on_click=guarded(background.cancel),
        help=kept,
    )
