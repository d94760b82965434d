"""The key of this tab: entered in it, used by its questions, gone when it is closed or reloaded.

What was typed leaves the input at once and becomes a client of the endpoint, which is the only
thing that holds it. Streamlit lets go of the client when the tab's session ends; runs under way
keep it until they are done.
"""

import uuid

import streamlit as st

from selfrag.models.chat import probe
from selfrag.models.own_key import OwnKey
from selfrag.reflection.casting import Casting
from selfrag.service import SelfRag

_TOKEN = "own-key-token"  #: names the client of this session; says nothing of the key


def current() -> Casting | None:
    """The models of this tab's own key, where one was entered."""
    token = st.session_state.get(_TOKEN)
    return _client(token, None) if token else None


def use(rag: SelfRag, own: OwnKey) -> str | None:
    """Use a key from now on; what is wrong with it, where it can't be used.

    The endpoint is asked for its models: one request without tokens.

    Raises:
        UserError: the endpoint needs a key and there is none.
    """
    casting = rag.casting_with(own)
    for model in casting.chat_models:
        found = probe(model)
        if not found.ok:
            casting.close()
            return found.sentence
    forget()
    st.session_state[_TOKEN] = uuid.uuid4().hex
    _client(st.session_state[_TOKEN], casting)
    return None


def forget() -> None:
    """Use it no longer; a callback."""
    token = st.session_state.pop(_TOKEN, None)
    if token:
        # Taken out of the cache, it is closed.
        _client.clear(token, None)


def _close(casting: Casting | None) -> None:
    if casting is not None:
        casting.close()


@st.cache_resource(scope="session", on_release=_close, show_spinner=False)
def _client(token: str, _casting: Casting | None) -> Casting | None:
    return _casting
