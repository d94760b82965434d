"""Callbacks whose errors become a sentence at the top of the page.

Streamlit runs a callback before the script, outside of what turns the errors of a page into
sentences: what it raises would be shown as a traceback.
"""

import functools
import logging
from collections.abc import Callable
from typing import Any

import streamlit as st

from selfrag.errors import ModelError, UserError
from selfrag.ui.literal import literal

logger = logging.getLogger(__name__)

_SAID = "callback-said"  #: of the callbacks since the page was drawn last


def guarded(callback: Callable[..., Any]) -> Callable[..., None]:
    """The callback, which keeps what it raises for `draw_said`."""

    @functools.wraps(callback)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            callback(*args, **kwargs)
        except (UserError, ModelError) as error:
            _say(str(error))
        except Exception:
            name = getattr(callback, "__qualname__", callback)
            logger.exception("the callback %s failed", name)
            _say(
                "Something went wrong, and what you clicked was not done. Try it again; if that "
                "does not help, the log of the application says what happened."
            )

    return run


def draw_said() -> None:
    """Show what went wrong in a click, once."""
    for text in st.session_state.pop(_SAID, ()):
        st.error(literal(text), icon=":material/error:")


def _say(text: str) -> None:
    st.session_state.setdefault(_SAID, []).append(text)
