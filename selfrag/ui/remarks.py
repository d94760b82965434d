"""What the reader remarked on a document: a sentence, and folded up what would help."""

import streamlit as st

from selfrag.ui.literal import literal


def draw_remark(note: str) -> None:
    """Draw a remark: its first paragraph in view, what follows in an expander.

    The last of several paragraphs holds commands, which are to be copied as they stand.
    """
    said, *rest = note.split("\n\n")
    st.caption(f":orange[:material/info:] {literal(said)}")
    if not rest:
        return
    with st.expander("What would help", icon=":material/build:"):
        for paragraph in rest[:-1]:
            st.markdown(literal(paragraph))
        st.code(rest[-1], language=None, wrap_lines=True)
