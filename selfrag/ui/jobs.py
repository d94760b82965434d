"""The job list: what is being taken in, what became of it, and what to do where it failed.

It alone is drawn again every second while something runs; the page around it is drawn again only
when a job has ended, since the table has then changed.
"""

from collections.abc import Sequence

import streamlit as st

from selfrag.documents.jobs import JobView
from selfrag.service import SelfRag
from selfrag.ui.guarded import guarded
from selfrag.ui.job_results import result_rows
from selfrag.ui.job_words import progress, share
from selfrag.ui.literal import literal
from selfrag.wording import count

_SHOWN = 4  #: jobs drawn of those that run or wait; the others are counted


def jobs_panel(rag: SelfRag, document: str | None = None) -> None:
    """Draw the jobs; nothing where there are none.

    Args:
        document: name of the document in view: its jobs alone are drawn, and only while they
            run, since the document itself shows what became of them. None for all jobs.
    """
    every = 1.0 if rag.jobs.busy else None
    st.fragment(_panel, run_every=every)(rag, document, _finished(rag.jobs.views()))


def _panel(rag: SelfRag, document: str | None, finished_before: frozenset[str]) -> None:
    views = rag.jobs.views()
    if _finished(views) != finished_before:
        st.rerun()
    if document is not None:
        views = [view for view in views if view.document == document and not view.finished]
    open_jobs = [view for view in views if not view.finished]
    # One element, whatever it holds: a fragment that grew would draw over what stands below it.
    with st.container():
        if open_jobs:
            _running(rag, open_jobs, done=len(views) - len(open_jobs))
        result_rows(rag, [view for view in views if view.finished])


def _finished(views: Sequence[JobView]) -> frozenset[str]:
    return frozenset(view.id for view in views if view.finished)


def _running(rag: SelfRag, views: Sequence[JobView], done: int) -> None:
    with st.container(border=True, key="jobs_running"):
        with st.container(horizontal=True, vertical_alignment="center"):
            left = "" if len(views) == 1 else f" :small[:gray[{done} done]]" if done else ""
            st.markdown(f"**Reading {count(len(views), 'document')}**{left}", width="stretch")
            if len(views) > 1 and st.button("Cancel all", key="cancel_all", type="tertiary"):
                for view in views:
                    rag.jobs.cancel(view.id)
        for view in views[:_SHOWN]:
            _row(rag, view)
        if len(views) > _SHOWN:
            st.caption(f"and {count(len(views) - _SHOWN, 'more document')} waiting")


def _row(rag: SelfRag, view: JobView) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        text = f"{literal(view.document, 60)} :small[:gray[{progress(view)}]]"
        if view.stage == "queued":
            st.markdown(f":small[:orange[:material/hourglass_top:] {text}]", width="stretch")
        else:
            st.progress(share(view), text=text, width="stretch")
        st.button(
            "Cancel",
            key=f"cancel_{view.id}",
            icon=":material/close:",
            type="tertiary",
            on_click=guarded(rag.jobs.cancel),
            args=(view.id,),
        )
