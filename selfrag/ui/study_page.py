"""A study of retrieval, whole: one that has just ended, or one that is opened again."""

from collections.abc import Sequence

import streamlit as st

from selfrag.evaluation.label_study import NAME as LABELS
from selfrag.evaluation.study import Study
from selfrag.evaluation.study_text import as_csv, as_html, tables
from selfrag.records.results import ResultRecord
from selfrag.ui.colours import mode_colours, palette
from selfrag.ui.literal import literal
from selfrag.ui.sensitivity import TITLES, sensitivity_chart, sensitivity_words
from selfrag.ui.study_files import SUMMARY, draw_files
from selfrag.ui.study_view import (
    draw_differing,
    draw_figures,
    draw_intervals,
    draw_pairs,
    draw_verdict,
)
from selfrag.ui.tables import draw_table
from selfrag.wording import count


def draw_study(study: Study, record: ResultRecord | None, said: Sequence[str] = ()) -> None:
    """Draw what it says, the picture, the tables, the questions, and the files.

    Args:
        record: under which it is kept, if it is.
        said: how it came about, in Markdown.
    """
    draw_verdict(study)
    for line in said:
        st.caption(line)
    if not study.questions:
        return
    draw_intervals(study, "evaluate-intervals")
    draw_figures(study)
    draw_pairs(study)
    _sensitivity(study)
    draw_differing(study, link=study.name == LABELS)
    _left_out(study)
    if study.strata:
        title, heads, rows = next(t for t in tables(study) if t[0].endswith("by label"))
        st.markdown(f"**{literal(title)}**")
        draw_table(heads, [list(map(literal, row)) for row in rows])
    draw_files(
        study.name,
        {"CSV: every value": (SUMMARY, lambda: as_csv(study))},
        study.to_json,
        record.made_of if record else {},
        lambda made_of: as_html(study, made_of),
    )


def _sensitivity(study: Study) -> None:
    if not study.sensitivity:
        return
    st.markdown("**How much the parameters of fusion matter**")
    for column, name in zip(st.columns(2), study.sensitivity, strict=False):
        with column:
            st.plotly_chart(
                sensitivity_chart(study, name, mode_colours(), palette()),
                config={"displayModeBar": False},
                key=f"evaluate-{name}",
                alt=f"{study.measure} by {TITLES[name]}",
            )
            st.caption(sensitivity_words(study, name))


def _left_out(study: Study) -> None:
    """Questions that no mean counts, by name."""
    if not study.left_out:
        return
    number = len(study.left_out)
    with st.expander(
        f"{count(number, 'question')} left out: no measure is defined there",
        icon=":material/block:",
    ):
        rows = [
            [literal(each.id), literal(each.question, 120) or "–", f"has {literal(each.why)}"]
            for each in study.left_out
        ]
        draw_table(["id", "question", "why"], rows)
