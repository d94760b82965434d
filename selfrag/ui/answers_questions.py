"""The questions of a study of answers: where strategies differ, and every answer to one of them."""

from collections.abc import Sequence

import streamlit as st

from selfrag.evaluation.answers.findings import differing, leading, quality
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.rows import Row
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.ui.literal import literal, verbatim

_MEASURE, _QUESTION = "answers-by-measure", "answers-one-question"
_ENDS = {
    "answered": ":green[:material/check_circle:] answered",
    "unsupported": ":red[:material/cancel:] not backed",
    "abstained": ":gray[:material/do_not_disturb_on:] stayed silent",
    "stopped": ":orange[:material/stop_circle:] stopped",
    "failed": ":red[:material/error:] failed",
}
_ROW, _TALLEST = 35, 380  #: pixels
_WIDTH = 250  #: of a question: beside it a phone shows a value still


def draw_questions(study: AnswerStudy) -> None:
    """Draw the table of all questions by one measure, and the answers to the chosen one."""
    if not study.questions:
        return
    st.markdown("**Question by question**")
    measure = st.selectbox(
        "Measure",
        study.measures,
        study.measures.index(leading(study)) if study.measures else None,
        key=_MEASURE,
        format_func=lambda name: MEASURES[name].label,
        width=320,
    )
    if measure is None:
        return
    rows = differing(study, measure)
    systems = list(study.figures)
    decimals = MEASURES[measure].decimals
    st.dataframe(
        {
            "question": [study.questions[key] for key, _ in rows],
            **{
                name: [_cell(study, key, name, values[place], decimals) for key, values in rows]
                for place, name in enumerate(systems)
            },
        },
        hide_index=True,
        key="answers-questions",
        row_height=_ROW,
        height=min(_ROW * (len(rows) + 1) + 3, _TALLEST),
        column_config={"question": st.column_config.TextColumn(width=_WIDTH)},
        alt=f"{MEASURES[measure].label} of each question and strategy",
    )
    st.caption("Where the strategies differ most stands first. Choose one to read its answers.")
    chosen = st.selectbox(
        "Answers to",
        [key for key, _ in rows],
        key=_QUESTION,
        index=None,
        format_func=lambda key: study.questions[key],
        placeholder="Choose a question",
    )
    if chosen is not None:
        _answers(study, [row for row in study.rows if row.question_id == chosen])


def _cell(study: AnswerStudy, key: str, system: str, value: float | None, decimals: int) -> str:
    """The value, or why there is none."""
    if value is not None:
        return f"{value:.{decimals}f}"
    ends = {row.status for row in study.rows if (row.question_id, row.system) == (key, system)}
    return "failed" if "failed" in ends else "stopped" if "stopped" in ends else "undefined"


def _answers(study: AnswerStudy, rows: Sequence[Row]) -> None:
    if not rows:
        st.caption("It was not answered before the study was stopped.")
        return
    if rows[0].ground_truth:
        st.markdown(f"**Right answer:** {literal(rows[0].ground_truth)}")
    elif rows[0].answerable is False:
        st.markdown("The documents do not tell: staying silent is right.")
    for system in study.figures:
        mine = [row for row in rows if row.system == system]
        for answer in dict.fromkeys((row.status, row.answer, row.reason) for row in mine):
            same = [row for row in mine if (row.status, row.answer, row.reason) == answer]
            _answer(study, system, same)


def _answer(study: AnswerStudy, system: str, rows: Sequence[Row]) -> None:
    """One answer of a system; rounds that gave the same are one."""
    first = rows[0]
    rounds = "round" if len(rows) == 1 else "rounds"
    with st.container(border=True, gap="xsmall"):
        st.markdown(
            f"**{literal(system)}** · {_ENDS.get(first.status, first.status)} "
            f":small[:gray[{rounds} {', '.join(str(row.round) for row in rows)}]]"
        )
        shown = first.answer or first.reason
        if shown:
            st.markdown(verbatim(shown))
        values = [
            f"{MEASURES[name].label} {first.measures[name]:.{MEASURES[name].decimals}f}"
            if first.measures[name] is not None
            else f"{MEASURES[name].label} undefined ({first.reasons.get(name, 'no value')})"
            for name in quality(study)
            if name in first.measures
        ]
        evidence = {True: "evidence was found", False: "no evidence was found"}.get(
            first.evidence  # type: ignore[arg-type]
        )
        facts = [*values, evidence, f"{first.seconds:.2f} s"]
        st.caption(literal(" · ".join(fact for fact in facts if fact)))
