"""What several answers took, as small charts with a sentence under each."""

from collections.abc import Callable, Sequence

import plotly.graph_objects as go
import streamlit as st

from selfrag.palette import Palette
from selfrag.reflection import contrast
from selfrag.reflection.contrast import Side
from selfrag.reflection.grades import Support
from selfrag.reflection.story import counted, price, verdict
from selfrag.ui.colours import palette
from selfrag.ui.literal import literal
from selfrag.ui.tables import draw_table
from selfrag.wording import duration, in_one_unit

_ROW = 46  #: pixels for one answer: its name, and its bar under it
_BAR = 0.36  #: height of a bar, in rows
_PER_ROW = 3  #: charts beside each other
_KINDS = (
    (Support.FULLY, "backed"),
    (Support.PARTIALLY, "partly"),
    (Support.NOT, "not backed"),
    (Support.UNKNOWN, "not checked"),
)


def draw_charts(sides: Sequence[Side]) -> None:
    """Draw what there is to compare: what no answer took is left out, and said to be."""
    colours = palette()
    drawn: list[tuple[str, go.Figure, str]] = [
        ("Claims", claims_chart(sides, colours), contrast.claims(sides)),
        (
            "Time",
            bars(
                sides,
                lambda side: side.end.elapsed_s,
                in_one_unit([side.end.elapsed_s for side in sides]),
                colours,
            ),
            contrast.time(sides),
        ),
    ]
    if any(side.calls for side in sides):
        drawn += [
            (
                "Model calls",
                bars(sides, lambda side: side.calls, lambda n: f"{n:,.0f}", colours),
                contrast.calls(sides),
            ),
            (
                "Tokens",
                bars(sides, lambda side: side.tokens, lambda n: f"{n:,.0f}", colours),
                contrast.tokens(sides),
            ),
            (
                "Cost",
                bars(sides, lambda side: side.cost, price, colours),
                contrast.cost(sides),
            ),
        ]
    for first in range(0, len(drawn), _PER_ROW):
        columns = st.columns(min(_PER_ROW, len(drawn)), gap="large")
        for column, (title, figure, said) in zip(columns, drawn[first:], strict=False):
            with column:
                st.markdown(f"**{title}**")
                st.plotly_chart(
                    figure,
                    config={"displayModeBar": False},
                    key=f"trial-{title}",
                    alt=f"{title} of each answer. {said}",
                )
                st.caption(literal(said))
    if not any(side.calls for side in sides):
        st.caption("No language model was asked: no calls, no tokens, no cost.")


def draw_figures(sides: Sequence[Side]) -> None:
    """Every number in a table, folded up."""
    with st.expander("All figures", type="compact", icon=":material/table:"):
        draw_table(*figures(sides))


def figures(sides: Sequence[Side]) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: a column for each answer."""
    rows: list[tuple[str, Callable[[Side], str]]] = [
        ("Verdict", lambda side: verdict(side.end).title),
        ("Claims backed", _backed),
        ("Usefulness", _useful),
        ("Citations", lambda side: str(len(side.end.citations))),
        ("Searches", lambda side: str(len(side.view.searches))),
        ("Times written", lambda side: str(len(side.view.generated))),
        ("Retries", lambda side: str(side.end.retries)),
        ("Steps", lambda side: str(len(side.view.steps))),
        ("Model calls", lambda side: f"{side.calls:,}"),
        ("Tokens read", lambda side: _tokens(side, "input_tokens")),
        ("Tokens written", lambda side: _tokens(side, "output_tokens")),
        ("Time", lambda side: duration(side.end.elapsed_s)),
        ("Cost", lambda side: price(side.cost)),
    ]
    heads = ["", *(literal(side.name) for side in sides)]
    return heads, [[name, *(literal(of(side)) for side in sides)] for name, of in rows]


def bars(
    sides: Sequence[Side],
    of: Callable[[Side], float | None],
    said: Callable[[float], str],
    colours: Palette,
) -> go.Figure:
    """A bar for each answer, with its name and value above it; none where it is not known."""
    values = [of(side) for side in sides]
    figure = go.Figure()
    figure.add_bar(
        x=[value or 0 for value in values],
        y=list(range(len(sides))),
        orientation="h",
        width=_BAR,
        marker={"color": colours.quiet},
        hoverinfo="skip",
        showlegend=False,
    )
    told = ["not known" if value is None else said(value) for value in values]
    return _named(figure, sides, told, colours)


def claims_chart(sides: Sequence[Side], colours: Palette) -> go.Figure:
    """The claims of each answer, those that are backed first."""
    figure = go.Figure()
    tones = (colours.good, colours.fair, colours.bad, colours.quiet)
    for (kind, word), tone in zip(_KINDS, tones, strict=True):
        numbers = [sum(claim.support is kind for claim in side.claims) for side in sides]
        if any(numbers):
            figure.add_bar(
                x=numbers,
                y=list(range(len(sides))),
                orientation="h",
                width=_BAR,
                name=word,
                marker={"color": tone, "line": {"color": colours.paper, "width": 2}},
                hovertemplate=f"%{{x}} {word}<extra></extra>",
                showlegend=False,
            )
    figure.update_layout(barmode="stack")
    return _named(figure, sides, [_claims(side) for side in sides], colours)


def _named(
    figure: go.Figure, sides: Sequence[Side], told: Sequence[str], colours: Palette
) -> go.Figure:
    for row, (side, value) in enumerate(zip(sides, told, strict=True)):
        for text, at, anchor in ((side.name, 0, "left"), (value.replace("$", "&#36;"), 1, "right")):
            figure.add_annotation(
                x=at,
                xref="x domain",
                y=row - 0.44,
                text=text,
                xanchor=anchor,
                yanchor="middle",
                showarrow=False,
                font={"size": 13, "color": colours.text},
            )
        figure.add_shape(
            type="line",
            xref="x domain",
            x0=0,
            x1=1,
            y0=row + _BAR / 2 + 0.05,
            y1=row + _BAR / 2 + 0.05,
            line={"color": colours.line, "width": 1},
        )
    figure.update_xaxes(visible=False, fixedrange=True, rangemode="tozero")
    figure.update_yaxes(visible=False, fixedrange=True, range=[len(sides) - 0.7, -0.7])
    figure.update_layout(height=_ROW * len(sides) + 8, margin={"l": 0, "r": 0, "t": 0, "b": 0})
    return figure


def _claims(side: Side) -> str:
    if not side.claims:
        return "no answer" if side.end.status == "abstained" else "not checked"
    counts = [(sum(claim.support is kind for claim in side.claims), word) for kind, word in _KINDS]
    return ", ".join(f"{number} {word}" for number, word in counts if number)


def _backed(side: Side) -> str:
    return f"{side.backed} of {counted(len(side.claims), 'claim')}" if side.claims else "–"


def _useful(side: Side) -> str:
    graded = side.view.usefulness.get(side.end.attempt or 0)
    return f"{graded.score} of 5" if graded and graded.score is not None else "–"


def _tokens(side: Side, kind: str) -> str:
    usage = side.end.usage
    about = "about " if usage and usage.estimated else ""
    return f"{about}{getattr(usage, kind):,}" if usage and usage.llm_calls else "0"
