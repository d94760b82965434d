"""Where one is on the Evaluate page: the tab, in the address, and what a study was asked for.

A reload begins a new session of the browser: without the address it would land on the first tab,
and without what is under way the choices would say something else than what is measured.
"""

import streamlit as st

from selfrag.evaluation.answers.studies import Asked as AnswersAsked
from selfrag.evaluation.studies import Asked as SearchAsked
from selfrag.service import SelfRag
from selfrag.ui import answers_choice, evaluate_choice
from selfrag.ui.links import TAB
from selfrag.ui.person import owner

PART = "evaluate-part"  #: key of the tabs
_WRITTEN, _RESTORED = "evaluate-tab-written", "evaluate-restored"
SEARCH, ANSWERS, HISTORY = (
    ":material/search: Search",
    ":material/edit_note: Answers",
    ":material/timeline: History",
)
_NAMES = {"search": SEARCH, "answers": ANSWERS, "history": HISTORY}  #: in the address


def take_up(rag: SelfRag) -> None:
    """Open the tab that the address names, or the one where a study is under way.

    To be called before the tabs are drawn. In a new session the choices become those of the
    study under way, or of the last one.
    """
    state = st.session_state
    if not state.get(_RESTORED):
        state[_RESTORED] = True
        _restore(rag)
    named = st.query_params.get(TAB)
    if PART not in state or (named in _NAMES and named != state.get(_WRITTEN)):
        state[PART] = _NAMES.get(named or "", ANSWERS if _busy_with_answers(rag) else SEARCH)


def remember() -> None:
    """Put the open tab into the address, once the tabs are drawn."""
    label = st.session_state.get(PART)
    name = next((name for name, each in _NAMES.items() if each == label), "search")
    st.session_state[_WRITTEN] = name
    if st.query_params.get(TAB) != name:
        st.query_params[TAB] = name


def _busy_with_answers(rag: SelfRag) -> bool:
    view = rag.answers.background(owner()).view()
    return view is not None and not view.finished


def _restore(rag: SelfRag) -> None:
    search = rag.studies.background(owner()).view()
    if search is not None and isinstance(search.asked, SearchAsked):
        evaluate_choice.restore(search.asked)
    answers = rag.answers.background(owner()).view()
    if answers is not None and isinstance(answers.asked, AnswersAsked):
        answers_choice.restore(answers.asked)
