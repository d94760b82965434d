"""One run in a column beside others: as it goes on, and when it has ended.

What it cites opens over the page, since a column is too narrow for a page of a document.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from selfrag.reflection.differences import place_of
from selfrag.reflection.events import Citation, ClaimGrade
from selfrag.reflection.folding import RunView, readable
from selfrag.reflection.pathway import shape_of
from selfrag.reflection.run import Run
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.answer import draw_answer
from selfrag.ui.colours import badge
from selfrag.ui.dialogs import dialog
from selfrag.ui.evidence import draw_evidence, evidence_key, source_key
from selfrag.ui.feedback import draw_feedback
from selfrag.ui.graph_path import draw_path
from selfrag.ui.guarded import guarded
from selfrag.ui.levels import Level
from selfrag.ui.links import to_quote
from selfrag.ui.literal import harmless, literal, verbatim
from selfrag.ui.quoted import shortened
from selfrag.ui.share import draw_share
from selfrag.ui.step_details import CLAIMS
from selfrag.ui.timeline import Timeline
from selfrag.ui.trace_link import draw_trace
from selfrag.ui.verdict import draw_no_model, draw_verdict, foot_line
from selfrag.ui.weighed import draw_weighed

_QUOTE = 160  #: characters
_BROKEN = ("failed", "stopped")
_OPEN = "column-evidence"  #: the run whose sources lie open over the page


@dataclass(frozen=True, slots=True)
class Alone:
    """What only this column has.

    Attributes:
        claims: texts; ``places``: (document, page).
        where: what is said of them, such as ``only in A``.
    """

    claims: frozenset[str] = frozenset()
    places: frozenset[tuple[str, int]] = frozenset()
    where: str = "only here"


NOTHING = Alone()


def draw_ended(
    rag: SelfRag,
    run_id: str,
    view: RunView,
    *,
    alone: Alone = NOTHING,
    again: Callable[[str], None] | None = None,
) -> None:
    """Draw a run that has ended: what came of it, the answer, what backs it, how it came about.

    Args:
        again: called with the run's id to answer once more, where that is offered.
    """
    end = view.finished
    if end is None:
        st.error("This run was cut off when the application was closed.")
    else:
        draw_verdict(view)
        draw_weighed(end)
        if end.status in _BROKEN and again is not None:
            st.button(
                "Try again",
                key=f"again-{run_id}",
                icon=":material/refresh:",
                on_click=guarded(again),
                args=(run_id,),
            )
        _answer(run_id, view)
        st.caption(foot_line(view))
        draw_trace(end.trace_url)
        _claims(end.claims, alone)
        _citations(end.citations, alone)
    with st.expander("Step by step", type="compact", icon=":material/list:"):
        Timeline(Level.STORY).draw(view)
    path = _path(run_id)
    if path is not None:
        with path:
            draw_path(view.nodes, finished=end is not None, shape=shape_of(view))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        draw_share(rag, run_id, view, presented=False)
        draw_feedback(rag, run_id)


def draw_opened(rag: SelfRag, views: dict[str, RunView]) -> bool:
    """Open the sources that were clicked in one of the columns; whether some are."""
    run_id = st.session_state.get(_OPEN)
    if run_id not in views:
        st.session_state.pop(_OPEN, None)
        return False
    _evidence(rag, run_id, views[run_id])
    return True


@dialog("Where it stands", width="medium", on_dismiss=lambda: st.session_state.pop(_OPEN, None))
def _evidence(rag: SelfRag, run_id: str, view: RunView) -> None:
    draw_evidence(rag, run_id, view)


def _answer(run_id: str, view: RunView) -> None:
    end = view.finished
    assert end is not None
    if not end.answer:
        return
    if end.status in _BROKEN:
        # What was broken off has marks that were never checked against anything.
        st.markdown(as_written(view)(readable(end.answer)))
    elif end.status == "abstained":
        st.markdown(verbatim(end.answer))
    else:
        draw_answer(
            end.answer,
            end.claims,
            end.citations,
            key=f"answer-{run_id}",
            shown=None,
            evidence=evidence_key(run_id),
            quoted=bool(view.started and not view.started.language_model),
            on_cited=partial(_open, run_id),
        )
        draw_no_model(view)


def as_written(view: RunView) -> Callable[[str], str]:
    """How a text that was not checked is shown: a model's as Markdown, a document's as it is."""
    return harmless if view.started and view.started.language_model else verbatim


def _open(run_id: str, key: str) -> None:
    number = st.session_state[key].cited
    if number is not None:
        st.session_state[source_key(run_id)] = int(number)
        st.session_state[_OPEN] = run_id


def _claims(claims: Sequence[ClaimGrade], alone: Alone) -> None:
    if not claims:
        return
    st.markdown("**Claims**")
    for claim in claims:
        mark = _mark(claim.text in alone.claims, alone)
        st.markdown(f"{badge(*CLAIMS[claim.support])} {literal(claim.text)}{mark}")


def _citations(citations: Sequence[Citation], alone: Alone) -> None:
    if not citations:
        return
    st.markdown("**Citations**")
    for citation in citations:
        mark = _mark(place_of(citation) in alone.places, alone)
        # The page first: a narrow column cuts off what is at the end.
        page = literal(citation.label or str(citation.page))
        st.page_link(
            page_list.documents(),
            label=f"{citation.number} · page {page}, {literal(citation.document, 50)}",
            icon=":material/open_in_new:",
            query_params=to_quote(citation.document_id, citation.page, citation.quote, None),
        )
        st.caption(f"“{literal(shortened(citation.quote, _QUOTE))}”{mark}")


def _mark(is_alone: bool, alone: Alone) -> str:
    return f" :gray-badge[{alone.where}]" if is_alone else ""


def _path(run_id: str) -> DeltaGenerator | None:
    """Where the way through the graph is drawn; None while nobody wants to see it: several graphs
    that are laid out anew at each step keep a browser busy."""
    opened = st.expander(
        "The path through the graph",
        type="compact",
        icon=":material/account_tree:",
        key=f"path-{run_id}",
        on_change="rerun",
    )
    return opened.empty() if opened.open else None


class LiveColumn:
    """A run under way in a column; call `take` and `draw` as often as there may be something."""

    def __init__(self, run: Run, view: RunView, position: int) -> None:
        self._run, self._view, self._position = run, view, position
        st.markdown("##### :primary[:material/pending: Working on it]", anchors=False)
        self._draft = st.empty()
        self._timeline = Timeline(Level.STORY)
        self._path = _path(run.id)
        self._shown: dict[str, object] = {}

    def take(self) -> bool:
        """Take in what has happened since; whether the run has ended."""
        fresh, closed = self._run.log.since(self._position)
        for event in fresh:
            self._view.add(event)
        self._position += len(fresh)
        return closed

    def draw(self) -> None:
        """Bring the column up to date; what has not changed is left alone."""
        view = self._view
        if view.draft and self._new("draft", view.draft):
            self._draft.markdown(as_written(view)(view.draft))
        if self._new("nodes", (len(view.nodes), view.running is None)):
            self._timeline.draw(view)
            if self._path is not None:
                with self._path:
                    draw_path(view.nodes, finished=False, shape=shape_of(view))

    def _new(self, what: str, value: object) -> bool:
        changed = self._shown.get(what) != value
        self._shown[what] = value
        return changed
