"""The timeline of a run: one line for each step, joined while nothing went wrong.

The same rows are drawn while the run goes on and afterwards, each in a slot of its own that is
filled anew only when its row has changed: nothing flickers, and what was opened stays open.
"""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from selfrag.reflection import events
from selfrag.reflection.explain import PURPOSE, tone
from selfrag.reflection.folding import RunView, Step, Stretch
from selfrag.reflection.story import DOING, tell
from selfrag.ui.colours import toned
from selfrag.ui.levels import Level
from selfrag.ui.literal import literal
from selfrag.ui.step_details import draw_details, draw_explained
from selfrag.wording import duration

ICONS = {
    "question_rewritten": ":material/forum:",
    "self_critique": ":material/rate_review:",
    "claim_verdict": ":material/balance:",
    "retrieval_decision": ":material/signpost:",
    "retrieve": ":material/search:",
    "relevance_grader": ":material/filter_alt:",
    "generator": ":material/edit_note:",
    "support_grader": ":material/fact_check:",
    "usefulness_grader": ":material/target:",
    "query_rewriter": ":material/autorenew:",
}
_HOLD = "\N{NO-BREAK SPACE}"  #: keeps a number and its unit on one line


@dataclass(frozen=True, slots=True)
class _Row:
    """One line; rows that compare equal look the same."""

    kind: str
    label: str
    step: int | None = None


class Timeline:
    """Where a run's steps are drawn; call `draw` as often as the view changes."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._box = st.container(gap="xsmall")
        self._slots: list[Any] = []
        self._rows: list[_Row] = []

    def draw(self, view: RunView) -> None:
        """Bring the rows up to date with the view."""
        rows = _rows(view)
        for position, row in enumerate(rows):
            if position == len(self._slots):
                self._slots.append(self._box.empty())
                self._rows.append(_Row("", ""))
            if self._rows[position] != row:
                self._rows[position] = row
                _fill(self._slots[position], row, view, self._level)
        for position in range(len(rows), len(self._slots)):
            self._slots[position].empty()
            self._rows[position] = _Row("", "")


def _rows(view: RunView) -> list[_Row]:
    rows = []
    number = 0
    for stretch in view.stretches:
        if stretch.because is not None:
            rows.append(_Row("retry", _retry_label(stretch)))
        for step in stretch.steps:
            if step.event is not None:
                rows.append(_Row("done", _label(step.event), number))
            elif view.finished is None:
                rows.append(_Row("running", DOING[step.node], number))
            else:
                rows.append(_Row("broken", f"{DOING[step.node]}: broken off", number))
            number += 1
    rows += [_Row(f"waiting {node}", DOING[node]) for node in view.waiting]
    return rows


def _label(event: events.Event) -> str:
    mark = tone(event)
    parts = [
        literal(tell(event) or ""),
        toned(mark) if mark else "",
        f":small[:gray[{duration(event.seconds)}]]".replace(" ", _HOLD),
    ]
    return " ".join(part for part in parts if part)


def _retry_label(stretch: Stretch) -> str:
    assert stretch.because is not None
    return f":orange[:material/replay:] {literal(tell(stretch.because) or '')}"


def _fill(slot: Any, row: _Row, view: RunView, level: Level) -> None:
    if row.kind == "retry":
        slot.markdown(f":small[{row.label}]")
        return
    if row.step is None:
        node = row.kind.removeprefix("waiting ")
        with slot.expander(f":gray[{row.label}]", type="step"):
            st.caption(PURPOSE[node])
        return
    step: Step = view.steps[row.step]
    icon = "spinner" if row.kind == "running" else ICONS[step.node]
    label = row.label if row.kind == "done" else f":gray[{row.label}]"
    opened = level is not Level.STORY and step.event is not None
    with slot.expander(label, expanded=opened, type="step", icon=icon):
        if level is Level.EXPLAIN:
            draw_explained(step, view)
        else:
            draw_details(step, view)
