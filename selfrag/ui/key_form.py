"""Where a key is entered for this tab: never shown again, never stored."""

import streamlit as st

from selfrag.errors import UserError
from selfrag.models.own_key import OwnKey
from selfrag.service import SelfRag
from selfrag.ui import choices, own_keys
from selfrag.ui.colours import main_button
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal

_KEY, _ADDRESS = "own-key", "own-address"
_WRITER, _JUDGE = "own-writer", "own-judge"
_WRONG = "own-key-wrong"  #: what was wrong with the last one


def draw_key_form(rag: SelfRag) -> None:
    """Draw the form, or that a key is in use and how to be rid of it."""
    if not rag.settings.own_keys:
        return
    if own_keys.current() is not None:
        st.success("Your key is in use in this tab.", icon=":material/key:")
        st.button("Forget the key", icon=":material/key_off:", on_click=guarded(_forget))
        return
    wrong = st.session_state.pop(_WRONG, None)
    with (
        st.expander(
            "Use a key of your own", icon=":material/key:", expanded=wrong is not None, key="own"
        ),
        st.form("own-key-form", border=False),
    ):
        st.caption(
            "For this tab only, until it is closed or loaded again. It is sent to the endpoint "
            "and nowhere else, and not stored."
        )
        st.text_input("Key", key=_KEY, type="password", autocomplete="off", placeholder="sk-…")
        st.text_input(
            "Address", key=_ADDRESS, placeholder="https://api.openai.com/v1", autocomplete="off"
        )
        st.text_input("Model that writes", key=_WRITER, placeholder="gpt-4.1-mini")
        st.text_input("Model that judges", key=_JUDGE, placeholder="the same")
        st.form_submit_button(
            "Use this key", type=main_button(), on_click=guarded(_use), args=(rag,)
        )
        if wrong:
            st.error(literal(wrong), icon=":material/error:")


def _use(rag: SelfRag) -> None:
    """Take the key out of the input, whatever becomes of it."""
    state = st.session_state
    key, state[_KEY] = state.get(_KEY) or "", ""
    others = [state.get(name) or "" for name in (_ADDRESS, _WRITER, _JUDGE)]
    try:
        state[_WRONG] = own_keys.use(rag, OwnKey.entered(key, *others))
    except UserError as error:
        state[_WRONG] = str(error)
    if state[_WRONG] is None:
        state[choices.SOURCE] = choices.OWN
        state.pop(choices.JUDGE, None)


def _forget() -> None:
    own_keys.forget()
    for key in (choices.SOURCE, choices.JUDGE):
        st.session_state.pop(key, None)
