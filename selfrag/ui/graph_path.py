"""The path through the graph as a picture: the compiled graph top down, the way taken in colour."""

from collections.abc import Sequence
from itertools import pairwise
from textwrap import wrap

import streamlit as st

from selfrag.palette import Palette
from selfrag.reflection.pathway import LABELS, beside, edges, names, spine, way, way_in_words
from selfrag.reflection.strategy import USUAL, Shape
from selfrag.ui.colours import palette

_NODE = 'shape=box style=rounded fontname="sans-serif" fontsize={} height=0.38 margin="0.12,0.05"'
_EDGE = 'style=dashed arrowsize=0.6 fontname="sans-serif" fontsize={}'
_LETTERS = 13  #: points
_LARGE = 24  #: points, in about the same room
_LINE = 14  #: characters of a line of large letters


def dot(
    nodes: Sequence[str],
    finished: bool,
    colours: Palette,
    shape: Shape = USUAL,
    *,
    large: bool = False,
) -> str:
    """The graph in Graphviz's language; edges gone more than once carry their count.

    Args:
        large: letters that can be read from the back of a room when it is as high as the screen.
    """
    points = _LARGE if large else _LETTERS
    taken = way(nodes, finished, shape)
    gone = {name for edge in taken for name in edge}
    now = nodes[-1] if nodes and not finished else None
    lines = [
        "digraph {",
        f"bgcolor=transparent nodesep=0.25 ranksep={0.2 if large else 0.3} "
        f"node [{_NODE.format(points)} {_ink(colours.text)} "
        f'color="{colours.line}"] edge [{_EDGE.format(points)} color="{colours.quiet}" '
        f"{_ink(colours.path)}]",
    ]
    for name in names(shape):
        lines_of = wrap(LABELS[name], _LINE) if large else [LABELS[name]]
        look = 'label="{}"'.format("\\n".join(lines_of))
        if name in gone:
            look += f' color="{colours.path}" penwidth=2'
        if name == now:
            look += (
                f' style="rounded,filled" fillcolor="{colours.path}" fontcolor="{colours.paper}"'
            )
        lines.append(f'"{name}" [{look}]')
    straight = set(pairwise(spine(shape)))
    for source, target in edges(shape):
        look = "weight=9" if (source, target) in straight else "constraint=false"
        if count := taken[source, target]:
            look += f' color="{colours.path}" style=solid penwidth=2.2'
            if count > 1:
                look += f' xlabel="{count}×"'
        lines.append(f'"{source}" -> "{target}" [{look}]')
    for name, partner in beside(shape).items():
        lines.append(f'{{rank=same; "{partner}"; "{name}"}}')
    return "\n".join([*lines, "}"])


def draw_path(
    nodes: Sequence[str],
    *,
    finished: bool,
    shape: Shape = USUAL,
    height: int | None = None,
    large: bool = False,
) -> None:
    """Draw the way that a run has gone so far; the bare graph where there are no nodes.

    Args:
        height: pixels; as high as it takes at the full width where None.
        large: see `dot`.
    """
    st.graphviz_chart(
        dot(nodes, finished, palette(), shape, large=large),
        width="stretch" if height is None else "content",
        height=height or "content",
        alt=f"The path through the graph: {way_in_words(nodes)}",
    )


def _ink(colour: str) -> str:
    return f'fontcolor="{colour}"'
