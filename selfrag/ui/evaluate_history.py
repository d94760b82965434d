"""The history of evaluations: any measure over time, and every result to be opened again."""

import logging
from functools import partial

import streamlit as st

from selfrag.errors import UserError
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.history import ANSWERS, RETRIEVAL
from selfrag.evaluation.study import Study
from selfrag.records.results import UNREADABLE, ResultRecord
from selfrag.service import SelfRag
from selfrag.ui.answers_page import draw_answers
from selfrag.ui.colours import mode_colours, palette, strategy_colours
from selfrag.ui.dialogs import confirm_deletion
from selfrag.ui.evaluate_place import HISTORY, PART
from selfrag.ui.guarded import guarded
from selfrag.ui.history_chart import over_time, over_time_words
from selfrag.ui.links import close_result, open_result
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.result_words import (
    best_first,
    called,
    measures_of,
    moment,
    series_name,
    shown,
    since_before,
)
from selfrag.ui.study_page import draw_study
from selfrag.ui.study_view import EXPLAINED
from selfrag.ui.trace_link import draw_trace
from selfrag.wording import count, duration

logger = logging.getLogger(__name__)

_SET, _MEASURE, _SHOWN = "history-set", "history-measure", "history-shown"
_DELETING = "result-to-delete"
_AT_ONCE = 20  #: results that are listed before "more" is asked for
_KINDS = {RETRIEVAL: "search", ANSWERS: "answers"}


def draw_history(rag: SelfRag) -> None:
    """Draw the chart and the list of one set."""
    records = rag.history.all(owner=owner())
    if not records:
        st.info(
            "Nothing has been measured yet. Every result is kept here with its time, so that "
            "you see what a change did.",
            icon=":material/timeline:",
        )
        return
    readable = [each for each in records if not each.damaged]
    if readable:
        _draw_readable(rag, readable)
    for record in records:
        if record.damaged:
            _draw_damaged(rag, record)


def _draw_readable(rag: SelfRag, records: list[ResultRecord]) -> None:
    sets = list(dict.fromkeys((each.kind, each.name) for each in reversed(records)))
    names = {at: f"{at[1]} ({_KINDS.get(at[0], at[0])})" for at in sets}
    if st.session_state.get(_SET) not in sets:
        st.session_state.pop(_SET, None)
    with st.container(horizontal=True):
        chosen = st.selectbox(
            "Set", sets, key=_SET, format_func=names.__getitem__, width=320, persist_state="session"
        )
        mine = [each for each in records if (each.kind, each.name) == chosen]
        known = measures_of(mine)
        before = st.session_state.get(_MEASURE)
        # A key for each set: the browser would keep showing the measure of the set before.
        measure = st.selectbox(
            "Measure",
            known,
            index=known.index(before) if before in known else 0,
            key=f"{_MEASURE}-{chosen[0]}-{chosen[1]}",
            format_func=called,
            width=320,
        )
    if measure is None:
        return
    st.session_state[_MEASURE] = measure
    st.caption(literal(_meaning(measure)))
    _chart(mine, measure)
    _list(rag, mine, measure)


def draw_result(rag: SelfRag, result_id: str) -> None:
    """Draw one result of the history, opened by its address."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "All results",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_back,
        )
        try:
            record = rag.history.get(result_id, owner())
        except UserError as error:
            st.info(literal(str(error)), icon=":material/history_toggle_off:")
            return
        _draw_delete(record, "delete-result")
        draw_trace(record.trace_url)
    st.subheader(literal(record.name), anchor=False)
    took = "" if record.seconds is None else f", took {duration(record.seconds)}"
    st.caption(f":material/schedule: {moment(record.ended_at)}{took}")
    study = _study(rag, record)
    if study is None:
        st.error(UNREADABLE, icon=":material/broken_image:")
    elif isinstance(study, AnswerStudy):
        draw_answers(study, record, since_before(rag, record))
    else:
        draw_study(study, record, since_before(rag, record))
    if st.session_state.get(_DELETING) == record.id:
        _confirm(rag, record)


def _study(rag: SelfRag, record: ResultRecord) -> Study | AnswerStudy | None:
    """What was measured; None where it cannot be read."""
    kinds: dict[str, type[Study] | type[AnswerStudy]] = {RETRIEVAL: Study, ANSWERS: AnswerStudy}
    if record.damaged or record.kind not in kinds:
        return None
    try:
        return kinds[record.kind].from_json(rag.history.payload(record.id, owner()))
    except (UserError, KeyError, TypeError, ValueError, AttributeError):
        logger.warning("the result %s cannot be read", record.id, exc_info=True)
        return None


def _draw_damaged(rag: SelfRag, record: ResultRecord) -> None:
    with st.container(
        border=True,
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key=f"damaged-{record.id}",
    ):
        st.markdown(f":material/broken_image: **{literal(record.name)}**: {UNREADABLE}")
        _draw_delete(record)
    if st.session_state.get(_DELETING) == record.id:
        _confirm(rag, record)


def _draw_delete(record: ResultRecord, key: str | None = None) -> None:
    st.button(
        "Delete",
        key=key or f"delete-{record.id}",
        icon=":material/delete:",
        type="tertiary",
        on_click=guarded(_ask),
        args=(record.id,),
    )


def _meaning(measure: str) -> str:
    named = MEASURES[measure].meaning if measure in MEASURES else EXPLAINED.get(measure, "")
    return f"{called(measure)}: {named.rstrip('.')}." if named else ""


def _chart(records: list[ResultRecord], measure: str) -> None:
    if len(records) < 2:
        st.caption("A second result of this set makes a line: what changed, and what it did.")
        return
    colours = mode_colours() if records[0].kind == RETRIEVAL else strategy_colours()
    st.plotly_chart(
        over_time(records, measure, colours, palette(), lambda at: moment(at, year=False)),
        config={"displayModeBar": False},
        key="history-chart",
        alt=f"{called(measure)} of {len(records)} results, in the order of time",
    )
    st.caption(literal(over_time_words(records, measure)))


def _list(rag: SelfRag, records: list[ResultRecord], measure: str) -> None:
    listed = st.session_state.get(_SHOWN, _AT_ONCE)
    for record in list(reversed(records))[:listed]:
        with st.container(border=True, gap="xsmall", key=f"result-{record.id}"):
            with st.container(
                horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
            ):
                st.button(
                    f"**{moment(record.ended_at)}**",
                    key=f"open-{record.id}",
                    type="tertiary",
                    on_click=open_result,
                    args=(record.id,),
                    icon=":material/open_in_full:",
                )
                _draw_delete(record)
            st.markdown(literal(_summary(record, measure)))
            for line in since_before(rag, record):
                st.caption(line)
        if st.session_state.get(_DELETING) == record.id:
            _confirm(rag, record)
    if len(records) > listed:
        st.button(
            f"Show more ({len(records) - listed:,})",
            type="tertiary",
            icon=":material/expand_more:",
            on_click=guarded(_show_more),
            args=(listed,),
        )


def _summary(record: ResultRecord, measure: str) -> str:
    values = [
        f"{series_name(record, name)} {shown(mean, measure)}"
        for name, mean in best_first(record, measure)
    ]
    missing = [
        f"{series_name(record, name)} undefined"
        for name, measures in record.means.items()
        if measure in measures and measures[measure]["mean"] is None
    ]
    said = (
        f"{called(measure)}: {', '.join([*values, *missing])}"
        if values or missing
        else (f"{called(measure)} was not measured")
    )
    said += f" · {count(record.questions, 'question')}"
    if not record.undefined:
        return said
    if record.kind == RETRIEVAL:
        return f"{said} · {record.undefined:,} left out"
    return f"{said} · {count(record.undefined, 'value')} of single answers undefined"


def _ask(result_id: str) -> None:
    st.session_state[_DELETING] = result_id


def _forget() -> None:
    st.session_state.pop(_DELETING, None)


def _confirm(rag: SelfRag, record: ResultRecord) -> None:
    confirm_deletion(
        "Delete this result?",
        [
            f"**{literal(record.name)}**, {moment(record.ended_at)}",
            "It leaves the history and the chart for good. Labels and sets stay, and so does what "
            "was searched: measuring the same again is quick.",
        ],
        partial(_deleted, rag, record.id),
        forget=_forget,
    )


def _deleted(rag: SelfRag, result_id: str) -> None:
    _forget()
    _back()
    rag.history.delete(result_id, owner())


def _back() -> None:
    """To the list: the page forgets which tab was open while a result is."""
    close_result()
    st.session_state[PART] = HISTORY


def _show_more(shown: int) -> None:
    st.session_state[_SHOWN] = shown + 2 * _AT_ONCE
