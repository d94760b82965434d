"""The path through the graph as a picture: the compiled graph top down, the way taken in colour."""

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st

from selfrag.palette import Palette
from selfrag.reflection.pathway import LABELS, beside, edges, names, spine, way, way_in_words
from selfrag.reflection.strategy import USUAL, Shape
from selfrag.ui.colours import palette

_NODE = 'shape=box style=rounded fontname="sans-serif" fontsize=13 height=0.38 margin="0.12,0.05"'
_EDGE = 'style=dashed arrowsize=0.6 fontname="sans-serif" fontsize=13'


def dot(nodes: Sequence[str], finished: bool, colours: Palette, shape: Shape = USUAL) -> str:
    """The graph in Graphviz's language; edges gone more than once carry their count."""
    taken = way(nodes, finished, shape)
    gone = {name for edge in taken for name in edge}
    now = nodes[-1] if nodes and not finished else None
    lines = [
        "digraph {",
        f"bgcolor=transparent nodesep=0.25 ranksep=0.3 node [{_NODE} {_ink(colours.text)} "
        f'color="{colours.line}"] edge [{_EDGE} color="{colours.quiet}" {_ink(colours.path)}]',
    ]
    for name in names(shape):
        look = f'label="{LABELS[name]}"'
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
    nodes: Sequence[str], *, finished: bool, shape: Shape = USUAL, height: int | None = None
) -> None:
    """Draw the way that a run has gone so far; the bare graph where there are no nodes.

    Args:
        height: pixels; as high as it takes at the full width where None.
    """
    st.graphviz_chart(
        dot(nodes, finished, palette(), shape),
        width="stretch" if height is None else "content",
        height=height or "content",
        alt=f"The path through the graph: {way_in_words(nodes)}",
    )


def _ink(colour: str) -> str:
    return f'fontcolor="{colour}"'
