"""Finding words in one document: every place, with what stands around it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from selfrag.pages import Page
from selfrag.ui.links import PAGE
from selfrag.ui.literal import literal
from selfrag.wording import count

MOST = 200  #: places that are listed
_AROUND = 45  # characters of context on either side


@dataclass(frozen=True, slots=True)
class Place:
    """A place where the words stand: ``start`` and ``end`` are characters of the page's text."""

    page: int
    start: int
    end: int
    before: str
    found: str
    after: str


def find(pages: Sequence[Page], wanted: str) -> list[Place]:
    """Every place where ``wanted`` stands, in order; white space and case do not matter.

    The words may be divided by a line's end. At most ``MOST`` places.
    """
    words = wanted.split()
    if not words:
        return []
    pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
    places: list[Place] = []
    for page in pages:
        for match in pattern.finditer(page.text):
            if len(places) == MOST:
                return places
            start, end = match.span()
            places.append(
                Place(
                    page=page.number,
                    start=start,
                    end=end,
                    before=page.text[max(0, start - _AROUND) : start],
                    found=match.group(),
                    after=page.text[end : end + _AROUND],
                )
            )
    return places


def search_box(pages: Sequence[Page], document_id: str) -> tuple[list[Place], int | None]:
    """Draw the search; returns the places found and the index of the chosen one, if any."""
    key = f"search_{document_id}"
    wanted = st.text_input(
        "Search in this document",
        key=key,
        placeholder="Search in this document",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    places = find(pages, wanted)
    if not wanted.strip():
        return [], None
    if not places:
        st.caption(
            f":orange[:material/search_off:] “{literal(wanted, 60)}” does not stand in the text "
            "of this document."
        )
        return [], None
    chosen = st.session_state.get(f"hit_{document_id}")
    if chosen is None or chosen[0] != wanted:
        chosen = None
    on = len({place.page for place in places})
    more = "the first " if len(places) == MOST else ""
    st.caption(f"{more}{count(len(places), 'place')} on {count(on, 'page')}")
    with st.container(height=min(44 * len(places) + 24, 220), gap=None, key="document_hits"):
        for index, place in enumerate(places):
            st.button(
                _label(place),
                key=f"hit_{document_id}_{index}",
                type="tertiary",
                on_click=_choose,
                args=(document_id, wanted, index, place.page),
            )
    return places, None if chosen is None else chosen[1]


def _label(place: Place) -> str:
    # A space is drawn where there is one: the words may stand inside a longer one.
    left = " " if place.before[-1:].isspace() else ""
    right = " " if place.after[:1].isspace() else ""
    return (
        f":gray[p. {place.page}] …{literal(place.before)}{left}"
        f":orange-background[{literal(place.found)}]{right}{literal(place.after)}…"
    )


def _choose(document_id: str, wanted: str, index: int, page: int) -> None:
    st.session_state[f"hit_{document_id}"] = (wanted, index)
    st.query_params[PAGE] = str(page)
