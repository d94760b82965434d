"""A study under way, and what came of it: one of retrieval or one of answers."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import streamlit as st

from selfrag.evaluation.background import Background
from selfrag.records.results import ResultRecord
from selfrag.service import SelfRag
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.result_words import how_it_came, since_before
from selfrag.ui.under_way import draw_under_way


class _Named(Protocol):
    @property
    def name(self) -> str: ...


S = TypeVar("S", bound=_Named)


def draw_progress(background: Background[S], kept: str) -> None:
    """Draw how far the study under way is; it stands above the choices, where it is seen.

    Args:
        kept: what stays where it is ended, in a sentence.
    """
    view = background.view()
    if view is not None and not view.finished:
        draw_under_way(background, kept)


def draw_run(
    rag: SelfRag,
    background: Background[S],
    draw: Callable[[S, ResultRecord | None, Sequence[str]], None],
) -> None:
    """Draw what came of the last study.

    Args:
        draw: draws a study, given the record that it is kept under and how it came about.
    """
    view = background.view()
    if view is None or not view.finished:
        return
    st.divider()
    if view.error is not None:
        (st.info if view.cancelled else st.error)(literal(view.error))
    elif view.ended is not None:
        done = view.ended
        st.subheader(literal(done.study.name), anchor=False)
        kept = next((it for it in rag.history.all(owner=owner()) if it.id == done.result_id), None)
        draw(done.study, kept, (*how_it_came(done, kept), *since_before(rag, kept)))
