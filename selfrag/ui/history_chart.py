"""A measure over time: a line for each mode or strategy, one point for each result.

Lines that lie on each other stay apart to the eye: the one below is wider, its points larger and
of another shape.
"""

from collections.abc import Callable, Mapping, Sequence

import plotly.graph_objects as go

from selfrag.palette import Palette
from selfrag.records.results import ResultRecord
from selfrag.ui.result_words import best_first, called, falls, is_share, series_name, shown
from selfrag.wording import listed

_TICKS = 8  #: dates that are written under the axis at most
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("circle", "diamond", "square", "cross", "triangle-up", "star")


def over_time(
    records: Sequence[ResultRecord],
    measure: str,
    colours_of: Mapping[str, str],
    colours: Palette,
    when: Callable[[float], str],
) -> go.Figure:
    """One measure over all results of a set.

    Args:
        records: the oldest first.
        colours_of: mode or strategy -> colour; one with parameters has that of its mode, and a
            dash and a symbol of its own.
        when: a moment as people read it.
    """
    figure = go.Figure()
    seen: dict[str, int] = {}
    drawn = [name for name in _series(records) if _has(records, name, measure)]
    for series in drawn:
        base = series.partition(":")[0].partition(",")[0]
        place = seen[base] = seen.get(base, -1) + 1
        order = drawn.index(series)
        above = _above(records, measure, series, drawn[order + 1 :])
        points = [
            (number, record, each)
            for number, record in enumerate(records)
            if (each := record.means.get(series, {}).get(measure, {})).get("mean") is not None
        ]
        name = series_name(records[-1], series)
        figure.add_scatter(
            x=[number for number, _, _ in points],
            y=[each["mean"] for _, _, each in points],
            mode="lines+markers",
            cliponaxis=False,
            name=name,
            line={
                "color": colours_of.get(base, colours.quiet),
                "width": 2 + 2 * min(above, 3),
                "dash": _DASHES[place % len(_DASHES)],
            },
            marker={"size": 9 + 4 * min(above, 4), "symbol": _SYMBOLS[order % len(_SYMBOLS)]},
            customdata=[when(record.ended_at) for _, record, _ in points],
            hovertemplate=f"{name}: %{{text}}<br>%{{customdata}}<extra></extra>",
            text=[shown(each["mean"] or 0.0, measure) for _, _, each in points],
        )
    for number in data_changes(records):
        figure.add_vline(
            x=number - 0.5,
            line={"color": colours.quiet, "dash": "dot", "width": 1},
            annotation={"text": "other data", "font": {"size": 11, "color": colours.quiet}},
            annotation_position="top right",
        )
    step = max(1, -(-len(records) // _TICKS))
    ticks = list(range(0, len(records), step))
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=[when(records[number].ended_at).replace(", ", "<br>") for number in ticks],
        range=[-0.4, len(records) - 0.6],
        gridcolor=colours.line,
        fixedrange=True,
        zeroline=False,
        tickangle=0,
    )
    figure.update_yaxes(
        title=called(measure),
        gridcolor=colours.line,
        fixedrange=True,
        **({"range": [-0.04, 1.04]} if is_share(measure) else {"rangemode": "tozero"}),
    )
    figure.update_layout(
        height=320,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        showlegend=True,
        legend={"orientation": "h", "y": 1.08, "yanchor": "bottom"},
    )
    return figure


def _series(records: Sequence[ResultRecord]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record.means))


def _value(record: ResultRecord, series: str, measure: str) -> float | None:
    return record.means.get(series, {}).get(measure, {}).get("mean")


def _has(records: Sequence[ResultRecord], series: str, measure: str) -> bool:
    return any(_value(record, series, measure) is not None for record in records)


def _above(records: Sequence[ResultRecord], measure: str, series: str, later: Sequence[str]) -> int:
    """How many of the lines drawn later lie on a point of this one."""
    return max(
        sum(_value(record, other, measure) == mean for other in later)
        for record in records
        if (mean := _value(record, series, measure)) is not None
    )


def data_changes(records: Sequence[ResultRecord]) -> list[int]:
    """The results that were measured on other data than the one before: 1 to the last."""
    return [
        number
        for number in range(1, len(records))
        if _data(records[number]) != _data(records[number - 1])
    ]


def _data(record: ResultRecord) -> tuple[str | None, str | None]:
    return record.made_of.get("data"), record.made_of.get("library")


def over_time_words(records: Sequence[ResultRecord], measure: str) -> str:
    """What the chart says."""
    last, name = records[-1], called(measure)
    ranked = best_first(last, measure)
    if not ranked:
        return f"{name} is undefined in the latest of these results."
    series, mean = ranked[0]
    which = "lowest" if falls(measure) else "highest"
    best = shown(mean, measure)
    tied = [series_name(last, other) for other, at in ranked if shown(at, measure) == best]
    if len(tied) > 1:
        equal = f"In the latest result {listed(tied)} have the same {name}: {best}"
        said = equal if len(tied) == len(ranked) else f"{equal}, the {which}"
    else:
        said = f"In the latest result {tied[0]} has the {which} {name}: {best}"
    earlier = [
        value["mean"]
        for record in records[:-1]
        if (value := record.means.get(series, {}).get(measure)) and value["mean"] is not None
    ]
    if earlier and len(tied) == 1:
        before = earlier[-1] or 0.0
        same = shown(mean, measure) == shown(before, measure)
        sign = "+" if mean > before else "-"
        moved = "as in" if same else f"{sign}{shown(abs(mean - before), measure)} since"
        said += f", {moved} the one before"
    said += "."
    if data_changes(records):
        said += " Values on the two sides of a dotted line are of other data: do not compare them."
    return said
