"""Evaluate: modes of search and ways of answering, measured on many questions, over time."""

import streamlit as st

from selfrag import process
from selfrag.ui import answers_choice, answers_run
from selfrag.ui.evaluate_choice import draw_choice
from selfrag.ui.evaluate_history import HISTORY, PART, draw_history, draw_result
from selfrag.ui.evaluate_run import draw_run
from selfrag.ui.links import asked_result

rag = process.current()
st.title("Evaluate", anchor=False)
opened = asked_result()
if opened is not None:
    draw_result(rag, opened)
    st.stop()
search, answers, history = st.tabs(
    [":material/search: Search", ":material/edit_note: Answers", HISTORY],
    key=PART,
    on_change="rerun",
)
if search.open:
    with search:
        draw_choice(rag)
        draw_run(rag)
if answers.open:
    with answers:
        answers_choice.draw_choice(rag)
        answers_run.draw_run(rag)
if history.open:
    with history:
        draw_history(rag)
