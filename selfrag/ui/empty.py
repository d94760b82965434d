"""Before there is anything to show: nothing added, nothing asked, still reading."""

import streamlit as st

from selfrag.models.whereabouts import asks_models
from selfrag.records.documents import DocumentRecord, State
from selfrag.reflection.explain import PURPOSE
from selfrag.reflection.pathway import LABELS, spine
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.ask import Asker
from selfrag.ui.colours import main_button
from selfrag.ui.dialogs import dialog
from selfrag.ui.graph_path import draw_path
from selfrag.ui.guarded import guarded
from selfrag.ui.jobs import jobs_panel
from selfrag.ui.literal import literal
from selfrag.wording import count

_PROMISE = (
    "Ask your own PDFs, and see step by step why the answer can or can’t be trusted: what was "
    "found, what was used, and the sentence on the page that backs each claim."
)


def draw_empty_library(rag: SelfRag) -> None:
    """What this does, and the three ways in."""
    st.markdown("## Answers you can check", anchors=False)
    st.markdown(_PROMISE, width=760)
    with st.container():  # always there, so that nothing below moves into another's place
        if rag.jobs.busy:
            jobs_panel(rag)
        elif any(record.state is not State.FAILED for record in rag.documents()):
            _reading(rag)
    yours, samples, how = st.columns(3, gap="medium")
    with yours, _choice("Your own documents", "PDFs are read page by page on this machine."):
        if st.button("Add your PDFs", type=main_button(), icon=":material/upload_file:"):
            st.switch_page(page_list.documents())
    with (
        samples,
        _choice(
            "The sample library",
            "House rules, minutes, a manual and a guide in Portuguese, with questions to try.",
        ),
    ):
        st.button(
            "Load the samples",
            icon=":material/local_library:",
            on_click=guarded(_load),
            args=(rag,),
            disabled=rag.jobs.busy,
        )
    with how, _choice("How it works", "Each step on the way to an answer, in plain words."):
        if st.button("Read how it works", icon=":material/account_tree:"):
            how_it_works()
    st.caption(_what_leaves(rag))


def draw_nothing_here(words: str) -> None:
    """An empty library on another page: what that page does, and the way in."""
    st.markdown(f"#### Your library is empty\n{words}")
    if st.button("Add your PDFs", type=main_button(), icon=":material/upload_file:"):
        st.switch_page(page_list.documents())


def _what_leaves(rag: SelfRag) -> str:
    """Where questions and passages go."""
    asked = asks_models(rag.settings)
    if rag.tracing.on:
        return (
            "Tracing is on: questions, passages and answers are sent to LangSmith"
            f"{', and to your language model' if asked else ''}."
        )
    if asked:
        return (
            "The passages that help with a question go to your language model; nothing else "
            "leaves this computer."
        )
    return "Nothing leaves this computer, and nothing has to be set up: no key, no account."


def draw_no_question(rag: SelfRag, asker: Asker) -> None:
    """Documents are there and nothing has been asked: what to ask, from what stands in them."""
    ready = rag.ready()
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("## What do you want to know?", anchors=False)
        st.markdown(f"{_where(ready)} can be asked. Every answer shows how it was found.")
        _suggestions(rag, asker)
        if rag.jobs.busy:
            _more_to_come(rag, len(ready))
        if rag.samples.loaded():
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.caption("The sample library is loaded.", width="content")
                st.button(
                    "Remove the samples",
                    icon=":material/delete:",
                    type="tertiary",
                    on_click=guarded(_remove),
                    args=(rag,),
                )
    with right:
        st.markdown("**How an answer is made**")
        draw_path((), finished=False)


@dialog("How an answer is made", width="large", icon=":material/account_tree:")
def how_it_works() -> None:
    """The graph, and what each of its steps is for."""
    left, right = st.columns([3, 2], gap="large")
    with right:
        draw_path((), finished=False)
    with left:
        for name in spine():
            if name in PURPOSE:
                st.markdown(f"**{LABELS[name]}**  \n{PURPOSE[name]}")
        st.markdown(
            "**When something does not hold**  \nThe answer is written again, told what had no "
            "backing, or the search is repeated with other words. An answer that never passes is "
            "marked as such, and where nothing is found, none is given."
        )


def _load(rag: SelfRag) -> None:
    rag.samples.load()


def _remove(rag: SelfRag) -> None:
    rag.samples.remove()


def _choice(title: str, words: str) -> st.delta_generator.DeltaGenerator:
    """A way in: its name, what it is, and room for its button."""
    box = st.container(border=True, height="stretch")
    box.markdown(f"**{title}**")
    box.markdown(words)
    return box


def _suggestions(rag: SelfRag, asker: Asker) -> None:
    found = rag.suggestions.now()
    if found is None:
        _looking(rag)
        return
    if found:
        st.caption("For example")
    with st.container(gap=None):
        for number, question in enumerate(found):
            st.button(
                literal(question),
                key=f"suggestion-{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=guarded(asker.ask),
                args=(question,),
            )


def _where(ready: list[DocumentRecord]) -> str:
    if len(ready) == 1:
        return f"**{literal(ready[0].name, 60)}**"
    return f"Your **{count(len(ready), 'document')}**"


@st.fragment(run_every=0.5)
def _looking(rag: SelfRag) -> None:
    """Questions are being tried out: draw the page anew when they are there."""
    if rag.suggestions.now() is not None:
        st.rerun()
    st.caption("Looking for good questions in your documents …")


@st.fragment(run_every=1.0)
def _more_to_come(rag: SelfRag, ready: int) -> None:
    """Further documents are on their way in: draw the page anew with each of them."""
    left = sum(not view.finished for view in rag.jobs.views())
    if not left or len(rag.ready()) != ready:
        st.rerun()
    st.caption(f":material/hourglass_top: {count(left, 'more document')} being read")


@st.fragment(run_every=1.0)
def _reading(rag: SelfRag) -> None:
    """Documents are on their way in: open the page as soon as one can be asked."""
    if rag.ready():
        st.rerun()
    st.info("Your documents are being read; questions can be asked in a moment.")
