"""The files of a study to take along: tables for a spreadsheet, all of it, and a page to read."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st


class Kind(NamedTuple):
    """What a file is; ``ending`` follows the name of the study."""

    ending: str
    mime: str
    icon: str


SUMMARY = Kind(".csv", "text/csv", ":material/table:")
SINGLE = Kind("-answers.csv", "text/csv", ":material/table_rows:")
DATA = Kind(".json", "application/json", ":material/data_object:")
PAGE = Kind(".html", "text/html", ":material/description:")


def draw_files(
    name: str,
    tables: dict[str, tuple[Kind, Callable[[], str]]],
    data: Callable[[], dict[str, Any]],
    made_of: dict[str, str],
    page: Callable[[list[tuple[str, str]]], str],
) -> None:
    """Draw a button for each file.

    Args:
        name: of the study.
        tables: what a button says -> the file's kind and what makes it.
        data: makes the study as JSON.
        made_of: what its numbers depend on.
        page: makes the HTML, given that.
    """
    files = {
        **tables,
        "JSON: all of it": (
            DATA,
            lambda: json.dumps({**data(), "made_of": made_of}, ensure_ascii=False),
        ),
        "HTML: the tables": (PAGE, lambda: page(list(made_of.items()))),
    }
    st.space("small")
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (kind, make) in files.items():
            st.download_button(
                label, make, f"{name}{kind.ending}", kind.mime, icon=kind.icon, on_click="ignore"
            )
