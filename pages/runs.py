"""Compare answers: two answers, to the same question or to different ones, and what differs.

The address names them (``?a=<run id>&b=<run id>``).
"""

import streamlit as st

from selfrag import process
from selfrag.ui.side_by_side import choose_pair, draw_pair

rag = process.current()
st.title("Compare answers", anchor=False)
a, b = choose_pair(rag)
if a is not None and b is not None:
    draw_pair(rag, a, b)
elif rag.conversations.recent_runs(limit=1):
    st.caption("Choose two answers: see what was done differently, and what came of it.")
else:
    st.caption("There are no answers yet: ask something in the chat first.")
