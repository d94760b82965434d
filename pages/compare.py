"""Compare search: one question in several modes, side by side; label what they found."""

import streamlit as st

from selfrag import process
from selfrag.ui import page_list
from selfrag.ui.compare_choice import draw_choice
from selfrag.ui.compare_labels import draw_labels
from selfrag.ui.compare_results import draw_results, nothing_asked, nothing_to_search
from selfrag.ui.links import QUESTION

rag = process.current()
st.title("Compare search", anchor=False)
head = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
head.caption(
    "One question, several ways to search: see which passages each of them finds.",
    width="content",
)
if not rag.ready():
    nothing_to_search()
    st.stop()
question, variants, shown = draw_choice(rag)
if question:
    head.page_link(
        page_list.runs(),
        label="Compare the answers to it",
        icon=":material/compare_arrows:",
        query_params={QUESTION: question},
    )
if question and len(variants) > 1:
    draw_results(rag, question, variants, shown)
else:
    if not question:
        nothing_asked(rag)
    draw_labels(rag, variants)
