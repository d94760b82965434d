"""A study of answers under way, and what came of it."""

import streamlit as st

from selfrag.service import SelfRag
from selfrag.ui.answers_page import draw_answers
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.result_words import since_before
from selfrag.ui.under_way import draw_under_way


def draw_run(rag: SelfRag) -> None:
    """Draw the study under way, or the last one."""
    background = rag.answers.background(owner())
    view = background.view()
    if view is None:
        return
    st.divider()
    if not view.finished:
        draw_under_way(background, "What was answered is kept: start it again to go on.")
    elif view.error is not None:
        (st.info if view.cancelled else st.error)(literal(view.error))
    elif view.ended is not None:
        done = view.ended
        st.subheader(literal(done.study.name), anchor=False)
        kept = next((it for it in rag.history.all(owner=owner()) if it.id == done.result_id), None)
        said = [":material/history: All of it was there from an earlier run."] if done.again else []
        draw_answers(done.study, kept, (*said, *since_before(rag, kept)))
