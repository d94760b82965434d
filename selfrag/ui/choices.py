"""What is chosen in this tab for the next question: where to look, who answers, how.

The choices are kept in the session, stored with each conversation when it is asked in, and taken
up again when it is opened.
"""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from selfrag.models.whereabouts import asks_models
from selfrag.reflection.casting import Casting
from selfrag.reflection.options import RunOptions
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from selfrag.ui import own_keys

DOCUMENTS = "ask-documents"
MODE = "ask-mode"
STRATEGY = "ask-strategy"
RETRIEVAL = "ask-retrieval"
RETRIES = "ask-retries"
PASSAGES = "ask-k"
SOURCE = "ask-source"
JUDGE = "ask-judge"
_ALL = (DOCUMENTS, MODE, STRATEGY, RETRIEVAL, RETRIES, PASSAGES, SOURCE, JUDGE)

#: whose models answer
OWN, APPLICATION, NONE = "own", "application", "none"
#: whether to look in the documents: whatever belongs to the strategy
AS_USUAL = "usual"


def fill(rag: SelfRag) -> None:
    """Give every choice that was not made, or can't be had (any more), its usual value."""
    state, settings = st.session_state, rag.settings
    _keep(MODE, list(Mode), Mode.FULL)
    _keep(STRATEGY, list(Strategy), Strategy(settings.strategy))
    _keep(RETRIEVAL, [AS_USUAL, *RetrievalPolicy], settings.retrieval or AS_USUAL)
    _keep(RETRIES, range(11), settings.max_retries)
    _keep(PASSAGES, range(1, 101), settings.retrieval_k_rerank)
    found = sources(rag)
    _keep(SOURCE, found, found[0])
    judges = source_casting(rag).judges()
    _keep(JUDGE, judges, source_casting(rag).settings.judges)
    if DOCUMENTS in state:
        there = {record.id for record in rag.ready()}
        kept = [item for item in state[DOCUMENTS] or [] if item in there]
        if kept != state[DOCUMENTS]:
            state[DOCUMENTS] = kept


def chosen() -> dict[str, Any]:
    """The choices as JSON."""
    state = st.session_state
    return {key: state[key] for key in _ALL if key in state}


def restore(options: dict[str, Any]) -> None:
    """Take up what `chosen` gave; what is not in it is as usual again."""
    for key in _ALL:
        st.session_state.pop(key, None)
    for key, value in options.items():
        if key in _ALL:
            st.session_state[key] = value


def sources(rag: SelfRag) -> list[str]:
    """Whose models can answer, the usual ones first."""
    own = [OWN] if own_keys.current() else []
    return [*own, APPLICATION, *([NONE] if asks_models(rag.settings) else [])]


def source_casting(rag: SelfRag, source: str | None = None) -> Casting:
    """The models of a source (the chosen one where None), whoever is to judge."""
    source = source or st.session_state.get(SOURCE)
    own = own_keys.current()
    if source == OWN and own is not None:
        return own
    if source == NONE:
        return rag.casting.with_parts("quotes", "local")
    return rag.casting


def casting(rag: SelfRag) -> Casting:
    """Who writes and judges the next question."""
    models = source_casting(rag)
    judge = st.session_state.get(JUDGE)
    if judge is None or judge == models.settings.judges or judge not in models.judges():
        return models
    return models.with_parts(None, judge)


def options(rag: SelfRag) -> RunOptions:
    """How the next question is answered."""
    state = st.session_state
    return RunOptions.of(
        rag.settings, state.get(STRATEGY), retrieval(), state.get(RETRIES), state.get(PASSAGES)
    )


def retrieval() -> str | None:
    """Whether to look in the documents; None is as usual for the strategy."""
    value = st.session_state.get(RETRIEVAL, AS_USUAL)
    return None if value == AS_USUAL else value


def documents(rag: SelfRag) -> list[str] | None:
    """The documents to ask; None is all of them."""
    ready = {record.id for record in rag.ready()}
    return [item for item in st.session_state.get(DOCUMENTS) or [] if item in ready] or None


def _keep(key: str, allowed: Sequence[Any], usual: Any) -> None:
    state = st.session_state
    value = state.get(key)
    # The value itself, not what was given: a mode from the records is its name.
    found = next((item for item in allowed if item == value), usual)
    if found is not value:
        state[key] = found
