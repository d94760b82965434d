"""Compare search: one question in several modes, side by side; label what they found."""

import streamlit as st

from selfrag import process
from selfrag.ui.compare_choice import draw_choice
from selfrag.ui.compare_labels import draw_labels
from selfrag.ui.compare_results import draw_results, nothing_asked, nothing_to_search

rag = process.current()
st.title("Compare search", anchor=False)
st.caption("One question, several ways to search: see which passages each of them finds.")
if not rag.ready():
    nothing_to_search()
    st.stop()
question, variants, shown = draw_choice(rag)
if question and len(variants) > 1:
    draw_results(rag, question, variants, shown)
else:
    if not question:
        nothing_asked(rag)
    draw_labels(rag, variants)
