"""Where a question is asked: the input, which documents to ask, and how."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from selfrag.errors import UserError
from selfrag.records.documents import DocumentRecord
from selfrag.reflection.strategy import Strategy
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from selfrag.ui.conversation import Conversation, start_anew
from selfrag.wording import count

MODES = {
    Mode.FULL: "The whole funnel",
    Mode.HYBRID_RERANK: "Both, reranked",
    Mode.HYBRID_MMR: "Both, near repeats dropped",
    Mode.HYBRID: "Both: by words and meaning",
    Mode.DENSE: "By meaning (dense)",
    Mode.BM25: "By words (BM25)",
}
STRATEGIES = {
    Strategy.SELFRAG: "Self-RAG: every claim is checked",
    Strategy.CRITIQUE: "Critique: one look over the answer",
    Strategy.PLAIN: "Plain: search and write, unchecked",
}
_ASKED = "asked"  #: (question, run it replaces) to be started
_REFUSED = "refused"  #: (question, reason) of a question that could not be asked
_DOCUMENTS = "ask-documents"
_MODE = "ask-mode"
_RETRIES = "ask-retries"
_STRATEGY = "ask-strategy"


@dataclass(frozen=True, slots=True)
class Asker:
    """Starts runs with the options of this tab and puts them into its conversation."""

    rag: SelfRag
    conversation: Conversation

    def ask(self, question: str, *, in_place_of: str | None = None) -> None:
        """Note a question, to be taken up when the page is drawn next; a callback."""
        st.session_state[_ASKED] = (question, in_place_of)

    def take_up(self) -> None:
        """Start the run of a question that was noted; a refusal is kept for the page to show."""
        state: Any = st.session_state
        # Taken out first: whatever goes wrong must not go wrong again at every click.
        question, in_place_of = state.pop(_ASKED, (None, None))
        if question is None:
            return
        ready = {record.id for record in self.rag.ready()}
        chosen = [document for document in state.get(_DOCUMENTS) or [] if document in ready]
        try:
            run = self.rag.start(
                question,
                mode=state.get(_MODE, Mode.FULL),
                documents=chosen or None,
                max_retries=state.get(_RETRIES),
                strategy=state.get(_STRATEGY),
                history=self.conversation.history(self.rag),
            )
        except UserError as error:
            state[_REFUSED] = (question, str(error))
            return
        if in_place_of is None:
            self.conversation.add(run.id)
        else:
            self.conversation.replace(in_place_of, run.id)


def draw_ask(asker: Asker, *, busy: bool) -> None:
    """Draw the input and its options at the bottom of the page."""
    with st.bottom:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _documents(asker.rag.ready())
            _settings(asker.rag)
            if asker.conversation.runs:
                st.button(
                    "New chat",
                    icon=":material/add_comment:",
                    type="tertiary",
                    on_click=start_anew,
                    disabled=busy,
                )
        st.chat_input(
            "Wait for this answer, or stop it" if busy else "Ask about your documents",
            key="question",
            disabled=busy,
            on_submit=lambda: asker.ask(st.session_state.question),
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


def _documents(ready: list[DocumentRecord]) -> None:
    names = {record.id: record.name for record in ready}
    kept = [item for item in st.session_state.get(_DOCUMENTS, []) if item in names]
    label = f"{len(kept)} of {count(len(ready), 'document')}" if kept else "All documents"
    with st.popover(label, icon=":material/library_books:", type="tertiary", key="ask-where"):
        if _DOCUMENTS in st.session_state and kept != st.session_state[_DOCUMENTS]:
            st.session_state[_DOCUMENTS] = kept
        st.multiselect(
            "Documents to search in",
            list(names),
            key=_DOCUMENTS,
            format_func=lambda item: names.get(item, item),
            placeholder=f"All {count(len(ready), 'document')}",
            persist_state="session",
        )


def _settings(rag: SelfRag) -> None:
    with st.popover("Options", icon=":material/tune:", type="tertiary", key="ask-how"):
        st.selectbox(
            "Search",
            list(MODES),
            key=_MODE,
            format_func=MODES.__getitem__,
            persist_state="session",
        )
        if _STRATEGY not in st.session_state:
            st.session_state[_STRATEGY] = Strategy(rag.settings.strategy)
        st.selectbox(
            "Checks",
            list(STRATEGIES),
            key=_STRATEGY,
            format_func=STRATEGIES.__getitem__,
            persist_state="session",
        )
        if _RETRIES not in st.session_state:
            st.session_state[_RETRIES] = rag.settings.max_retries
        st.slider(
            "Retries at most",
            0,
            10,
            key=_RETRIES,
            help="How often the answer may be written again, and how often the search repeated, "
            "before the answer is given as it is. More retries take longer.",
            persist_state="session",
        )
