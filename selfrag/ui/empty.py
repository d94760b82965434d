"""The Chat page before there is anything to show: nothing added, nothing asked, still reading."""

import streamlit as st

from selfrag.records.documents import DocumentRecord, State
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.ask import Asker
from selfrag.ui.graph_path import draw_path
from selfrag.ui.literal import literal
from selfrag.ui.suggestions import suggestions
from selfrag.wording import count

_PROMISE = (
    "Ask your own PDFs, and see step by step why the answer can or can’t be trusted: what was "
    "found, what was used, and the sentence on the page that backs each claim."
)


def draw_empty_library(rag: SelfRag) -> None:
    """What this does, and the ways in."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("## Answers you can check", anchors=False)
        st.markdown(_PROMISE)
        if any(record.state is not State.FAILED for record in rag.documents()):
            _reading(rag)
        if st.button("Add your PDFs", type="primary", icon=":material/upload_file:"):
            st.switch_page(page_list.documents())
        st.caption(
            "The passages that help with a question go to your language model; nothing else "
            "leaves this computer."
            if rag.settings.llm_configured
            else "Nothing leaves this computer, and nothing has to be set up: no key, no account."
        )
    with right:
        _how_it_works()


def draw_no_question(rag: SelfRag, asker: Asker) -> None:
    """Documents are there and nothing has been asked: what to ask, from what stands in them."""
    ready = rag.ready()
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("## What do you want to know?", anchors=False)
        st.markdown(f"{_where(ready)} can be asked. Every answer shows how it was found.")
        found = suggestions(ready)
        if found:
            st.caption("For example")
        with st.container(gap=None):
            for number, question in enumerate(found):
                st.button(
                    literal(question),
                    key=f"suggestion-{number}",
                    icon=":material/arrow_forward:",
                    type="tertiary",
                    on_click=asker.ask,
                    args=(question,),
                )
    with right:
        _how_it_works()


def _how_it_works() -> None:
    st.markdown("**How an answer is made**")
    draw_path((), finished=False)


def _where(ready: list[DocumentRecord]) -> str:
    if len(ready) == 1:
        return f"**{literal(ready[0].name, 60)}**"
    return f"Your **{count(len(ready), 'document')}**"


@st.fragment(run_every=1.0)
def _reading(rag: SelfRag) -> None:
    """Documents are on their way in: open the page as soon as one can be asked."""
    if rag.ready():
        st.rerun()
    st.info("Your documents are being read; questions can be asked in a moment.")
