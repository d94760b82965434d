"""A link to the trace of an answer or an evaluation in LangSmith."""

import re

import streamlit as st

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")


def draw_trace(url: str | None) -> None:
    """Draw it where there is one; an address out of a file may be anything, and is looked at."""
    if url and _ADDRESS.fullmatch(url):
        st.link_button("Trace", url, icon=":material/account_tree:", type="tertiary")
