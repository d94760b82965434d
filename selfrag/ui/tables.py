"""Small tables whose cells may hold Markdown; one that is too wide scrolls by itself."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st


def draw_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw it; the first column names the rows."""
    frame = pd.DataFrame([list(row) for row in rows], columns=list(heads))
    st.table(frame.set_index(heads[0]), width="content", border="horizontal")
