"""What a person can do after an answer: a button for each thing that helps, or none."""

from collections.abc import Callable

import streamlit as st

from selfrag.reflection.events import RunStarted
from selfrag.reflection.folding import RunView
from selfrag.reflection.shortfall import Shortfall, shortfall
from selfrag.reflection.story import verdict
from selfrag.reflection.strategy import Strategy
from selfrag.service import SelfRag
from selfrag.ui import choices, page_list
from selfrag.ui.guarded import guarded
from selfrag.ui.verdict import answers_nothing

Ask = Callable[[str], None]

_MOST_RETRIES = 10
_MORE = 2  #: retries that are added
_INPUT = "question"
#: what is offered where a budget allows no more
_FEWER = {
    Strategy.CRITIQUE: ("Ask with one look over the answer", "rate_review"),
    Strategy.PLAIN: ("Ask without checks", "edit_note"),
}


def draw_next_steps(rag: SelfRag, run_id: str, view: RunView, ask: Ask) -> None:
    """Draw the buttons under a finished run; nothing where the answer needs none.

    Args:
        ask: asks a question in place of this run.
    """
    end, started = view.finished, view.started
    if end is None or started is None or answers_nothing(view):
        return
    question = view.question
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        lacking = _lacking(rag, view)
        if lacking is not None:
            for strategy, _ in lacking.within[:1]:
                label, icon = _FEWER[strategy]
                _button(label, icon, f"fewer-{run_id}", _with_checks(ask, strategy), question)
            return
        if end.status in ("stopped", "failed"):
            _button("Try again", "refresh", f"again-{run_id}", ask, question)
            return
        if end.status == "answered" and (end.verdict or verdict(end).tone == "good"):
            return
        if end.unclear:  # the choice of documents stands beside the question
            return
        if end.status == "abstained" and started.documents is not None:
            _button(
                "Search all documents", "library_books", f"all-{run_id}", _in_all(ask), question
            )
        if end.status == "unsupported" and view.could_retry and (more := _more_retries(started)):
            label = f"Try again with {more} retries"
            _button(label, "refresh", f"more-{run_id}", _with_retries(ask, more), question)
        _button("Ask in other words", "edit", f"rephrase-{run_id}", _rephrase, question)
        if end.status in ("abstained", "unsupported"):
            st.page_link(
                page_list.documents(), label="Add a document", icon=":material/upload_file:"
            )


def draw_again(question: str, key: str, ask: Ask) -> None:
    """A button that asks the same question once more."""
    _button("Try again", "refresh", key, ask, question)


def _button(label: str, icon: str, key: str, do: Ask, question: str) -> None:
    st.button(label, key=key, icon=f":material/{icon}:", on_click=guarded(do), args=(question,))


def _more_retries(started: RunStarted) -> int | None:
    if started.strategy != Strategy.SELFRAG or started.max_retries >= _MOST_RETRIES:
        return None
    return min(started.max_retries + _MORE, _MOST_RETRIES)


def _lacking(rag: SelfRag, view: RunView) -> Shortfall | None:
    """Why the same question, asked as is chosen now, would be stopped by its budget again."""
    end = view.finished
    if end is None or end.stopped_by != "budget":
        return None
    return shortfall(
        choices.casting(rag).settings,
        choices.options(rag),
        follow_up="question_rewritten" in view.nodes,
    )


def _with_checks(ask: Ask, strategy: Strategy) -> Ask:
    def again(question: str) -> None:
        st.session_state[choices.STRATEGY] = strategy
        ask(question)

    return again


def _with_retries(ask: Ask, retries: int) -> Ask:
    def again(question: str) -> None:
        st.session_state[choices.RETRIES] = retries
        ask(question)

    return again


def _in_all(ask: Ask) -> Ask:
    def again(question: str) -> None:
        st.session_state[choices.DOCUMENTS] = []
        ask(question)

    return again


def _rephrase(question: str) -> None:
    """Put the question into the input, to be changed there."""
    st.session_state[_INPUT] = question
