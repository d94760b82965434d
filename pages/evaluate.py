"""Evaluate: modes of search and ways of answering, measured on many questions, over time."""

import streamlit as st

from selfrag import process
from selfrag.ui import answers_choice, answers_run, evaluate_choice, evaluate_place, evaluate_run
from selfrag.ui.evaluate_history import draw_history, draw_result
from selfrag.ui.links import asked_result

rag = process.current()
st.title("Evaluate", anchor=False)
opened = asked_result()
if opened is not None:
    draw_result(rag, opened)
    st.stop()
evaluate_place.take_up(rag)
search, answers, history = st.tabs(
    [evaluate_place.SEARCH, evaluate_place.ANSWERS, evaluate_place.HISTORY],
    key=evaluate_place.PART,
    on_change="rerun",
)
evaluate_place.remember()
if search.open:
    with search:
        evaluate_run.draw_progress(rag)
        evaluate_choice.draw_choice(rag)
        evaluate_run.draw_run(rag)
if answers.open:
    with answers:
        answers_run.draw_progress(rag)
        answers_choice.draw_choice(rag)
        answers_run.draw_run(rag)
if history.open:
    with history:
        draw_history(rag)
