"""A study of retrieval under way, and what came of it."""

import streamlit as st

from selfrag.evaluation.background import Done
from selfrag.evaluation.study import Study
from selfrag.service import SelfRag
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.result_words import how_it_came, since_before
from selfrag.ui.study_page import draw_study
from selfrag.ui.under_way import draw_under_way


def draw_progress(rag: SelfRag) -> None:
    """Draw how far the study under way is; it stands above the choices, where it is seen."""
    background = rag.studies.background(owner())
    view = background.view()
    if view is not None and not view.finished:
        draw_under_way(background, "What was searched is kept.")


def draw_run(rag: SelfRag) -> None:
    """Draw what came of the last study."""
    view = rag.studies.background(owner()).view()
    if view is None or not view.finished:
        return
    st.divider()
    if view.error is not None:
        (st.info if view.cancelled else st.error)(literal(view.error))
    elif view.ended is not None:
        _ended(rag, view.ended)


def _ended(rag: SelfRag, done: Done[Study]) -> None:
    st.subheader(literal(done.study.name), anchor=False)
    kept = next((it for it in rag.history.all(owner=owner()) if it.id == done.result_id), None)
    said = how_it_came(done, kept)
    draw_study(done.study, kept, (*said, *since_before(rag, kept)))
