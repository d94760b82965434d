"""The path through the graph as a picture: the compiled graph top down, the way taken in colour.

Nodes and edges come from the compiled graph, the way taken from the run's events, so that the
picture can show neither a step that is not there nor a way that was not gone.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import streamlit as st
from langgraph.graph import END, START

from selfrag.palette import Palette
from selfrag.reflection.graph import build_graph
from selfrag.reflection.story import DOING
from selfrag.ui.colours import palette

LABELS = {
    START: "Question",
    "retrieval_decision": "Are documents needed?",
    "retrieve": "Search",
    "relevance_grader": "Keep what is relevant",
    "generator": "Write",
    "support_grader": "Is every claim backed?",
    "usefulness_grader": "Does it answer?",
    "increment_retry": "Write again",
    "increment_retry_for_retrieval": "Search again",
    "query_rewriter": "Other words",
    END: "Answer",
}
#: the straight way, drawn as one column; what stands beside it, each at the height of its partner
_SPINE = (
    START,
    "retrieval_decision",
    "retrieve",
    "relevance_grader",
    "generator",
    "support_grader",
    "usefulness_grader",
    END,
)
_BESIDE = (
    ("relevance_grader", "query_rewriter"),
    ("usefulness_grader", "increment_retry_for_retrieval"),
    ("support_grader", "increment_retry"),
)
_NODE = 'shape=box style=rounded fontname="sans-serif" fontsize=13 height=0.38 margin="0.12,0.05"'
_EDGE = 'style=dashed arrowsize=0.6 fontname="sans-serif" fontsize=13'


@lru_cache(maxsize=1)
def edges() -> tuple[tuple[str, str], ...]:
    """The edges of the compiled graph, those of the straight way first."""
    rank = {name: position for position, name in enumerate(LABELS)}
    found = {(edge.source, edge.target) for edge in build_graph(1).get_graph().edges}
    return tuple(sorted(found, key=lambda edge: (rank[edge[0]], rank[edge[1]])))


def way(nodes: Sequence[str], finished: bool) -> Counter[tuple[str, str]]:
    """How often each edge was gone."""
    route = [START, *nodes, *([END] if finished else [])] if nodes else []
    known = set(edges())
    return Counter(step for step in pairwise(route) if step in known)


def dot(nodes: Sequence[str], finished: bool, colours: Palette) -> str:
    """The graph in Graphviz's language; edges gone more than once carry their count."""
    taken = way(nodes, finished)
    gone = {name for edge in taken for name in edge}
    now = nodes[-1] if nodes and not finished else None
    lines = [
        "digraph {",
        f"bgcolor=transparent nodesep=0.25 ranksep=0.3 node [{_NODE} {_ink(colours.text)} "
        f'color="{colours.line}"] edge [{_EDGE} color="{colours.quiet}" {_ink(colours.path)}]',
    ]
    for name, label in LABELS.items():
        look = f'label="{label}"'
        if name in gone:
            look += f' color="{colours.path}" penwidth=2'
        if name == now:
            look += (
                f' style="rounded,filled" fillcolor="{colours.path}" fontcolor="{colours.paper}"'
            )
        lines.append(f'"{name}" [{look}]')
    for source, target in edges():
        straight = (source, target) in pairwise(_SPINE)
        look = "weight=9" if straight else "constraint=false"
        if count := taken[source, target]:
            look += f' color="{colours.path}" style=solid penwidth=2.2'
            if count > 1:
                look += f' xlabel="{count}×"'
        lines.append(f'"{source}" -> "{target}" [{look}]')
    for left, right in _BESIDE:
        lines.append(f'{{rank=same; "{left}"; "{right}"}}')
    return "\n".join([*lines, "}"])


def draw_path(nodes: Sequence[str], *, finished: bool) -> None:
    """Draw the way that a run has gone so far; the bare graph where there are no nodes."""
    names = [LABELS.get(name, DOING.get(name, name)) for name in nodes]
    way_in_words = ", then ".join(names) if names else "no question asked yet"
    st.graphviz_chart(
        dot(nodes, finished, palette()),
        width="stretch",
        alt=f"The path through the graph: {way_in_words}",
    )


def _ink(colour: str) -> str:
    return f'fontcolor="{colour}"'
