"""The library: totals in a line, a search, and a table that stays quick with 1,000 documents."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from selfrag.records.documents import DocumentRecord, State
from selfrag.ui.links import open_document
from selfrag.ui.literal import literal
from selfrag.ui.page_kinds import bar, in_words, left_out
from selfrag.wording import count, language, listed, size

_EVERY, _PARTLY, _FAILED = "All", "With pages left out", "Not taken in"
_STATES = {State.FAILED: "not taken in", State.QUEUED: "waiting", State.REMOVING: "being removed"}
_ROW, _TALLEST = 40, 643  # pixels of a row, and of the table before it scrolls


def documents_table(records: Sequence[DocumentRecord]) -> None:
    """Draw totals, search, filters and table; newest first."""
    with st.container(horizontal=True, key="documents_totals"):
        st.caption(totals(records), width="content")
        st.caption("Click a name to open the document.", width="content")
    with st.container(horizontal=True, vertical_alignment="bottom", key="documents_filter"):
        wanted = st.text_input(
            "Search documents",
            key="documents_search",
            placeholder="Search by name, title or language",
            icon=":material/search:",
            label_visibility="collapsed",
            width="stretch",
        )
        kind = _kind(records)
    shown = [record for record in reversed(records) if _fits(record, wanted, kind)]
    if not shown:
        st.info(
            f"No document fits “{literal(wanted, 80)}”. Try a part of its name, or clear the "
            "search to see all of them."
            if wanted.strip()
            else "No document is left here.",
            icon=":material/search_off:",
        )
        return
    _table(shown)


def totals(records: Sequence[DocumentRecord]) -> str:
    """Such as ``12 documents ready · 310 pages · 1,204 chunks · 3 languages · 14 MB``."""
    ready = [record for record in records if record.state is State.READY]
    languages = {record.language for record in ready if record.language}
    parts = [
        f"{count(len(ready), 'document')} ready",
        count(sum(record.page_count for record in ready), "page"),
        count(sum(record.children for record in ready), "chunk"),
        count(len(languages), "language"),
        size(sum(record.bytes for record in ready)),
    ]
    return " · ".join(parts if ready else parts[:1])


def _kind(records: Sequence[DocumentRecord]) -> str:
    """The filter by what went wrong, where something did."""
    partly = sum(_fits(record, "", _PARTLY) for record in records)
    failed = sum(_fits(record, "", _FAILED) for record in records)
    options = [_EVERY, *([_PARTLY] if partly else []), *([_FAILED] if failed else [])]
    if len(options) == 1:
        return _EVERY
    numbers = {_EVERY: len(records), _PARTLY: partly, _FAILED: failed}
    chosen = st.segmented_control(
        "Show",
        options,
        default=_EVERY,
        required=True,
        format_func=lambda option: f"{option} {numbers[option]:,}",
        key="documents_kind",
        label_visibility="collapsed",
    )
    return chosen or _EVERY


def _fits(record: DocumentRecord, wanted: str, kind: str) -> bool:
    if kind == _FAILED and record.state is not State.FAILED:
        return False
    if kind == _PARTLY and (record.state is State.FAILED or not left_out(record.pages)):
        return False
    about = f"{record.name} {record.title or ''} {language(record.language) or ''}".casefold()
    return all(word in about for word in wanted.casefold().split())


def _table(records: Sequence[DocumentRecord]) -> None:
    zone = st.context.timezone or "UTC"
    dark = st.context.theme.type == "dark"
    columns = st.column_config
    # The first two fit on a phone: what a document is called, and what became of it.
    shown: dict[str, Any] = {
        "name": columns.ButtonColumn(
            "Name",
            type="tertiary",
            alignment="left",
            width=206,
            help="Click a name to see the document's pages and chunks.",
            key="open_document",
            on_click=_open,
            args=([record.id for record in records],),
        ),
        "kinds": columns.TextColumn("What it holds", width=158),
        "bar": columns.ImageColumn("Page kinds", width=104),
        "pages": columns.NumberColumn("Pages", format="localized", width=58),
        "chunks": columns.NumberColumn("Chunks", format="localized", width=72),
        "language": columns.TextColumn("Language", width=92),
        "bytes": columns.NumberColumn("Size", format="bytes", width=74),
        "added": columns.DatetimeColumn("Added", format="D MMM YYYY", timezone=zone, width=104),
    }
    rows = {
        "name": [record.name for record in records],
        "kinds": [_holds(record) for record in records],
        "bar": [bar(record.pages, dark=dark) for record in records],
        "pages": [record.page_count or None for record in records],
        "chunks": [record.children or None for record in records],
        "language": [language(record.language) for record in records],
        "bytes": [record.bytes for record in records],
        "added": [datetime.fromtimestamp(record.added_at, UTC) for record in records],
    }
    st.dataframe(
        rows,
        key="documents_table",
        hide_index=True,
        column_config=shown,
        placeholder="",
        row_height=_ROW,
        height=min(_ROW * (len(records) + 1) + 3, _TALLEST),
        alt=f"The documents: {listed([record.name for record in records[:5]])}",
    )


def _holds(record: DocumentRecord) -> str:
    words = in_words(record.pages)
    if record.state is State.READY:
        return words
    return ", ".join(filter(None, (_STATES.get(record.state, "being read"), words)))


def _open(ids: Sequence[str]) -> None:
    open_document(ids[st.session_state.open_document.row])
