"""Two earlier runs beside each other, with their differences in words.

On a phone one stands under the other.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from selfrag.records.conversations import ConversationRecord, TurnRecord
from selfrag.reflection.differences import Comparison, compare
from selfrag.reflection.folding import RunView
from selfrag.reflection.trials import KIND
from selfrag.service import SelfRag
from selfrag.ui.answer_column import Alone, draw_ended, draw_opened
from selfrag.ui.conversation import events_of
from selfrag.ui.feedback import load_feedback
from selfrag.ui.levels import Level
from selfrag.ui.links import A, B, asked_pair
from selfrag.ui.literal import literal
from selfrag.ui.person import owner, time_zone
from selfrag.ui.quoted import shortened
from selfrag.ui.timeline import Timeline

_LISTED = 200  #: runs to choose from, the last ones
_WAYS, _EARLIER = "One question, several ways", "Two earlier answers"
_KIND = "answers-kind"
_PAIR = "answers-pair"  #: whether two earlier answers are compared in this tab
_SIDES = {A: "A", B: "B"}


def choose_kind() -> bool:
    """Draw the choice of what is compared; whether it is two answers of earlier questions."""
    state = st.session_state
    # An address that names answers decides; otherwise what was chosen last in this tab.
    pair = any(asked_pair()) or state.get(_PAIR, False)
    state[_KIND] = _EARLIER if pair else _WAYS
    st.segmented_control(
        "What is compared",
        [_WAYS, _EARLIER],
        key=_KIND,
        required=True,
        label_visibility="collapsed",
        on_change=_change_kind,
    )
    return pair


def nothing_chosen(rag: SelfRag) -> None:
    """What to do where two answers are not chosen yet."""
    if rag.conversations.recent_runs(owner(), limit=1):
        st.caption("Choose two answers: see what was done differently, and what came of it.")
    else:
        st.caption("There are no answers yet: ask something in the chat first.")


def choose_pair(rag: SelfRag) -> tuple[str | None, str | None]:
    """Draw the two choices; the ids of the runs that are chosen."""
    found = rag.conversations.recent_runs(owner(), _LISTED)
    asked = asked_pair()
    known = {turn.run_id for turn, _ in found}
    found += [
        pair
        for run_id in asked
        if run_id is not None and run_id not in known
        for pair in _found(rag, run_id)
    ]
    listed = _names(rag, found)
    chosen: list[str | None] = [run_id if run_id in listed else None for run_id in asked]
    columns = st.columns(2, gap="large")
    for side, column, other in zip((A, B), columns, chosen[::-1], strict=True):
        here = chosen[0] if side == A else chosen[1]
        options = [run_id for run_id in listed if run_id != other or run_id == here]
        key = f"side-{side}"
        st.session_state[key] = here
        column.selectbox(
            f"Answer {_SIDES[side]}",
            options,
            key=key,
            format_func=listed.__getitem__,
            placeholder="Choose an answer",
            on_change=_choose,
            args=(side,),
        )
    return chosen[0], chosen[1]


def draw_pair(rag: SelfRag, a: str, b: str) -> None:
    """Draw what differs, and both runs from question to citations."""
    views = [RunView.of(events_of(rag, run_id)[1]) for run_id in (a, b)]
    load_feedback(rag, (a, b))
    found = compare(*views)
    _differences(found)
    columns = st.columns(2, gap="large")
    for side, column, run_id, view in zip("AB", columns, (a, b), views, strict=True):
        with column:
            _side(rag, side, run_id, view, found)
    draw_opened(rag, dict(zip((a, b), views, strict=True)))


def _differences(found: Comparison) -> None:
    st.markdown("##### What differs", anchors=False)
    said = found.sentences
    if said:
        st.markdown("\n".join(f"- {literal(sentence)}" for sentence in said))
    else:
        st.markdown("Nothing that matters: both came to the same in the same way.")
    with st.expander("All figures", type="compact"):
        rows = ["| | A | B | |", "| --- | --- | --- | --- |"]
        for fact in found.facts:
            mark = "same" if fact.same else "**different**"
            a, b = (literal(shortened(text, 80)) for text in (fact.a, fact.b))
            rows.append(f"| {literal(fact.name)} | {a} | {b} | {mark} |")
        st.markdown("\n".join(rows))


def _side(rag: SelfRag, side: str, run_id: str, view: RunView, found: Comparison) -> None:
    st.markdown(f"#### :primary-badge[{side}] {literal(view.question)}", anchors=False)
    end = view.finished
    if end is None:
        st.info("This run is still under way.", icon=":material/pending:")
        Timeline(Level.STORY).draw(view)
        return
    draw_ended(
        rag,
        run_id,
        view,
        alone=Alone(
            found.claims_a if side == "A" else found.claims_b,
            found.only_a if side == "A" else found.only_b,
            f"only in {side}",
        ),
    )


def _found(rag: SelfRag, run_id: str) -> list[tuple[TurnRecord, ConversationRecord]]:
    """A run of the address that is not among the last ones; nothing where it is someone else's."""
    record = rag.conversations.of_run(run_id, owner())
    turns = rag.conversations.turns(record.id) if record else []
    return [(turn, record) for turn in turns if record and turn.run_id == run_id]


def _names(rag: SelfRag, found: Sequence[tuple[TurnRecord, ConversationRecord]]) -> dict[str, str]:
    """Run id -> what it is called in the choice; no two alike, as the browser tells them apart by
    that alone."""
    named: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for turn, record in found:
        way = rag.trials.way(turn.run_id) if record.kind == KIND else None
        moment = datetime.fromtimestamp(turn.started_at, time_zone())
        parts = [
            shortened(turn.question, 60),
            *([way.label] if way else []),
            f"{moment.day} {moment:%b %H:%M}",
            turn.status,
        ]
        name = " · ".join(parts)
        taken[name] += 1
        named[turn.run_id] = name if taken[name] == 1 else f"{name} ({taken[name]})"
    return named


def _change_kind() -> None:
    pair = st.session_state[_KIND] == _EARLIER
    st.session_state[_PAIR] = pair
    if not pair:
        for side in (A, B):
            st.query_params.pop(side, None)


def _choose(side: str) -> None:
    chosen = st.session_state[f"side-{side}"]
    if chosen is None:
        st.query_params.pop(side, None)
    else:
        st.query_params[side] = chosen
