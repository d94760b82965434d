"""Documents that were not read yet when a question was asked: its answer may stand in one."""

import streamlit as st

from selfrag.reflection.folding import RunView
from selfrag.service import SelfRag
from selfrag.wording import count

_MISSING = ("abstained", "unsupported")


def draw_unread(rag: SelfRag, view: RunView) -> None:
    """Say of an answer that was not found how many documents it was not looked for in."""
    end, started = view.finished, view.started
    if end is None or end.status not in _MISSING or started is None or started.documents:
        return
    asked_at = started.started_at
    reading = sum(not job.finished for job in rag.jobs.views())
    since = 0
    if asked_at is not None:
        since = sum(record.added_at + (record.seconds or 0) > asked_at for record in rag.ready())
    if not reading and not since:
        return
    missed = count(reading + since, "document")
    were = "was" if reading + since == 1 else "were"
    then = "Ask again when they are." if reading else "Now they are: ask again."
    if reading + since == 1:
        then = then.replace("they are", "it is")
    st.info(
        f"{missed} {were} not read yet when this was asked. {then}",
        icon=":material/hourglass_top:",
    )
