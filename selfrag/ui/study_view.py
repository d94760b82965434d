"""A study on a page: what it says, the means with their intervals, the tests, what differs most."""

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st

from selfrag.evaluation.paired import Difference
from selfrag.evaluation.significance import Mean
from selfrag.evaluation.study import Study
from selfrag.evaluation.verdict import label, name_of_mean, probability, verdict
from selfrag.palette import Palette
from selfrag.retrieval.variant import Variant
from selfrag.ui import page_list
from selfrag.ui.colours import mode_colours, palette
from selfrag.ui.compare_words import beside_hybrid, milliseconds
from selfrag.ui.literal import literal
from selfrag.ui.tables import draw_table

EXPLAINED = {
    "nDCG@10": "how high the relevant passages stand among the first ten",
    "R@5": "share of the relevant passages among the first five",
    "R@20": "share among the first twenty",
    "R@100": "share among the first hundred",
    "RR@10": "one divided by the place of the first relevant passage",
    "AP": "average precision: how early each relevant passage comes",
    "P@5": "share of the first five that is relevant",
    "P@10": "share of the first ten that is relevant",
    "P@20": "share of the first twenty that is relevant",
}


def draw_verdict(study: Study) -> None:
    """The sentences, the most important first and largest."""
    for place, sentence in enumerate(verdict(study)):
        st.markdown(f"**{literal(sentence)}**" if place == 0 else literal(sentence))
    for note in study.notes:
        st.caption(f":material/info: {literal(note)}")


def draw_intervals(study: Study, key: str) -> None:
    """The means of the tested measure with their intervals."""
    st.plotly_chart(
        interval_chart(study, mode_colours(), palette()),
        config={"displayModeBar": False},
        key=key,
        alt=f"{name_of_mean(study.measure)} of each mode with its 95 % interval",
    )
    st.caption(
        f"{name_of_mean(study.measure)}: "
        f"{EXPLAINED.get(study.measure, 'as ir-measures defines it')}. The line is where the "
        "mean may lie as far as these questions can tell (95 %). Two lines may "
        "overlap although the same questions tell the modes apart: the tests below decide."
    )


def draw_figures(study: Study) -> None:
    """Every measure of every mode, the best in bold."""
    draw_table(*figures_table(study))
    note = "labelled: how much of the first ten anyone judged. time: the median of a search"
    if study.embedding is not None:
        note += f", without the {milliseconds(study.embedding)} that the question's vector takes"
    st.caption(f"{note}.")
    beside = beside_hybrid([Variant.parse(name).mode for name in study.figures])
    if beside is not None:
        st.caption(literal(beside))


def draw_pairs(study: Study) -> None:
    """Every two modes with the tests."""
    if study.pairs:
        draw_table(*pairs_table(study))
        st.caption(
            "p of the randomisation test and of the paired t-test, both two-sided and corrected "
            f"for {len(study.pairs)} comparisons (Holm); the intervals are not. "
            "Below 0.05 counts as a difference."
        )


def draw_differing(study: Study, *, link: bool) -> None:
    """Questions where the best two modes differ most.

    Args:
        link: whether they can be asked of the library, each opening in Compare.
    """
    if len(study.figures) < 2 or not study.questions:
        return
    first, second = study.ranked()[:2]
    rows = study.differing(first, second)
    if not rows:
        return
    st.markdown(f"**Where {literal(label(first))} and {literal(label(second))} differ most**")
    for key, a, b in rows:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if link:
                st.page_link(
                    page_list.compare(),
                    label=literal(study.questions[key], 90),
                    icon=":material/view_column:",
                    query_params={"q": study.questions[key], "modes": f"{first};{second}"},
                )
            else:
                st.markdown(literal(study.questions[key], 110), width="content")
            st.caption(f"{a:.2f} against {b:.2f}", width="content")


def interval_chart(study: Study, modes: Mapping[str, str], colours: Palette) -> go.Figure:
    """A dot for each mean, a line for its interval."""
    figure = go.Figure()
    names = list(study.figures)
    rows = [label(name).replace(", ", "<br>", 1) for name in names]
    for row, name in zip(rows, names, strict=True):
        mean = study.figures[name].means[study.measure]
        if mean.mean is None:
            continue
        low = mean.mean if mean.low is None else mean.low
        high = mean.mean if mean.high is None else mean.high
        figure.add_scatter(
            x=[mean.mean],
            y=[row],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [high - mean.mean],
                "arrayminus": [mean.mean - low],
                "thickness": 2,
                "width": 6,
            },
            mode="markers+text",
            text=[f"{mean.mean:.3f}"],
            textposition="top center",
            marker={"size": 12, "color": modes[Variant.parse(name).mode.value]},
            hovertemplate=f"{mean.mean:.3f} ({low:.3f} to {high:.3f})<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(title=name_of_mean(study.measure), gridcolor=colours.line, fixedrange=True)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=rows[::-1],
        range=[-0.6, len(rows) - 0.3],
        gridcolor=colours.line,
        fixedrange=True,
    )
    figure.update_layout(height=90 + 52 * len(rows), margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def figures_table(study: Study) -> tuple[list[str], list[list[str]]]:
    """Heads and rows."""
    measures = study.measures
    best = {
        name: max((f.means[name].mean or 0.0 for f in study.figures.values()), default=0.0)
        for name in measures
    }
    rows = [
        [
            literal(label(variant)),
            *(
                _number(each.means[name], bold=(each.means[name].mean or 0.0) == best[name])
                for name in measures
            ),
            "–" if each.judged is None else f"{each.judged:.0%}",
            "–" if each.median is None else milliseconds(each.median),
        ]
        for variant, each in study.figures.items()
    ]
    return ["mode", *map(name_of_mean, measures), "labelled", "time"], rows


def pairs_table(study: Study) -> tuple[list[str], list[list[str]]]:
    """Heads and rows."""
    rows = [
        [
            f"{literal(label(pair.a))} – {literal(label(pair.b))}",
            f"{pair.difference.mean:+.3f}",
            _interval(pair.difference),
            f"**{_p(pair.p_randomisation)}**" if pair.significant else _p(pair.p_randomisation),
            _p(pair.p_t),
            f"{pair.difference.wins}/{pair.difference.ties}/{pair.difference.losses}",
        ]
        for pair in study.pairs
    ]
    heads = ["modes", name_of_mean(study.measure), "95 % interval", "randomisation", "t-test"]
    return [*heads, "better/equal/worse"], rows


def _number(mean: Mean, *, bold: bool) -> str:
    if mean.mean is None:
        return "undefined"
    return f"**{mean.mean:.3f}**" if bold else f"{mean.mean:.3f}"


def _interval(each: Difference) -> str:
    if each.low is None or each.high is None:
        return "–"
    return f"{each.low:+.3f} to {each.high:+.3f}"


def _p(value: float | None) -> str:
    return "no test" if value is None else f"p {probability(value)}"
