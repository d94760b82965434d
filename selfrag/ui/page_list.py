"""The pages of the application, for navigation and for links between them."""

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import StreamlitPage

_FOLDER = Path(__file__).parents[2] / "pages"


def chat() -> StreamlitPage:
    """Chat: the page that opens first."""
    return st.Page(_FOLDER / "chat.py", title="Chat", icon=":material/forum:", default=True)


def documents() -> StreamlitPage:
    """Documents: what is in the library, and adding to it."""
    return st.Page(_FOLDER / "documents.py", title="Documents", icon=":material/library_books:")


def evaluate() -> StreamlitPage:
    """Evaluate: what modes find on many labelled questions."""
    return st.Page(_FOLDER / "evaluate.py", title="Evaluate", icon=":material/query_stats:")


def runs() -> StreamlitPage:
    """Compare answers: one question in several ways, or two earlier answers, side by side."""
    return st.Page(_FOLDER / "runs.py", title="Compare answers", icon=":material/compare_arrows:")


def compare() -> StreamlitPage:
    """Compare search: what several modes find for one question, side by side."""
    return st.Page(_FOLDER / "compare.py", title="Compare search", icon=":material/view_column:")
