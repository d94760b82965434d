"""Small tables whose cells may hold Markdown; one that is too wide scrolls by itself."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st


def draw_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw it; the first column names the rows."""
    frame = pd.DataFrame([list(row) for row in rows], columns=list(heads))
    # Streamlit sets the values beside an index less far from it than their heads.
    st.table(frame, width="content", border="horizontal", hide_index=True)
