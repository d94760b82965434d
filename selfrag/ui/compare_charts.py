"""The charts of a comparison: overlap, seconds, ranks from stage to stage, scores per stage."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from selfrag.palette import Palette
from selfrag.records.labels import Relevance
from selfrag.retrieval.comparison import Comparison, Outcome
from selfrag.retrieval.result import StageStatus
from selfrag.ui.compare_words import NAMES, READING, milliseconds, stages_of
from selfrag.ui.funnel import rank_axis

#: The stage that a mode adds has the mode's colour.
STAGE_MODE = {
    "dense": "dense",
    "bm25": "bm25",
    "fusion": "hybrid",
    "mmr": "hybrid_mmr",
    "rerank": "hybrid_rerank",
    "parents": "full",
}
LABELS = {
    Relevance.RELEVANT: "relevant",
    Relevance.PARTLY: "partly relevant",
    Relevance.NOT: "not relevant",
    None: "not labelled",
}
_MARGIN = {"l": 8, "r": 8, "t": 8, "b": 8}
_NUMBERED = 3  #: passages of a stage whose numbers are written: more would lie on each other
_APART = 0.06  #: of the panel's height, between a number and the points beside it
_SCORED = 20  #: passages of a stage whose scores are drawn


def names(outcomes: Sequence[Outcome]) -> list[str]:
    """What the axis says: a long label on two lines."""
    return [outcome.variant.label.replace(", ", "<br>", 1) for outcome in outcomes]


def overlap(comparison: Comparison, modes: Mapping[str, str], colours: Palette) -> go.Figure:
    """A row per mode, a column per passage; a dot where the mode found it, its rank inside."""
    figure = go.Figure()
    rows = names(comparison.outcomes)
    for index, outcome in enumerate(comparison.outcomes):
        found = [p for p in comparison.passages if p.places[index] is not None]
        figure.add_scatter(
            x=[str(passage.number) for passage in found],
            y=[rows[index]] * len(found),
            mode="markers+text",
            marker={"size": 24, "color": modes[outcome.variant.mode.value]},
            text=[str(passage.places[index]) for passage in found],
            textfont={"color": colours.paper, "size": 12},
            hovertemplate=f"passage %{{x}}: number %{{text}} of {outcome.variant.label}"
            "<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(
        title="passage",
        type="category",
        categoryorder="array",
        categoryarray=[str(passage.number) for passage in comparison.passages],
        gridcolor=colours.line,
        fixedrange=True,
        tickangle=0,
    )
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=rows[::-1],
        range=[-0.6, len(rows) - 0.4],
        gridcolor=colours.line,
        fixedrange=True,
    )
    figure.update_layout(height=90 + 44 * len(rows), margin=_MARGIN)
    return figure


def seconds(comparison: Comparison, modes: Mapping[str, str], colours: Palette) -> go.Figure:
    """A bar per mode, its stages stacked, in milliseconds."""
    figure = go.Figure()
    rows = names(comparison.outcomes)
    for stage, mode in STAGE_MODE.items():
        taken = [_taken(outcome, stage) for outcome in comparison.outcomes]
        if not any(taken):
            continue
        figure.add_bar(
            x=[value * 1000 for value in taken],
            y=rows,
            orientation="h",
            name=NAMES[stage],
            marker={"color": modes[mode], "line": {"color": colours.paper, "width": 1}},
            customdata=[milliseconds(value) for value in taken],
            hovertemplate=f"{NAMES[stage]}: %{{customdata}}<extra></extra>",
        )
    rest = [_rest(outcome) for outcome in comparison.outcomes]
    figure.add_bar(
        x=[value * 1000 for value in rest],
        y=rows,
        orientation="h",
        name=READING,
        marker={"color": colours.quiet, "line": {"color": colours.paper, "width": 1}},
        customdata=[milliseconds(value) for value in rest],
        hovertemplate=f"{READING}: %{{customdata}}<extra></extra>",
    )
    figure.update_xaxes(title="milliseconds", gridcolor=colours.line, fixedrange=True)
    figure.update_yaxes(categoryorder="array", categoryarray=rows[::-1], fixedrange=True)
    figure.update_layout(
        barmode="stack",
        height=130 + 44 * len(rows),
        margin=_MARGIN,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
    )
    return figure


def _taken(outcome: Outcome, stage: str) -> float:
    if outcome.retrieval is None:
        return 0.0
    ran = (s for s in outcome.retrieval.stages if s.status is StageStatus.RAN)
    return sum(s.seconds for s in ran if s.name == stage)


def _rest(outcome: Outcome) -> float:
    """What no stage took: reading the texts of the passages from the index."""
    if outcome.retrieval is None:
        return 0.0
    ran = (s.seconds for s in outcome.retrieval.stages if s.status is StageStatus.RAN)
    return max(0.0, outcome.retrieval.seconds - sum(ran))


def ranks(
    comparison: Comparison,
    index: int,
    labels: Mapping[str, Relevance],
    chosen: str | None,
    colours: Palette,
) -> go.Figure:
    """A bump chart of one mode: stages along x, rank along y (1 on top, logarithmic).

    Every passage of the comparison that the mode met has a line, in the colour and dash of its
    label; a line that ends early is one that the next stage left out.
    """
    looks = {
        Relevance.RELEVANT: (colours.good, "circle", "solid"),
        Relevance.PARTLY: (colours.fair, "diamond", "dash"),
        Relevance.NOT: (colours.bad, "x", "dot"),
        None: (colours.quiet, "square", "solid"),
    }
    outcome = comparison.outcomes[index]
    stages = stages_of(outcome)
    scores = outcome.retrieval.scores if outcome.retrieval else {}
    figure = go.Figure()
    named: set[Relevance | None] = set()
    for passage in comparison.passages:
        at = scores.get(passage.chunk_id, {})
        points = [(NAMES[name], at[name].rank) for name in stages if name in at]
        final = passage.places[index]
        if final is not None:
            points.append(("list", final))
        if not points:
            continue
        label = labels.get(passage.chunk_id)
        colour, symbol, dash = looks[label]
        figure.add_scatter(
            x=[name for name, _ in points],
            y=[rank for _, rank in points],
            mode="lines+markers+text",
            line={"color": colour, "dash": dash, "width": 5 if passage.chunk_id == chosen else 2},
            marker={"symbol": symbol, "size": 9, "color": colour},
            text=[""] * (len(points) - 1) + [f" {passage.number}"],
            textposition="middle right",
            name=LABELS[label],
            legendgroup=LABELS[label],
            showlegend=label not in named,
            hovertemplate=f"passage {passage.number}<br>%{{x}}: rank %{{y}}<extra></extra>",
        )
        named.add(label)
    axis = [*(NAMES[name] for name in stages), "list"]
    figure.update_xaxes(
        type="category",
        categoryorder="array",
        categoryarray=axis,
        range=[-0.25, len(axis) - 0.65],
        showgrid=False,
        fixedrange=True,
    )
    rank_axis(figure, colours)
    figure.update_layout(
        height=340,
        margin=_MARGIN,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )
    return figure


def scores(
    comparison: Comparison,
    index: int,
    chosen: str | None,
    modes: Mapping[str, str],
    colours: Palette,
) -> go.Figure:
    """A panel for each stage of one mode: the scores of its first passages, on its own axis."""
    outcome = comparison.outcomes[index]
    stages = stages_of(outcome)
    numbers = {passage.chunk_id: passage.number for passage in comparison.passages}
    figure = make_subplots(
        rows=1, cols=max(1, len(stages)), subplot_titles=[NAMES[name] for name in stages]
    )
    for column, name in enumerate(stages, start=1):
        assert outcome.retrieval is not None
        ranked = outcome.retrieval.lists[name][:_SCORED]
        values = [outcome.retrieval.scores[item][name].score for item in ranked]
        numbered = _apart(values)
        figure.add_scatter(
            row=1,
            col=column,
            x=list(range(1, len(ranked) + 1)),
            y=values,
            mode="markers+text",
            text=[
                str(numbers.get(item, "")) if place in numbered or item == chosen else ""
                for place, item in enumerate(ranked)
            ],
            textposition="middle right",
            textfont={"size": 11},
            marker={
                "size": [13 if item == chosen else 8 if item in numbers else 5 for item in ranked],
                "color": modes[STAGE_MODE[name]],
                "opacity": [1.0 if item in numbers else 0.45 for item in ranked],
            },
            hovertemplate=f"{NAMES[name]} score %{{y:.3f}}, rank %{{x}}<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(title="rank", gridcolor=colours.line, fixedrange=True)
    figure.update_yaxes(gridcolor=colours.line, fixedrange=True, nticks=5)
    figure.update_layout(height=340, margin={**_MARGIN, "t": 28})
    return figure


def _apart(values: Sequence[float]) -> set[int]:
    """The first places whose number would not lie on the point that follows, or its number."""
    if len(values) < 2:
        return set(range(len(values)))
    least = _APART * (max(values) - min(values))
    return {
        place
        for place in range(min(_NUMBERED, len(values)))
        if place + 1 == len(values) or values[place] - values[place + 1] > least
    }
