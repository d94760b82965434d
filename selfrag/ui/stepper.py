"""Stepping through a run, one scene at a time: behind the replay and the presenter mode alike.

Back and next are buttons and the arrow keys. A run under way is followed: whoever goes past its
last scene waits for the next one and sees what it is doing.
"""

import time
from functools import partial

import streamlit as st

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


def draw_stepper(rag: SelfRag, run_id: str, *, details: bool) -> None:
    """Draw the scene that this tab has come to, the way to it, and the two buttons.

    Args:
        details: whether a step shows every number, as in a replay, or what laymen want to see.
    """
    run, log = events_of(rag, run_id)
    view = RunView.of(log)
    found = scenes(view)
    if not found:
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
    with st.container(key="stage"):
        left, right = st.columns(
            [3, 2], gap="large", vertical_alignment="center" if middle else "top"
        )
        nodes = view.nodes if waits else found[at].nodes
        under_way = waits or found[at].kind in ("step", "retry")
        with right:
            draw_path(nodes, finished=bool(nodes) and not under_way, shape=shape_of(view))
        body = left.container(key="stage-words" if alone else "stage-more")
    _buttons(run_id, at, len(found), ended=ended)
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


def _buttons(run_id: str, at: int, known: int, *, ended: bool) -> None:
    last = known - 1 if ended else known
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
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
        _glance(scene.step.event, view)
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


def _glance(event: events.Event | None, view: RunView) -> None:
    """What there is to see of a step at one glance."""
    texts = {hit.chunk_id: hit.text for search in view.searches for hit in search.hits}
    match event:
        case events.Retrieved():
            for hit in event.hits[:_LISTED]:
                _passage("", hit.document, hit.page, hit.text)
            _more(len(event.hits))
        case events.RelevanceGraded():
            for grade in event.grades[:_LISTED]:
                mark = f"{badge(*RELEVANT[grade.relevant])} "
                _passage(mark, grade.document, grade.page, texts.get(grade.chunk_id, ""))
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


def _passage(mark: str, document: str, page: int, text: str) -> None:
    with st.container(border=True, gap=None):
        st.markdown(f"{mark}**{literal(document, 60)}**, page {page}")
        st.caption(literal(shortened(text, _SNIPPET)))


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
