"""Where a question is asked: the input, which documents to ask, who answers, and how."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from selfrag.errors import UserError
from selfrag.models.whereabouts import asks_models, host_of, who_answers_short
from selfrag.records.documents import DocumentRecord
from selfrag.service import SelfRag
from selfrag.ui import choices
from selfrag.ui.colours import quiet_popover
from selfrag.ui.conversation import Conversation
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.settings_panel import draw_settings
from selfrag.wording import count

_ASKED = "asked"  #: (question, run it replaces) to be started
_REFUSED = "refused"  #: (question, reason) of a question that could not be asked


@dataclass(frozen=True, slots=True)
class Asker:
    """Starts runs with the choices of this tab, in its conversation."""

    rag: SelfRag
    conversation: Conversation

    def ask(self, question: str, *, in_place_of: str | None = None) -> None:
        """Note a question, to be taken up when the page is drawn next; a callback."""
        st.session_state[_ASKED] = (question, in_place_of)

    def take_up(self) -> bool:
        """Start the run of a question that was noted; whether one has begun.

        A refusal is kept for the page to show.
        """
        state: Any = st.session_state
        # Taken out first: whatever goes wrong must not go wrong again at every click.
        question, in_place_of = state.pop(_ASKED, (None, None))
        if question is None:
            return False
        choices.fill(self.rag)
        try:
            self.rag.start(
                question,
                mode=state[choices.MODE],
                documents=choices.documents(self.rag),
                max_retries=state[choices.RETRIES],
                strategy=state[choices.STRATEGY],
                retrieval=choices.retrieval(),
                k=state[choices.PASSAGES],
                place=self.conversation.place(in_place_of),
                casting=choices.casting(self.rag),
            )
        except UserError as error:
            state[_REFUSED] = (question, str(error))
            return False
        return True


def draw_ask(asker: Asker, *, busy: bool) -> None:
    """Draw the input and its options at the bottom of the page."""
    choices.fill(asker.rag)
    with st.bottom:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            choose_documents(asker.rag.ready())
            _settings(asker, busy)
        st.chat_input(
            "Wait for this answer, or stop it" if busy else "Ask about your documents",
            key="question",
            disabled=busy,
            on_submit=guarded(lambda: asker.ask(st.session_state.question)),
        )


def draw_refusal() -> None:
    """Show why the last question could not be asked, with the question to copy."""
    refused = st.session_state.pop(_REFUSED, None)
    if refused is None:
        return
    question, reason = refused
    st.error(reason)
    if question.strip():
        with st.expander("Your question"):
            st.code(question[:5_000], language=None, wrap_lines=True)


def choose_documents(ready: list[DocumentRecord]) -> None:
    """Draw the choice of documents to search in."""
    names = {record.id: record.name for record in ready}
    kept = st.session_state.get(choices.DOCUMENTS) or []
    label = f"{len(kept)} of {count(len(ready), 'document')}" if kept else "All documents"
    with st.popover(label, icon=":material/library_books:", type=quiet_popover(), key="ask-where"):
        st.multiselect(
            "Documents to search in",
            list(names),
            key=choices.DOCUMENTS,
            format_func=lambda item: names.get(item, item),
            placeholder=f"All {count(len(ready), 'document')}",
            persist_state="session",
        )


def _settings(asker: Asker, busy: bool) -> None:
    """Who answers, always in view; a click opens what can be changed."""
    settings = choices.casting(asker.rag).settings
    away = asks_models(settings) and host_of(settings) is not None
    if st.button(
        literal(who_answers_short(settings), 60),
        icon=":material/cloud:" if away else ":material/computer:",
        type="tertiary",
        key="ask-who",
        help="Who writes and judges, how, and what a question costs",
        disabled=busy,
    ):
        draw_settings(asker.rag, bool(asker.conversation.turns))
