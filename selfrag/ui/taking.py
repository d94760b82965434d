"""A file that is taken in as soon as it is chosen, and what came of it.

The word on it is a toast as well: the file is chosen in a popover that stays open, and what is
written on the page may lie behind it or off the screen.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from selfrag.errors import UserError
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal

Take = Callable[[str, bytes], str]  #: name, content -> what to say of it


def draw_taking(label: str, kinds: Sequence[str], told: str, take: Take) -> None:
    """Draw where a file is dropped; it is empty again once the file was taken in.

    Args:
        kinds: endings of files that are taken.
        told: key under which `draw_told` finds what came of it.
        take: takes the file in; a UserError says why it is refused.
    """
    turn = st.session_state.get(_turn(told), 0)
    st.file_uploader(
        label,
        type=list(kinds),
        key=f"{told}-file-{turn}",
        label_visibility="collapsed",
        on_change=guarded(_take),
        args=(told, take),
    )


def draw_told(told: str) -> None:
    """Say what came of the last file, once."""
    said = st.session_state.pop(told, None)
    if said is None:
        return
    text, good = said
    (st.success if good else st.error)(literal(text))
    st.toast(literal(text), icon=":material/check:" if good else ":material/error:")


def tell(told: str, text: str, *, good: bool) -> None:
    """Have `draw_told` say something."""
    st.session_state[told] = (text, good)


def _take(told: str, take: Take) -> None:
    turn = st.session_state.get(_turn(told), 0)
    given = st.session_state.get(f"{told}-file-{turn}")
    if given is None:
        return
    st.session_state[_turn(told)] = turn + 1
    try:
        tell(told, take(given.name, given.getvalue()), good=True)
    except UserError as error:
        tell(told, str(error), good=False)


def _turn(told: str) -> str:
    return f"{told}-turn"
