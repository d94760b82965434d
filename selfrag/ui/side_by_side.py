"""Two runs beside each other, with their differences in words; one under the other on a phone."""

from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from selfrag.records.conversations import TurnRecord
from selfrag.reflection.differences import Comparison, compare, place_of
from selfrag.reflection.events import Citation, ClaimGrade
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.service import SelfRag
from selfrag.ui import page_list
from selfrag.ui.answer import draw_answer
from selfrag.ui.colours import badge
from selfrag.ui.conversation import current_id, events_of
from selfrag.ui.evidence import evidence_key
from selfrag.ui.levels import Level
from selfrag.ui.links import A, B, asked_pair, to_quote
from selfrag.ui.literal import literal
from selfrag.ui.person import owner, time_zone
from selfrag.ui.quoted import shortened
from selfrag.ui.timeline import Timeline
from selfrag.ui.verdict import draw_verdict

_LISTED = 200  #: runs to choose from, the last ones
_QUOTE = 160  #: characters
_SIDES = {A: "A", B: "B"}


def choose_pair(rag: SelfRag) -> tuple[str | None, str | None]:
    """Draw the two choices; the ids of the runs that are chosen."""
    listed = {turn.run_id: turn for turn, _ in rag.conversations.recent_runs(owner(), _LISTED)}
    asked = asked_pair()
    for run_id in asked:
        if run_id is not None and run_id not in listed:
            listed |= _found(rag, run_id)
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
            format_func=lambda run_id: _name(listed[run_id]),
            placeholder="Choose an answer",
            on_change=_choose,
            args=(side,),
        )
    return chosen[0], chosen[1]


def draw_pair(rag: SelfRag, a: str, b: str) -> None:
    """Draw what differs, and both runs from question to citations."""
    views = [RunView.of(events_of(rag, run_id)[1]) for run_id in (a, b)]
    found = compare(*views)
    _differences(found)
    columns = st.columns(2, gap="large")
    for side, column, run_id, view in zip("AB", columns, (a, b), views, strict=True):
        with column:
            _side(side, run_id, view, found)


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


def _side(side: str, run_id: str, view: RunView, found: Comparison) -> None:
    st.markdown(f"#### :primary-badge[{side}] {literal(view.question)}", anchors=False)
    end = view.finished
    if end is None:
        st.info("This run is still under way.", icon=":material/pending:")
        Timeline(Level.STORY).draw(view)
        return
    draw_verdict(view)
    Timeline(Level.STORY).draw(view)
    if end.answer:
        draw_answer(
            end.answer,
            end.claims,
            end.citations,
            key=f"answer-{side}-{run_id}",
            shown=None,
            evidence=evidence_key(run_id),
            quoted=bool(view.started and not view.started.language_model),
            on_cited=lambda key: None,
        )
    _claims(end.claims, side, found.claims_a if side == "A" else found.claims_b)
    _citations(end.citations, side, found.only_a if side == "A" else found.only_b)


def _claims(claims: Sequence[ClaimGrade], side: str, only: frozenset[str]) -> None:
    if not claims:
        return
    st.markdown("**Claims**")
    tones = {Support.FULLY: ("good", "backed"), Support.NOT: ("bad", "not backed")}
    for claim in claims:
        tone, word = tones.get(claim.support, ("fair", "partly backed or not checked"))
        st.markdown(f"{badge(tone, word)} {literal(claim.text)}{_only(claim.text in only, side)}")


def _citations(citations: Sequence[Citation], side: str, only: frozenset[tuple[str, int]]) -> None:
    if not citations:
        return
    st.markdown("**Citations**")
    for citation in citations:
        mark = _only(place_of(citation) in only, side)
        st.page_link(
            page_list.documents(),
            label=f"{citation.number} · {literal(citation.document, 50)}, page {citation.page}",
            icon=":material/open_in_new:",
            query_params=to_quote(
                citation.document_id, citation.page, citation.quote, current_id()
            ),
        )
        st.caption(f"“{literal(shortened(citation.quote, _QUOTE))}”{mark}")


def _only(is_only: bool, side: str) -> str:
    return f" :gray-badge[only in {side}]" if is_only else ""


def _found(rag: SelfRag, run_id: str) -> dict[str, TurnRecord]:
    """A run of the address that is not among the last ones; nothing where it is someone else's."""
    record = rag.conversations.of_run(run_id, owner())
    turns = rag.conversations.turns(record.id) if record else []
    return {turn.run_id: turn for turn in turns if turn.run_id == run_id}


def _name(turn: TurnRecord) -> str:
    moment = datetime.fromtimestamp(turn.started_at, time_zone())
    return f"{shortened(turn.question, 60)} · {moment.day} {moment:%b %H:%M} · {turn.status}"


def _choose(side: str) -> None:
    chosen = st.session_state[f"side-{side}"]
    if chosen is None:
        st.query_params.pop(side, None)
    else:
        st.query_params[side] = chosen
