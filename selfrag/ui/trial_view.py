"""A question answered in several ways: side by side as they come about, and what differs.

The runs go on by themselves. This page only follows their logs, so that a reload, a second tab
or a click loses nothing.
"""

import threading
import time
from collections.abc import Sequence
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from selfrag.reflection import contrast
from selfrag.reflection.contrast import Side
from selfrag.reflection.differences import place_of
from selfrag.reflection.folding import RunView
from selfrag.reflection.run import Run
from selfrag.reflection.trials import Trial
from selfrag.service import SelfRag
from selfrag.ui import choices, page_list
from selfrag.ui.answer_column import NOTHING, Alone, LiveColumn, draw_ended, draw_opened
from selfrag.ui.conversation import events_of
from selfrag.ui.dialogs import is_open
from selfrag.ui.feedback import load_feedback
from selfrag.ui.guarded import guarded
from selfrag.ui.links import QUESTION
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.trial_charts import draw_charts, draw_figures
from selfrag.wording import duration

_TICK = 0.25  #: seconds between two looks at whether the person wants something else
_FRAME = 0.08  #: seconds between two pictures of answers that are being written


def draw_trial(rag: SelfRag, trial: Trial) -> None:
    """Draw a trial, and follow it to its end where it goes on."""
    logs = [events_of(rag, run_id) for run_id in trial.runs]
    views = [RunView.of(events) for _, events in logs]
    live = any(_goes_on(run, view) for (run, _), view in zip(logs, views, strict=True))
    load_feedback(rag, trial.runs)
    st.markdown(f"#### {literal(trial.question)}", anchors=False)
    clock = None
    sides = [
        Side(way.label, view)
        for way, view in zip(trial.ways, views, strict=True)
        if view.finished is not None
    ]
    with _one_of_two(first=live):
        if live:
            clock = _head(rag, trial)
        elif len(sides) > 1:
            _said(sides)
    columns: list[LiveColumn] = []
    for place, column in enumerate(st.columns(len(trial.runs), gap="medium")):
        way, (run, events), view = trial.ways[place], logs[place], views[place]
        with column:
            st.markdown(f"##### {literal(way.label)}", anchors=False)
            follows = _goes_on(run, view)
            with _one_of_two(first=follows):
                if run is not None and follows:
                    columns.append(LiveColumn(run, view, len(events)))
                else:
                    again = partial(_again, rag, trial.id)
                    alone = _alone(views)[place]
                    draw_ended(rag, trial.runs[place], view, alone=alone, again=again)
    with _one_of_two(first=live):
        if not live and len(sides) > 1:
            st.divider()
            st.markdown("##### What each took", anchors=False)
            draw_charts(sides)
            draw_figures(sides)
            st.page_link(
                page_list.compare(),
                label="What each way of searching finds for this question",
                icon=":material/view_column:",
                query_params={QUESTION: trial.question},
            )
    opened = draw_opened(rag, dict(zip(trial.runs, views, strict=True)))
    if columns and clock is not None and not opened:
        _follow(rag, trial, columns, clock)


def _goes_on(run: Run | None, view: RunView) -> bool:
    return run is not None and view.finished is None


def _one_of_two(*, first: bool) -> DeltaGenerator:
    """A place for what is followed and one for what has ended: neither shows through the other,
    as it would until the script has ended."""
    places = [st.container() if here else st.empty() for here in (first, not first)]
    return places[0] if first else places[1]


def _head(rag: SelfRag, trial: Trial) -> DeltaGenerator:
    """The line above runs under way; where its words go."""
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        clock = st.empty()
        st.button(
            "Stop all" if len(trial.runs) > 1 else "Stop",
            key=f"stop-{trial.id}",
            icon=":material/stop_circle:",
            on_click=guarded(rag.trials.stop),
            args=(trial,),
        )
    return clock


def _follow(
    rag: SelfRag,
    trial: Trial,
    columns: Sequence[LiveColumn],
    clock: DeltaGenerator,
) -> None:
    """Draw the columns as their runs go on, and the page anew when one has ended."""
    changed = threading.Event()
    runs = list(rag.trials.under_way(trial))
    ends = [run.log.listen(changed.set) for run in runs]
    began = min((run.started_at for run in runs), default=time.time())
    said = ""
    try:
        while True:
            drawn_at = time.monotonic()
            changed.clear()
            over = [column.take() for column in columns]
            done = len(trial.runs) - len(columns) + sum(over)
            now = f"{done} of {len(trial.runs)} done"
            elapsed = duration(time.time() - began)
            if said != now + elapsed:
                said = now + elapsed
                clock.markdown(
                    f":primary[:material/pending: **{now}**] :small[:gray[{elapsed}]]",
                    width="content",
                )
            if any(over) and not is_open():
                st.rerun()
            for column in columns:
                column.draw()
            if is_open():
                return
            changed.wait(_TICK)
            time.sleep(max(0.0, _FRAME - (time.monotonic() - drawn_at)))
    finally:
        for end in ends:
            end()


def _said(sides: Sequence[Side]) -> None:
    st.markdown(f"##### {literal(contrast.headline(sides))}", anchors=False)
    said = contrast.differences(sides)
    if said:
        st.markdown("\n".join(f"- {literal(sentence)}" for sentence in said))


def _alone(views: Sequence[RunView]) -> list[Alone]:
    """What only one of them cites; nothing where only one cites at all."""
    cited = [
        {place_of(citation) for citation in view.finished.citations} if view.finished else set()
        for view in views
    ]
    if sum(map(bool, cited)) < 2:
        return [NOTHING for _ in views]
    found = []
    for place, places in enumerate(cited):
        others = set().union(*cited[:place], *cited[place + 1 :])
        found.append(Alone(places=frozenset(places - others)))
    return found


def _again(rag: SelfRag, trial_id: str, run_id: str) -> None:
    choices.fill(rag)
    rag.trials.again(trial_id, run_id, casting=choices.casting(rag), owner=owner())
