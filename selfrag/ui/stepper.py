"""Stepping through a run, one scene at a time: behind the replay and the presenter mode alike.

Back and next are buttons and the arrow keys. They stand above the scene: however much there is to
see of one, they are in the same place and in view, on a phone as well. A run under way is
followed: whoever goes past its last scene waits for the next one and sees what it is doing.
"""

import time
from collections.abc import Callable
from functools import partial

import streamlit as st

from selfrag.documents.legibility import shows_as_text
from selfrag.errors import UserError
from selfrag.reflection import events
from selfrag.reflection.folding import RunView, readable
from selfrag.reflection.pathway import shape_of
from selfrag.reflection.run import Run
from selfrag.reflection.scenes import Scene, scenes
from selfrag.reflection.story import DOING
from selfrag.service import SelfRag
from selfrag.ui.arrow_keys import draw_arrow_keys
from selfrag.ui.colours import badge, main_button, toned
from selfrag.ui.conversation import events_of
from selfrag.ui.dialogs import dialog
from selfrag.ui.evidence import quote_png
from selfrag.ui.graph_path import draw_path
from selfrag.ui.literal import harmless, literal, verbatim
from selfrag.ui.quoted import shortened
from selfrag.ui.step_details import CLAIMS, RELEVANT, draw_details

_TICK = 0.25  #: seconds between two looks at whether the person wants something else
_FULL = 3  #: pieces from which a scene fills the screen from top to bottom
_LISTED = 5  #: passages or claims on one scene
_SNIPPET = 140  #: characters of each
_QUOTE = 300
_STRIP = 0.2  #: height of a part of a page inside a card, in widths
_UNREADABLE = "The text of this passage can’t be read: its file does not name its signs. Its page:"


def draw_stepper(
    rag: SelfRag, run_id: str, *, details: bool, leave: Callable[[], None] | None = None
) -> None:
    """Draw the two buttons, the scene that this tab has come to, and the way to it.

    Args:
        details: whether a step shows every number, as in a replay, or what laymen want to see.
        leave: draws what ends it, on the line of the buttons.
    """
    run, log = events_of(rag, run_id)
    view = RunView.of(log)
    found = scenes(view)
    if not found:
        if leave is not None:
            leave()
        st.info("This answer is no longer kept.", icon=":material/history_toggle_off:")
        return
    ended = view.finished is not None
    at = max(0, min(st.session_state.get(scene_key(run_id), 0), len(found) - ended))
    st.session_state[scene_key(run_id)] = at
    waits = at == len(found)
    pieces = 1 if waits else _pieces(found[at])
    alone = pieces == 0 and not details
    # What is little stands in the middle, as a title does on a slide of its own.
    middle = pieces < _FULL and not details
    _buttons(run_id, at, len(found), ended=ended, leave=leave)
    with st.container(key="stage"):
        left, right = st.columns(
            [3, 2], gap="large", vertical_alignment="center" if middle else "top"
        )
        nodes = view.nodes if waits else found[at].nodes
        under_way = waits or found[at].kind in ("step", "retry")
        with right:
            draw_path(
                nodes,
                finished=bool(nodes) and not under_way,
                shape=shape_of(view),
                large=not details,
            )
        body = left.container(key="stage-words" if alone else "stage-more")
    draw_arrow_keys(f"keys-{run_id}", partial(_go, run_id))
    with body:
        if not waits:
            _scene(rag, found[at], view, details=details)
        elif run is not None:
            _wait(run, view, len(log), at)
        else:
            st.markdown("# This run was cut off here", anchors=False)


@dialog("Replay", width="large", icon=":material/replay:")
def replay(rag: SelfRag, run_id: str) -> None:
    """Step through a run over the page that it is on."""
    draw_stepper(rag, run_id, details=True)


def _go(run_id: str, by: int) -> None:
    """Go so many scenes on from wherever the tab is by now, which may not be drawn yet."""
    st.session_state[scene_key(run_id)] = st.session_state.get(scene_key(run_id), 0) + by


def _buttons(
    run_id: str, at: int, known: int, *, ended: bool, leave: Callable[[], None] | None
) -> None:
    last = known - 1 if ended else known
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="small",
        key="stage-buttons",
    ):
        st.button(
            "Back",
            key=f"scene-back-{run_id}",
            icon=":material/arrow_back:",
            disabled=at == 0,
            on_click=_go,
            args=(run_id, -1),
        )
        total = str(known) if ended else "…"
        st.caption(f"{at + 1} of {total}", width="content")
        st.button(
            "Next",
            key=f"scene-next-{run_id}",
            type=main_button(),
            icon=":material/arrow_forward:",
            icon_position="right",
            disabled=at >= last,
            on_click=_go,
            args=(run_id, 1),
        )
        if leave is not None:
            leave()


def _scene(rag: SelfRag, scene: Scene, view: RunView, *, details: bool) -> None:
    mark = f"{toned(scene.tone)} " if scene.tone else ""
    st.markdown(f"# {mark}{literal(scene.title)}", anchors=False)
    if scene.kind == "answer":
        _answer(view)
    if scene.step is not None and details:
        draw_details(scene.step, view)
        return
    st.markdown(" ".join(literal(words) for words in scene.words if words))
    if scene.step is not None:
        _glance(rag, scene.step.event, view)
    if scene.source is not None:
        source = scene.source
        try:
            st.image(
                quote_png(rag, source.document_id, source.page, source.quotes),
                alt=f"Part of page {source.page} of {source.document}, the quote highlighted",
                width="stretch",
            )
        except UserError as error:
            st.warning(literal(str(error)), icon=":material/error:")
            for quote in source.quotes:
                st.markdown(f"> {literal(quote)}")


def _pieces(scene: Scene) -> int:
    """How many things there are to see of a scene besides its title and words."""
    match scene.step.event if scene.step else None:
        case events.Retrieved(hits=listed) | events.ClaimVerdict(evidence=listed):
            return len(listed)
        case events.RelevanceGraded(grades=listed):
            return len(listed)
        case events.SupportGraded(claims=listed):
            return len(listed)
        case events.Generated() | events.UsefulnessGraded() | events.QueryRewritten():
            return 1
    return int(scene.kind in ("answer", "evidence"))


def _answer(view: RunView) -> None:
    if view.finished is not None:
        _text(view.finished.answer, view)


def _text(answer: str, view: RunView) -> None:
    """An answer without anything to click."""
    if not answer:
        return
    quoted = bool(view.started and not view.started.language_model)
    with st.container(border=True):
        st.markdown((verbatim if quoted else harmless)(readable(answer)))


def _glance(rag: SelfRag, event: events.Event | None, view: RunView) -> None:
    """What there is to see of a step at one glance."""
    found = {hit.chunk_id: hit for search in view.searches for hit in search.hits}
    match event:
        case events.Retrieved():
            for hit in event.hits[:_LISTED]:
                _passage(rag, "", hit.document, hit.page, hit)
            _more(len(event.hits))
        case events.RelevanceGraded():
            for grade in event.grades[:_LISTED]:
                mark = f"{badge(*RELEVANT[grade.relevant])} "
                _passage(rag, mark, grade.document, grade.page, found.get(grade.chunk_id))
            _more(len(event.grades))
        case events.Generated():
            _text(event.answer, view)
        case events.UsefulnessGraded():
            st.markdown(f"**{literal(view.question)}**")
            written = view.generated.get(event.attempt)
            _text(written.answer if written else "", view)
        case events.SupportGraded():
            for claim in event.claims[:_LISTED]:
                said = literal(shortened(claim.text, 2 * _SNIPPET))
                st.markdown(f"{badge(*CLAIMS[claim.support])} {said}")
            _more(len(event.claims))
        case events.ClaimVerdict():
            for item in event.evidence[:_LISTED]:
                side = ("bad", "against") if item.against else ("good", "for")
                st.markdown(f"{badge(*side)} “{literal(shortened(item.quote, _QUOTE))}”")
        case events.QueryRewritten() if event.query:
            st.markdown("\n".join(f"- ~{literal(query)}~" for query in event.tried))


def _passage(
    rag: SelfRag, mark: str, document: str, page: int, hit: events.FoundPassage | None
) -> None:
    with st.container(border=True, gap=None):
        st.markdown(f"{mark}**{literal(document, 60)}**, page {page}")
        if hit is None:
            return
        shown = shortened(hit.text, _SNIPPET)
        if shows_as_text(shown):
            st.caption(literal(shown))
            return
        st.caption(_UNREADABLE)
        try:
            st.image(
                quote_png(rag, hit.document_id, page, (hit.text,), _STRIP),
                alt=f"Part of page {page} of {document}",
                width="stretch",
            )
        except UserError as error:
            st.caption(literal(str(error)))


def _more(number: int) -> None:
    if number > _LISTED:
        st.caption(f"and {number - _LISTED} more")


def _wait(run: Run, view: RunView, position: int, at: int) -> None:
    """Show what the run is doing until there is another scene."""
    head, draft, *_ = (st.empty() for _ in range(_LISTED + 3))  # nothing of the scene before
    quoted = bool(view.started and not view.started.language_model)
    while True:
        doing = DOING[view.running.node] if view.running else "Going on"
        seconds = f":small[:gray[{time.time() - run.started_at:.0f} s]]"
        head.markdown(f"# :primary[:material/pending: {doing}] {seconds}", anchors=False)
        if view.draft and view.running and view.running.node == "generator":
            draft.markdown((verbatim if quoted else harmless)(view.draft))
        for event in run.log.follow(position, timeout=_TICK):
            view.add(event)
            position += 1
            if not isinstance(event, events.AnswerDelta):
                break
        if len(scenes(view)) > at:
            st.rerun()
        if run.log.closed and position >= len(run.log.snapshot()):
            st.rerun()


def scene_key(run_id: str) -> str:
    """Where the session keeps the scene that a run has been stepped to, from 0."""
    return f"scene-{run_id}"
