"""Evaluate: what each mode finds on many labelled questions, with tests between them."""

import streamlit as st

from selfrag import process
from selfrag.ui.evaluate_choice import draw_choice
from selfrag.ui.evaluate_run import draw_run

rag = process.current()
st.title("Evaluate", anchor=False)
draw_choice(rag)
draw_run(rag)
