"""The map of the library as a chart: its chunks, the question, and what each mode found."""

import html
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from selfrag.evaluation.library_map import LibraryMap
from selfrag.palette import Palette
from selfrag.retrieval.comparison import Comparison

#: One shape for each mode of a comparison, open and larger than the one before: a passage that
#: several found shows all of theirs, one around the other.
SHAPES = (
    "circle-open",
    "square-open",
    "diamond-open",
    "hexagon-open",
    "triangle-up-open",
    "star-square-open",
)
_SMALLEST, _LARGER = 11, 6  #: pixels
_LINE = 46  #: characters of a line in what hovering shows
_INSIDE = 0.8  #: share of the passages that the view around the question holds at least
_WIDE, _HIGH = 560, 420  #: pixels that the map has at least where it is not on a telephone
_WORDS = np.array([52, 12])  #: pixels, half of what "your question" takes
_ROOM = 40  #: pixels around the words that are enough: shapes and numbers reach so far
_AWAY, _FLAT = (45, 70, 100, 140), 1.7  #: pixels from the star, and how much further sideways
_WIDER, _WIDER_AROUND = 1.06, 1.4  #: times as wide as what is to be seen


@dataclass(frozen=True, slots=True)
class Placed:
    """What is drawn on the map.

    Attributes:
        question: where it lies, or None where it could not be embedded.
        passages: number of a passage of the comparison -> where it lies.
    """

    question: tuple[float, float] | None
    passages: Mapping[int, tuple[float, float]]


def draw_chart(
    library: LibraryMap,
    placed: Placed,
    comparison: Comparison,
    names: Mapping[str, str],
    modes: Mapping[str, str],
    colours: Palette,
    *,
    marked: str | None = None,
    chosen: str | None = None,
    around: bool = False,
) -> go.Figure:
    """The chart.

    Args:
        names: document id -> name, as it is now.
        modes: name of a mode -> its colour.
        marked: id of the document whose chunks stand out.
        chosen: id of the passage that has its number.
        around: show the neighbourhood of the question, with the passages' numbers.
    """
    figure = go.Figure()
    mine = np.array([document == marked for document in library.documents], dtype=bool)
    _chunks(figure, library, ~mine, names, "chunk", colours.quiet, 5, 0.55)
    if mine.any():
        _chunks(figure, library, mine, names, "in the document", colours.text, 6, 0.9)
    for index, outcome in enumerate(comparison.outcomes):
        found = [p for p in comparison.passages if p.places[index] is not None]
        found = [passage for passage in found if passage.number in placed.passages]
        if not found:
            continue
        at = [placed.passages[passage.number] for passage in found]
        figure.add_scatter(
            x=[x for x, _ in at],
            y=[y for _, y in at],
            mode="markers",
            name=html.escape(outcome.variant.label),
            marker={
                "symbol": SHAPES[index],
                "size": _SMALLEST + _LARGER * index,
                "color": modes[outcome.variant.mode.value],
                "line": {"width": 2},
            },
            hovertext=[
                _words(
                    f"passage {p.number}: number {p.places[index]} of {outcome.variant.label}",
                    f"{p.hit.document}, page {p.hit.page}",
                    p.hit.text,
                )
                for p in found
            ],
            hoverinfo="text",
        )
    across, up = _ranges(library, placed, around)
    numbered = {p.number for p in comparison.passages if around or p.chunk_id == chosen}
    _numbers(figure, placed, numbered, colours)
    if placed.question is not None:
        figure.add_scatter(
            x=[placed.question[0]],
            y=[placed.question[1]],
            mode="markers",
            name="your question",
            marker={"symbol": "star", "size": 17, "color": colours.path},
            hovertext=[_words("your question", comparison.question, "")],
            hoverinfo="text",
            cliponaxis=False,
        )
        right, above = _free(placed, across, up)
        figure.add_annotation(
            x=placed.question[0],
            y=placed.question[1],
            ax=right,
            ay=-above,
            text="your question",
            font={"color": colours.path, "size": 14},
            bgcolor=colours.paper,
            borderpad=2,
            arrowhead=0,
            arrowwidth=1.5,
            arrowcolor=colours.path,
            standoff=9,
        )
    hidden = {"visible": False, "fixedrange": True}
    figure.update_xaxes(range=across, **hidden)
    figure.update_yaxes(range=up, scaleanchor="x", **hidden)
    figure.update_layout(
        height=480,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        hovermode="closest",
        hoverlabel={"align": "left"},
        dragmode=False,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"},
    )
    return figure


def _chunks(
    figure: go.Figure,
    library: LibraryMap,
    which: np.ndarray,
    names: Mapping[str, str],
    name: str,
    colour: str,
    size: int,
    opacity: float,
) -> None:
    chosen = np.flatnonzero(which)
    figure.add_scattergl(
        x=library.positions[chosen, 0],
        y=library.positions[chosen, 1],
        mode="markers",
        name=name,
        marker={"size": size, "color": colour, "opacity": opacity},
        hovertext=[
            _words(
                f"{names.get(library.documents[i], 'a document')}, page {library.pages[i]}",
                library.words[i],
                "",
            )
            for i in chosen
        ],
        hoverinfo="text",
    )


def _numbers(figure: go.Figure, placed: Placed, numbered: set[int], colours: Palette) -> None:
    """Passages that lie on one place share one text, beside their shapes."""
    together: dict[tuple[float, float], list[int]] = {}
    for number, (x, y) in placed.passages.items():
        if number in numbered:
            together.setdefault((round(x, 6), round(y, 6)), []).append(number)
    for (x, y), numbers in together.items():
        figure.add_annotation(
            x=x,
            y=y,
            text=", ".join(map(str, sorted(numbers))),
            xanchor="left",
            xshift=_SMALLEST + _LARGER,
            showarrow=False,
            font={"color": colours.text, "size": 13},
        )


def _free(
    placed: Placed, across: tuple[float, float], up: tuple[float, float]
) -> tuple[float, float]:
    """Where the question's words have room: pixels to the right of the star, and above it.

    Of places all around the star, the one whose box is furthest from every passage's shapes, and
    inside of the map; the nearest of those that are equally free.
    """
    assert placed.question is not None
    # One unit takes as many pixels both ways: the tighter way decides.
    scale = min(_WIDE / (across[1] - across[0]), _HIGH / (up[1] - up[0]))
    star = np.array(placed.question)
    points = (np.array(list(placed.passages.values())).reshape(-1, 2) - star) * scale
    middle = np.array([sum(across) / 2, sum(up) / 2])
    edge = np.array([_WIDE, _HIGH]) / 2 - _WORDS

    def room(at: tuple[float, float]) -> float:
        outside = np.abs(np.array(at) + (star - middle) * scale) > edge
        if outside.any():
            return -1.0
        beyond = np.maximum(np.abs(points - np.array(at)) - _WORDS, 0)
        return float(min(np.hypot(*beyond.T).min(initial=_ROOM), _ROOM))

    places = [
        (away * _FLAT * math.cos(turn), away * math.sin(turn))
        for away in _AWAY
        for turn in np.linspace(math.pi / 2, 2.5 * math.pi, 12, endpoint=False)
    ]
    return max(places, key=room)


def _ranges(
    library: LibraryMap, placed: Placed, around: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """What the axes show: everything, or the question and most passages."""
    found = np.array(list(placed.passages.values())).reshape(-1, 2)
    question = np.array([placed.question or ()]).reshape(-1, 2)
    shown = np.concatenate([library.positions.astype(float), found, question])
    extent = float(np.ptp(shown, axis=0).max())
    wider = _WIDER
    if around and len(question) and len(found):
        away = np.hypot(*(found - question).T)
        near = found[away <= np.quantile(away, _INSIDE, method="higher")]
        shown = np.concatenate([near, question])
        wider = _WIDER_AROUND
    low, high = shown.min(axis=0), shown.max(axis=0)
    middle = (low + high) / 2
    half = np.maximum(wider * (high - low) / 2, 0.02 * extent or 1.0)
    across, up = ((float(m - h), float(m + h)) for m, h in zip(middle, half, strict=True))
    return across, up


def _words(first: str, second: str, third: str) -> str:
    """What hovering shows: each on lines of its own, other people's text to the letter."""
    lines: list[str] = []
    for number, text in enumerate((first, second, third)):
        short = " ".join(text.split())
        short = short if len(short) <= 2 * _LINE else f"{short[: 2 * _LINE - 1]}…"
        wrapped = textwrap.wrap(short, _LINE)
        escaped = [html.escape(line) for line in wrapped]
        lines += [f"<b>{line}</b>" for line in escaped] if number == 0 else escaped
    return "<br>".join(lines)
