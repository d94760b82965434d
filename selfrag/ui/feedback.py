"""What a person says of an answer: a thumb, and a note, kept with the run and changeable."""

from collections.abc import Callable, Sequence

import streamlit as st

from selfrag.service import SelfRag
from selfrag.ui.colours import main_button
from selfrag.ui.dialogs import dialog
from selfrag.ui.guarded import guarded

_SAID = "feedback"  #: what was said of the runs of this page
_LONGEST = 4_000  #: characters of a note
_THUMBS = {True: 1, False: 0}


def load_feedback(rag: SelfRag, run_ids: Sequence[str]) -> None:
    """Read what was said of all runs of the page at once, for `draw_feedback`."""
    st.session_state[_SAID] = rag.feedback.of(run_ids)


def draw_feedback(rag: SelfRag, run_id: str) -> None:
    """Draw thumbs and note of a run on one line, as they were left."""
    with st.container(horizontal=True, width="content", vertical_alignment="center", gap="small"):
        _draw(rag, run_id)


def _draw(rag: SelfRag, run_id: str) -> None:
    said = st.session_state.get(_SAID, {}).get(run_id)
    thumb, note = f"thumb-{run_id}", f"note-{run_id}"
    # The records know best: it may have been changed in another tab.
    st.session_state[thumb] = _THUMBS.get(said.thumb) if said and said.thumb is not None else None

    def keep() -> None:
        known = rag.feedback.of([run_id]).get(run_id)
        given = st.session_state.get(thumb)
        written = st.session_state.get(note, known.note if known else "")
        rag.feedback.put(run_id, None if given is None else given == 1, written)

    st.feedback("thumbs", key=thumb, on_change=guarded(keep))
    written = said.note if said else ""
    label = "Your note" if written else "Add a note"
    if st.button(label, icon=":material/sticky_note_2:", type="tertiary", key=f"noting-{run_id}"):
        _note(note, written, keep)


@dialog("Your note", icon=":material/sticky_note_2:")
def _note(key: str, written: str, keep: Callable[[], None]) -> None:
    # No popover: at the foot of a page it opens below the window.
    with st.form(f"{key}-form", border=False):
        st.text_area(
            "Note",
            value=written,
            key=key,
            max_chars=_LONGEST,
            placeholder="What is good or wrong about this answer?",
        )
        kept = st.form_submit_button("Keep the note", type=main_button(), on_click=guarded(keep))
    if kept:
        st.rerun()
