"""The map of the library under a comparison: where the question lies, and what was found."""

import streamlit as st

from selfrag.errors import ModelError, UserError
from selfrag.evaluation.library_map import LibraryMap
from selfrag.retrieval.comparison import Comparison
from selfrag.service import SelfRag
from selfrag.ui.colours import mode_colours, palette
from selfrag.ui.compare_map_chart import Placed, draw_chart
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.wording import count, listed

FEWEST = 10  #: chunks that are worth a map
_WHOLE, _AROUND = "Whole library", "Around the question"
_UNTRUE = (
    "How far apart distant groups lie, how wide they are, and which way is up mean nothing; a "
    "question is put where most of the chunks nearest to it are."
)


def draw_map(rag: SelfRag, comparison: Comparison, chosen: str | None) -> None:
    """Draw it, or how far it is; ``chosen`` is the passage that has its number."""
    st.markdown("**Where in your library**")
    view = rag.maps.view()
    if view.map is None or (view.map.total < FEWEST and view.progress is not None):
        _under_way(rag)
    elif view.map.total < FEWEST:
        st.caption(
            f"Your library has {count(view.map.total, 'chunk')}: a map begins to show something "
            f"from {FEWEST} on. Add documents to see one."
        )
    else:
        _map(rag, comparison, view.map, chosen)
        if view.newer:
            later = f"{count(view.newer, 'document')} added since: the map is made anew "
            st.caption(later + ("now." if view.progress is not None else "once reading is over."))
        if view.progress is not None or view.error:
            _under_way(rag)


@st.fragment(run_every=1.0)
def _under_way(rag: SelfRag) -> None:
    """How far the map is; draws all anew once it is there."""
    view = rag.maps.view()
    if view.error is not None:
        st.warning(literal(view.error), icon=":material/error:")
        st.button(
            "Try again",
            icon=":material/refresh:",
            type="tertiary",
            key="map-again",
            on_click=guarded(rag.maps.retry),
        )
    elif view.progress is None:
        st.rerun()
    else:
        st.progress(
            view.progress,
            "Making the map of your library: once for each state of it, everything else works "
            "meanwhile.",
        )


def _map(rag: SelfRag, comparison: Comparison, library: LibraryMap, chosen: str | None) -> None:
    names = {record.id: record.name for record in rag.documents()}
    placed, unplaced = _placed(rag, comparison, library)
    with st.container(horizontal=True, vertical_alignment="center"):
        extent = st.segmented_control(
            "Show",
            [_WHOLE, _AROUND],
            default=_WHOLE,
            required=True,
            key="map-extent",
            label_visibility="collapsed",
            persist_state="session",
        )
        marked = st.selectbox(
            "Mark a document",
            list(dict.fromkeys(p.hit.document_id for p in comparison.passages)),
            index=None,
            key="map-document",
            format_func=lambda document: names.get(document, "a removed document"),
            placeholder="Mark a document",
            label_visibility="collapsed",
            width=280,
        )
    st.plotly_chart(
        draw_chart(
            library,
            placed,
            comparison,
            names,
            mode_colours(),
            palette(),
            marked=marked,
            chosen=chosen,
            around=extent == _AROUND,
        ),
        config={"displayModeBar": False},
        key="compare-map",
        alt="The chunks of the library as dots, the question and the passages found among them",
    )
    if unplaced is not None:
        st.caption(f":material/info: Your question is not on the map. {literal(unplaced)}")
    if said := where(library, placed):
        st.markdown(literal(said))
    st.caption(literal(reading(library)))


def _placed(rag: SelfRag, comparison: Comparison, library: LibraryMap) -> tuple[Placed, str | None]:
    """Where question and passages lie; and why the question does not, if so."""
    question, unplaced = None, None
    try:
        (question,) = library.place([rag.embeddings.embed_query(comparison.question)])
    except ModelError as error:
        unplaced = str(error)
    drawn = dict(zip(library.ids, library.positions.tolist(), strict=True))
    others = [p for p in comparison.passages if p.chunk_id not in drawn]
    try:
        vectors = rag.index.vectors([passage.chunk_id for passage in others]) if others else {}
    except UserError as error:
        vectors, unplaced = {}, unplaced or str(error)
    there = [passage for passage in others if passage.chunk_id in vectors]
    elsewhere = library.place([vectors[passage.chunk_id] for passage in there])
    passages = {
        passage.number: (float(drawn[passage.chunk_id][0]), float(drawn[passage.chunk_id][1]))
        for passage in comparison.passages
        if passage.chunk_id in drawn
    }
    passages |= {passage.number: at for passage, at in zip(there, elsewhere, strict=True)}
    return Placed(question, passages), unplaced


def where(library: LibraryMap, placed: Placed) -> str:
    """Which of the passages lie near the question."""
    if placed.question is None or not placed.passages:
        return ""
    away = [n for n, at in placed.passages.items() if not library.near(placed.question, at)]
    near = len(placed.passages) - len(away)
    around = f"near your question (among the {library.neighbourhood} chunks closest to it)"
    total = count(len(placed.passages), "passage")
    if not away:
        return f"All {total} lie {around}." if near > 1 else f"The passage lies {around}."
    if not near:
        return f"None of the {total} lies {around}."
    numbers = listed([str(number) for number in sorted(away)])
    one = len(away) == 1
    return (
        f"{near} of {total} {'lies' if near == 1 else 'lie'} {around}; "
        f"{'passage' if one else 'passages'} {numbers} {'lies' if one else 'lie'} elsewhere: "
        "another part of your library says something about it too, or only shares its words."
    )


def reading(library: LibraryMap) -> str:
    """How to read the map, and how far to trust it."""
    shown = len(library.ids)
    dots = (
        f"Each dot is one of {shown:,} chunks, drawn evenly from the {library.total:,} of your "
        "library."
        if shown < library.total
        else f"Each dot is one of the {shown:,} chunks of your library."
    )
    trust = (
        ""
        if library.kept is None
        else f": of the ten chunks nearest to one in meaning, {10 * library.kept:.0f} are among "
        "its ten nearest here, on average"
    )
    return f"{dots} Dots close together say similar things{trust}. {_UNTRUE}"
