"""Evaluate: modes of search and ways of answering, measured on many questions, over time."""

import streamlit as st

from selfrag import process
from selfrag.ui import answers_choice, evaluate_choice, evaluate_place, study_run
from selfrag.ui.answers_page import draw_answers
from selfrag.ui.evaluate_history import draw_history, draw_result
from selfrag.ui.links import asked_result
from selfrag.ui.person import owner
from selfrag.ui.study_page import draw_study

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
        searched = rag.studies.background(owner())
        study_run.draw_progress(searched, "What was searched is kept.")
        evaluate_choice.draw_choice(rag)
        study_run.draw_run(rag, searched, draw_study)
if answers.open:
    with answers:
        answered = rag.answers.background(owner())
        study_run.draw_progress(answered, "What was answered is kept: start it again to go on.")
        answers_choice.draw_choice(rag)
        study_run.draw_run(rag, answered, draw_answers)
if history.open:
    with history:
        draw_history(rag)
