"""One question with its answer: conversation on the left, evidence on the right.

A run that goes on is followed from here until it ends; a finished one is drawn from its log.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from selfrag.reflection.account import how_answered
from selfrag.reflection.events import AnswerDelta, Event, RunFinished
from selfrag.reflection.folding import RunView, readable
from selfrag.reflection.pathway import shape_of
from selfrag.reflection.run import Run
from selfrag.reflection.sources import sources
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.answer import draw_answer
from selfrag.ui.ask import Asker
from selfrag.ui.conversation import events_of
from selfrag.ui.dialogs import is_open
from selfrag.ui.evidence import draw_evidence, evidence_key, source_key
from selfrag.ui.feedback import draw_feedback
from selfrag.ui.graph_path import draw_path
from selfrag.ui.guarded import guarded
from selfrag.ui.levels import choose_level, level
from selfrag.ui.links import A
from selfrag.ui.literal import harmless, literal, verbatim
from selfrag.ui.next_steps import draw_again, draw_next_steps
from selfrag.ui.places import fresh_place
from selfrag.ui.share import draw_share, present_from_start
from selfrag.ui.timeline import Timeline
from selfrag.ui.trace_link import draw_trace
from selfrag.ui.unread import draw_unread
from selfrag.ui.verdict import (
    draw_no_model,
    draw_verdict,
    draw_working,
    foot_line,
)
from selfrag.ui.weighed import draw_weighed

_TICK = 0.25  #: seconds between two looks at whether the person wants something else
_FRAME = 0.06  #: seconds between two pictures of an answer that is being written
_AGAIN = ("failed", "stopped")

Ask = Callable[[str], None]


def newest_place(run_id: str | None) -> st.delta_generator.DeltaGenerator:
    """Where the newest question is drawn: a place that holds nothing of the one before it."""
    return fresh_place("newest", run_id)


def draw_turn(rag: SelfRag, run_id: str, *, newest: bool, again: Ask, live: bool = False) -> None:
    """Draw one run of the conversation.

    Args:
        newest: whether it is the last of the conversation, which is shown opened.
        again: asks a question in place of this run.
        live: whether the page was begun for a run under way, its input locked. It is then drawn
            anew in any case, also where the run has ended since.
    """
    run, events = events_of(rag, run_id)
    view = RunView.of(events)
    left, right = st.columns([3, 2], gap="large")
    if view.started is None:
        left.info("This answer is no longer kept.", icon=":material/history_toggle_off:")
        return
    left.markdown(f"#### {literal(view.question)}", anchors=False)
    if run is not None and (live or view.finished is None):
        with left:
            _follow(run, view, len(events), right)
    else:
        with left:
            _finished(rag, run_id, view, newest, again)
        beside = right.empty()
        if newest or _reopened(run_id) in st.session_state:
            with beside.container():
                draw_evidence(rag, run_id, view)
                _path(view, run_id)


def draw_earlier(rag: SelfRag, asker: Asker, runs: Sequence[str]) -> None:
    """The questions asked before, the latest first; each answer opens its evidence again."""
    if runs:
        st.divider()
        st.caption("Earlier in this conversation")
    for run_id in reversed(runs):
        draw_turn(rag, run_id, newest=False, again=partial(asker.ask, in_place_of=run_id))


def _finished(rag: SelfRag, run_id: str, view: RunView, newest: bool, again: Ask) -> None:
    end = view.finished
    if end is None:
        st.error("This run was cut off when the application was closed.")
        draw_again(view.question, f"again-{run_id}", again)
        return
    with st.container():
        _unkept(rag, run_id)
        draw_verdict(view)
        draw_weighed(end)
        if newest:
            draw_unread(rag, view)
    if newest:
        Timeline(choose_level()).draw(view)
    else:
        opened = st.expander("Step by step", type="compact", key=f"how-{run_id}", on_change="rerun")
        if opened.open:
            with opened:
                Timeline(level()).draw(view)
    with st.container():
        _answer(run_id, view, newest)
    st.markdown(f":small[**How was this answered?** {literal(how_answered(view))}]")
    draw_next_steps(rag, run_id, view, again)
    st.caption(foot_line(view))
    # Two groups, each on one line: a row of all would break elsewhere with every answer.
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(
            horizontal=True, width="content", vertical_alignment="center", gap="small"
        ):
            draw_share(rag, run_id, view)
            st.page_link(
                page_list.runs(),
                label="Compare",
                icon=":material/compare_arrows:",
                query_params={A: run_id},
            )
            draw_trace(end.trace_url)
        draw_feedback(rag, run_id)


def _unkept(rag: SelfRag, run_id: str) -> None:
    """Say that an answer will be lost, while it is still there."""
    why = rag.unkept(run_id)
    if why is None:
        return
    st.warning(
        f"This answer is not kept yet: it is lost when the application ends. {literal(why)} "
        "**Share** saves a copy of it.",
        icon=":material/hard_drive:",
    )
    st.button("Keep it now", key=f"keep-{run_id}")  # drawing it anew tries again


def _answer(run_id: str, view: RunView, newest: bool) -> None:
    end = view.finished
    assert end is not None
    if end.unclear:
        st.markdown(literal(end.answer))
        return
    if end.status == "abstained":
        st.markdown("Searched for:")
        queries = dict.fromkeys(search.query for search in view.searches)
        st.markdown("\n".join(f"- “{literal(query)}”" for query in queries))
        return
    if not end.answer:
        return
    if end.status in _AGAIN:
        # What was broken off has marks that were never checked against anything.
        st.markdown(_as_written(view)(readable(end.answer)))
    else:
        draw_answer(
            end.answer,
            end.claims,
            end.citations,
            key=f"answer-{run_id}",
            shown=_shown(run_id, end, newest),
            evidence=evidence_key(run_id),
            quoted=bool(view.started and not view.started.language_model),
            on_cited=partial(_open_source, run_id, newest),
        )
    draw_no_model(view)


def _as_written(view: RunView) -> Callable[[str], str]:
    """How a text that was not checked is shown: a model's as Markdown, a document's as it is."""
    return harmless if view.started and view.started.language_model else verbatim


def _shown(run_id: str, end: RunFinished, newest: bool) -> int | None:
    """The citation whose evidence is open: the first one where nothing was chosen yet."""
    if not newest and _reopened(run_id) not in st.session_state:
        return None
    first = end.citations[0].number if end.citations else None
    return st.session_state.get(source_key(run_id), first)


def _open_source(run_id: str, newest: bool, key: str) -> None:
    number = st.session_state[key].cited
    if number is None:
        return
    st.session_state[source_key(run_id)] = int(number)
    if not newest:
        st.session_state[_reopened(run_id)] = True


def _reopened(run_id: str) -> str:
    return f"reopened-{run_id}"


def _follow(
    run: Run, view: RunView, position: int, right: st.delta_generator.DeltaGenerator
) -> None:
    """Draw a run as it goes on, and the page anew when it has ended."""
    if view.finished is not None and not is_open():
        st.rerun()
    head = st.container()
    # At the end of the line: what the person aims at must not move as the seconds count up.
    with (
        head,
        st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        ),
    ):
        working = st.empty()
        with st.container(horizontal=True, width="content", gap="small"):
            st.button(
                "Present",
                key=f"present-{run.id}",
                icon=":material/present_to_all:",
                type="tertiary",
                on_click=present_from_start,
                args=(run.id,),
            )
            st.button(
                "Stop",
                key=f"stop-{run.id}",
                icon=":material/stop_circle:",
                on_click=guarded(run.stop),
            )
    timeline = Timeline(choose_level())
    answer = st.container().empty()
    path = right.empty()
    drawn_at = 0.0
    nodes = -1
    while True:
        if len(view.nodes) != nodes:
            nodes = len(view.nodes)
            with path.container():
                st.markdown("**The path through the graph**")
                draw_path(view.nodes, finished=False, shape=shape_of(view))
        with working:
            draw_working(time.time() - run.started_at)
        timeline.draw(view)
        if view.draft:
            answer.markdown(_as_written(view)(view.draft))
        if is_open():
            return
        drawn_at = time.monotonic()
        batch = _next(run, position, drawn_at)
        position += len(batch)
        for event in batch:
            view.add(event)
        if run.log.closed and position >= len(run.log.snapshot()):
            st.rerun()


def _next(run: Run, position: int, drawn_at: float) -> list[Event]:
    """The events up to the next moment worth drawing; empty after a tick without any."""
    batch: list[Event] = []
    for event in run.log.follow(position, timeout=_TICK):
        batch.append(event)
        if not isinstance(event, AnswerDelta) or time.monotonic() - drawn_at > _FRAME:
            break
    return batch


def _path(view: RunView, run_id: str) -> None:
    """The way through the graph: folded up under the evidence, open where there is none."""
    opened = st.expander(
        "The path through the graph",
        icon=":material/account_tree:",
        key=f"path-{run_id}",
        expanded=not sources(view),
        on_change="rerun",
    )
    if opened.open:
        with opened:
            draw_path(view.nodes, finished=view.finished is not None, shape=shape_of(view))
