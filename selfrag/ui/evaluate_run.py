"""A study under way, and what came of it."""

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from selfrag.evaluation.background import View
from selfrag.evaluation.study import Study
from selfrag.evaluation.study_text import as_csv, as_html, tables
from selfrag.palette import Palette
from selfrag.service import SelfRag
from selfrag.ui.colours import mode_colours, palette
from selfrag.ui.evaluate_choice import LABELS
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.study_view import (
    draw_differing,
    draw_figures,
    draw_intervals,
    draw_pairs,
    draw_verdict,
)
from selfrag.ui.tables import draw_table
from selfrag.wording import duration

_TITLES = {"dense_weight": "Dense weight of convex fusion", "rrf_k": "k of RRF"}


def draw_run(rag: SelfRag) -> None:
    """Draw the study under way, or the last one."""
    view = rag.studies.background(owner()).view()
    if view is None:
        return
    st.divider()
    if not view.finished:
        _under_way(rag)
    elif view.error is not None:
        (st.info if view.cancelled else st.error)(literal(view.error))
    elif view.study is not None:
        _ended(view, view.study)


@st.fragment(run_every=1.0)
def _under_way(rag: SelfRag) -> None:
    view = rag.studies.background(owner()).view()
    if view is None or view.finished:
        st.rerun()
    left = "" if view.remaining is None else f", about {duration(view.remaining)} left of this"
    of = f"{view.done:,} of {view.total:,}" if view.total else ""
    st.progress(
        view.done / view.total if view.total else 0.0,
        f"**{literal(view.name)}**: {literal(view.what)} {of}{left}",
    )
    st.button(
        "Cancel",
        icon=":material/stop_circle:",
        type="tertiary",
        on_click=guarded(rag.studies.background(owner()).cancel),
        help="What was searched is kept.",
    )


def _ended(view: View, study: Study) -> None:
    st.subheader(literal(study.name), anchor=False)
    draw_verdict(study)
    if view.again:
        st.caption(":material/history: All of it was there from an earlier run.")
    if view.changes:
        st.caption(
            f":material/difference: Since the last run of this set: "
            f"{literal('; '.join(view.changes))}."
        )
    if not study.questions:
        return
    draw_intervals(study, "evaluate-intervals")
    draw_figures(study)
    draw_pairs(study)
    if study.sensitivity:
        st.markdown("**How much the parameters of fusion matter**")
        for column, name in zip(st.columns(2), study.sensitivity, strict=False):
            with column:
                st.plotly_chart(
                    sensitivity_chart(study, name, mode_colours(), palette()),
                    config={"displayModeBar": False},
                    key=f"evaluate-{name}",
                    alt=f"{study.measure} by {_TITLES[name]}",
                )
                st.caption(sensitivity_words(study, name))
    draw_differing(study, link=study.name == LABELS)
    _downloads(study)


def sensitivity_chart(
    study: Study, name: str, modes: Mapping[str, str], colours: Palette
) -> go.Figure:
    """A measure of hybrid search over one parameter of fusion."""
    values = study.sensitivity[name]
    figure = go.Figure()
    figure.add_scatter(
        x=list(values),
        y=list(values.values()),
        mode="lines+markers",
        line={"color": modes["hybrid"], "width": 2},
        marker={"size": 8},
        hovertemplate="%{x}: %{y:.3f}<extra></extra>",
        showlegend=False,
    )
    figure.update_xaxes(
        title=_TITLES[name], type="category", gridcolor=colours.line, fixedrange=True
    )
    figure.update_yaxes(title=study.measure, gridcolor=colours.line, fixedrange=True)
    figure.update_layout(height=280, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def sensitivity_words(study: Study, name: str) -> str:
    """What the chart of one parameter says."""
    values = study.sensitivity[name]
    best = max(values, key=values.__getitem__)
    spread = max(values.values()) - min(values.values())
    if spread < 0.0005:
        return f"{_TITLES[name]}: on these questions it makes no difference."
    return (
        f"{_TITLES[name]}: best at {best}; between the best and the worst lie {spread:.3f} "
        f"{study.measure}. A value chosen on these questions looks better on them than on others."
    )


def _downloads(study: Study) -> None:
    st.space("small")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "CSV: every value",
            lambda: as_csv(study),
            f"{study.name}.csv",
            "text/csv",
            icon=":material/table:",
            on_click="ignore",
        )
        st.download_button(
            "HTML: the tables",
            lambda: as_html(study),
            f"{study.name}.html",
            "text/html",
            icon=":material/description:",
            on_click="ignore",
        )
    if study.strata:
        title, heads, rows = next(t for t in tables(study) if t[0].endswith("by label"))
        st.markdown(f"**{literal(title)}**")
        draw_table(heads, [list(map(literal, row)) for row in rows])
