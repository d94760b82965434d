"""One document: what it is, what became of each page, and its pages beside their text."""

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from selfrag.documents.placing import PageOf, parts_on
from selfrag.errors import UserError
from selfrag.pages import Page, PageKind
from selfrag.records.documents import DocumentRecord, State
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.document_actions import actions, read_again
from selfrag.ui.document_search import Place, search_box
from selfrag.ui.document_sizes import own_sizes
from selfrag.ui.jobs import jobs_panel
from selfrag.ui.links import CHAT, PAGE, asked_chat, asked_page, asked_quote, close_document
from selfrag.ui.literal import literal
from selfrag.ui.page_kinds import in_words
from selfrag.ui.page_reader import page_reader
from selfrag.ui.remarks import draw_remark
from selfrag.wording import count, day, language, runs, size

_LEFT_OUT = {
    PageKind.FAILED: (":red[:material/error:]", "Could not be read"),
    PageKind.SCANNED: (":orange[:material/image:]", "Only an image, needs text recognition (OCR)"),
    PageKind.EMPTY: (":gray[:material/draft:]", "Nothing stands on these pages"),
}
_FEW = 9  #: pages up to which each has its number in the row
_BUTTON = 36  #: pixels of a number with the gap after it
_BORDERS = "chunk_borders"  #: in the session: whether the borders of chunks are drawn
_MOST_RUNS = 24  #: runs of pages that are offered per reason


def document_view(rag: SelfRag, document_id: str) -> None:
    """Draw the document."""
    _ways_back()
    try:
        record = rag.document(document_id)
    except UserError:
        st.warning(
            "This document is not in your library, or no longer. Go back to the list to see "
            "what is there.",
            icon=":material/link_off:",
        )
        return
    _head(rag, record)
    if record.state is State.READY:
        for note in record.notes:
            draw_remark(note)
    jobs_panel(rag, record.name)
    if record.state is State.FAILED:
        _failed(rag, record)
    elif record.state is not State.READY and not rag.jobs.busy:
        st.warning(
            "It has not been read to its end. Start the application again to go on with it.",
            icon=":material/sync:",
        )
    pages = rag.pages(document_id)
    if pages and record.state in (State.READY, State.FAILED):
        _pages(rag, record, pages)


def _ways_back() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="ways_back"):
        st.button(
            "All documents",
            icon=":material/arrow_back:",
            type="tertiary",
            key="back",
            on_click=close_document,
        )
        chat = asked_chat()
        if chat is not None:
            st.page_link(
                page_list.chat(),
                label="Back to the chat",
                icon=":material/forum:",
                query_params={CHAT: chat},
            )


def _head(rag: SelfRag, record: DocumentRecord) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="document_head"):
        st.subheader(literal(record.name, 90), anchor=False, width="stretch")
        if record.state in (State.READY, State.FAILED):
            actions(rag, record)
    kinds = f"{count(record.page_count, 'page')}, {in_words(record.pages)}" if record.pages else ""
    facts = [
        kinds,
        count(record.children, "chunk") if record.children else "",
        own_sizes(record),
        language(record.language) or "",
        size(record.bytes),
        f"added {day(record.added_at, st.context.timezone)}",
    ]
    st.caption(" · ".join(fact for fact in facts if fact))
    if record.title and record.title.strip() != record.name:
        st.caption(f"Title in the file: {literal(record.title, 160)}")


def _failed(rag: SelfRag, record: DocumentRecord) -> None:
    st.error(literal(record.error or "It could not be taken in."), icon=":material/error:")
    with st.container(width=460, key="document_again"):
        read_again(rag, record, key="failed")


def _pages(rag: SelfRag, record: DocumentRecord, pages: Sequence[Page]) -> None:
    places: list[Place] = []
    chosen = None
    if record.state is State.READY:
        _left_out(pages)
        places, chosen = search_box(pages, record.id)
    page = _chosen_page(record, pages)
    here = [index for index, place in enumerate(places) if place.page == page.number]
    hits = [(places[index].start, places[index].end) for index in here]
    marked = here.index(chosen) if chosen in here else None
    if not places and (quoted := parts_on(asked_quote(), page.number, _numbered(pages))):
        hits, marked = [(span.start, span.end) for span in quoted], 0
        st.caption(":material/format_quote: The words quoted in the chat are marked.")
    page_reader(
        rag,
        record.id,
        page,
        rag.chunks(record.id),
        borders=st.session_state.get(_BORDERS, True),
        hits=hits,
        chosen=marked,
    )


def _numbered(pages: Sequence[Page]) -> PageOf:
    return {page.number: page for page in pages}.get


def _chosen_page(record: DocumentRecord, pages: Sequence[Page]) -> Page:
    """The row of page numbers; the address follows it, and is followed where it was changed."""
    seen, times = f"page_seen_{record.id}", f"page_times_{record.id}"
    asked = asked_page(len(pages))
    if st.session_state.get(seen) != asked:
        # Changed by a link, a search hit or the browser: another key makes a widget that obeys.
        st.session_state[times] = st.session_state.get(times, 0) + 1
    with st.container(horizontal=True, vertical_alignment="center", key="page_bar"):
        number = 1
        if len(pages) > 1:
            key = f"page_{record.id}_{st.session_state[times]}"
            shown, width = _row(len(pages))
            number = st.pagination(
                len(pages), default=asked, key=key, max_visible_pages=shown, width=width
            )
        page = pages[number - 1]
        printed = (page.label or "").strip()
        label = f" (printed as {literal(printed)})" if printed not in ("", str(number)) else ""
        st.caption(f"Page {number} of {len(pages)}{label}", width="stretch")
        if record.children:
            # Off at first where a quote is looked at, so that its mark stands out.
            st.session_state.setdefault(_BORDERS, not asked_quote())
            st.toggle("Chunk borders", key=_BORDERS, persist_state="session")
    if page.reason and page.text:
        st.caption(f":orange[:material/info:] {literal(page.reason)}")
    st.session_state[seen] = number
    if st.query_params.get(PAGE) != str(number):
        st.query_params[PAGE] = str(number)
    return page


def _row(pages: int) -> tuple[int, int | Literal["content"]]:
    """How many page numbers to show, and the pixels they take.

    Left to itself, or with room for fewer than five, Streamlit leaves out pages of a short
    document that would fit. Of a long one the numbers are as wide as they are.
    """
    if pages > _FEW:
        return 7, "content"
    return _FEW, _BUTTON * (max(pages, 5) + 2)


def _left_out(pages: Sequence[Page]) -> None:
    """Which pages searching cannot find, and why; a click goes there."""
    reasons: dict[tuple[PageKind, str], list[int]] = {}
    for page in pages:
        if page.kind in _LEFT_OUT:
            why = (page.reason if page.kind is PageKind.FAILED else None) or _LEFT_OUT[page.kind][1]
            reasons.setdefault((page.kind, why), []).append(page.number)
    if not reasons:
        return
    total = sum(map(len, reasons.values()))
    verb = "is" if total == 1 else "are"
    with st.expander(
        f"{total:,} of {count(len(pages), 'page')} {verb} left out of search",
        icon=":material/info:",
    ):
        for number, ((kind, why), numbers) in enumerate(reasons.items()):
            st.markdown(f"{_LEFT_OUT[kind][0]} {literal(why)}")
            with st.container(horizontal=True, gap="small"):
                found = runs(numbers)
                for first, last in found[:_MOST_RUNS]:
                    st.button(
                        f":primary[p. {first}{'' if first == last else f'–{last}'}]",
                        key=f"left_{number}_{first}",
                        type="tertiary",
                        on_click=_go,
                        args=(first,),
                    )
                if len(found) > _MOST_RUNS:
                    st.caption(f"and {len(found) - _MOST_RUNS} more")


def _go(page: int) -> None:
    st.query_params[PAGE] = str(page)
