"""Dialogs over the page, and the one that asks before anything is deleted.

What is clicked in a dialog is done once the script of the page has ended, and a page that follows
a run ends with the run. So whoever follows something looks at `is_open` and leaves off: behind
the dialog nothing moves, and when it is closed the page is drawn anew and followed again.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from selfrag.ui.colours import main_button
from selfrag.ui.guarded import guarded

_OPEN = "dialog-open"
P = ParamSpec("P")


def dialog(title: str, **options: Any) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """As `st.dialog`, and known to those who follow something on the page."""

    def decorate(content: Callable[P, None]) -> Callable[P, None]:
        show = st.dialog(title, **{"on_dismiss": "rerun", **options})(content)

        @wraps(content)
        def opened(*args: P.args, **kwargs: P.kwargs) -> None:
            st.session_state[_OPEN] = True
            show(*args, **kwargs)

        return opened

    return decorate


def none_open() -> None:
    """The page is drawn from its beginning: no dialog has been opened yet."""
    st.session_state[_OPEN] = False


def is_open() -> bool:
    """Whether a dialog was opened as the page was drawn."""
    return bool(st.session_state.get(_OPEN, False))


def confirm_deletion(
    title: str,
    said: Sequence[str],
    delete: Callable[[], None],
    *,
    keep: str = "Keep it",
    forget: Callable[[], None] = lambda: None,
) -> None:
    """Ask whether something is to be deleted for good.

    Args:
        said: what goes and what stays, each a paragraph of Markdown.
        delete: called by the click, before the page is drawn anew.
        keep: the other button.
        forget: called where it is kept, or the dialog is closed.
    """

    @dialog(title, icon=":material/delete:", on_dismiss=forget)
    def ask() -> None:
        for words in said:
            st.markdown(words)
        with st.container(horizontal=True, horizontal_alignment="right"):
            kept = st.button(keep, key="delete-not", on_click=forget)
            done = st.button(
                "Delete", type=main_button(), key="delete-for-good", on_click=guarded(delete)
            )
        if kept or done:
            st.rerun()

    ask()
