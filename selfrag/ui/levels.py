"""How much of each step is shown: a choice of this tab that holds for every answer in it."""

from enum import StrEnum

import streamlit as st

_KEY = "steps-level"


class Level(StrEnum):
    """From the story to the last number."""

    STORY = "story"  #: one sentence for each step, which opens to all there is
    EXPLAIN = "explain"  #: and what it is for, and what came of it, for laymen
    DETAILS = "details"  #: everything opened


_NAMES = {
    Level.STORY: ":material/short_text: Story",
    Level.EXPLAIN: ":material/school: Explain",
    Level.DETAILS: ":material/data_object: Details",
}


def level() -> Level:
    """The level that was chosen in this tab."""
    known = st.session_state.get(_KEY)
    return Level(known) if known in set(Level) else Level.STORY


def choose_level() -> Level:
    """Draw the choice; once for each page."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Level.STORY
    st.segmented_control(
        "How the steps are told",
        list(Level),
        key=_KEY,
        required=True,
        format_func=_NAMES.__getitem__,
        label_visibility="collapsed",
        persist_state="session",
    )
    return level()
