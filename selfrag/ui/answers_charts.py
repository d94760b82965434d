"""The pictures of a study of answers: quality with intervals, and the four cells of abstaining."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from selfrag.evaluation.answers.abstention import Abstention
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.palette import Palette

_MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}
_APART = 0.22  #: of a row, between the points of two systems


def quality(
    study: AnswerStudy, measures: Sequence[str], strategies: Mapping[str, str], colours: Palette
) -> go.Figure:
    """A row for each measure, a point with its interval for each system.

    Args:
        measures: those that run from 0 to 1.
        strategies: name -> colour; one with the oracle has that of its strategy, and is hollow.
    """
    figure = go.Figure()
    systems = list(study.figures)
    for place, name in enumerate(systems):
        base, _, oracle = name.partition(",")
        shift = (place - (len(systems) - 1) / 2) * min(_APART, 0.8 / len(systems))
        known = [
            (row, mean)
            for row, measure in enumerate(measures)
            if (mean := study.figures[name].means[measure]).mean is not None
        ]
        lows = [mean.mean if mean.low is None else mean.low for _, mean in known]
        highs = [mean.mean if mean.high is None else mean.high for _, mean in known]
        figure.add_scatter(
            x=[mean.mean for _, mean in known],
            y=[row + shift for row, _ in known],
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [(h or 0) - (m.mean or 0) for h, (_, m) in zip(highs, known, strict=True)],
                "arrayminus": [
                    (m.mean or 0) - (low or 0) for low, (_, m) in zip(lows, known, strict=True)
                ],
                "thickness": 2,
                "width": 5,
            },
            mode="markers",
            name=name,
            marker={
                "size": 11,
                "color": strategies.get(base, colours.quiet),
                "symbol": "circle-open" if oracle else "circle",
                "line": {"color": strategies.get(base, colours.quiet), "width": 2},
            },
            customdata=[[low, high] for low, high in zip(lows, highs, strict=True)],
            hovertemplate=f"{name}: %{{x:.3f}} (%{{customdata[0]:.3f}} to %{{customdata[1]:.3f}})"
            "<extra></extra>",
        )
    labels = [MEASURES[measure].label.replace(" (", "<br>(") for measure in measures]
    figure.update_xaxes(range=[-0.02, 1.02], gridcolor=colours.line, fixedrange=True)
    figure.update_yaxes(
        tickvals=list(range(len(measures))),
        ticktext=labels,
        range=[len(measures) - 0.5, -0.5],
        gridcolor=colours.line,
        fixedrange=True,
        zeroline=False,
    )
    figure.update_layout(
        height=110 + (34 + 20 * len(systems)) * len(measures),
        margin=_MARGIN,
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
    )
    return figure


def silence(cells: Mapping[str, Abstention], colours: Palette) -> go.Figure:
    """Two bars for each system: what it did with evidence, and what it did without.

    Green is what one would want, amber over-cautious, red over-confident; filled is an answer,
    hatched is silence. Each part says in words what it is.
    """
    figure = go.Figure()
    kinds = (
        ("right: answered", "right", colours.good, ""),
        ("over-cautious: stayed silent", "cautious", colours.fair, "/"),
        ("right: stayed silent", "declined", colours.good, "/"),
        ("over-confident: answered", "confident", colours.bad, ""),
    )
    shown = {name: each for name, each in cells.items() if each.known}
    rows = [
        (name, kind)
        for name in shown
        for kind in ("evidence found", "no evidence")
        if _whole(shown[name], kind)
    ]
    labels = {at: f"<b>{at[0]}</b><br>{at[1]}" for at in rows}
    for word, field, colour, pattern in kinds:
        kind = "evidence found" if field in ("right", "cautious") else "no evidence"
        mine = [(name, at) for name, at in rows if at == kind and getattr(shown[name], field)]
        numbers = [getattr(shown[name], field) for name, _ in mine]
        shares = [
            number / _whole(shown[name], kind)
            for number, (name, _) in zip(numbers, mine, strict=True)
        ]
        figure.add_bar(
            x=shares,
            y=[labels[at] for at in mine],
            orientation="h",
            name=word,
            marker={
                "color": colour,
                "line": {"color": colours.paper, "width": 2},
                "pattern": {
                    "shape": pattern,
                    "fillmode": "overlay",
                    "fgcolor": colours.paper,
                    "fgopacity": 0.5,
                    "size": 8,
                    "solidity": 0.2,
                },
            },
            text=[f"<b>{number:,}</b>" for number in numbers],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": colours.paper, "size": 13},
            hovertemplate=f"%{{text}} {word}<extra></extra>",
            showlegend=bool(mine),
        )
    figure.update_xaxes(
        range=[0, 1],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        tickformat=".0%",
        gridcolor=colours.line,
        fixedrange=True,
    )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[labels[at] for at in rows][::-1],
        fixedrange=True,
    )
    figure.update_layout(
        barmode="stack",
        height=120 + 54 * len(rows),
        margin={**_MARGIN, "r": 24},  # half of "100%" stands beyond the end
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
    )
    return figure


def _whole(cells: Abstention, kind: str) -> int:
    if kind == "evidence found":
        return cells.right + cells.cautious
    return cells.declined + cells.confident
