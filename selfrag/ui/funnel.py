"""How a search narrowed down: what each stage did, and the rank it gave to what was kept."""

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from selfrag.palette import Palette
from selfrag.reflection.events import FoundPassage, PassageGrade, Retrieved
from selfrag.reflection.story import counted
from selfrag.ui.colours import palette
from selfrag.ui.literal import literal

#: stage -> what it is called, and what it does
STAGES = {
    "dense": ("dense", "search by meaning"),
    "bm25": ("BM25", "search by words"),
    "fusion": ("fusion", "both lists merged"),
    "mmr": ("MMR", "near repeats dropped"),
    "rerank": ("rerank", "read again in full and reordered"),
    "parents": ("parents", "the passages around them"),
}
_LAST = "read"
_HOLD = "\N{NO-BREAK SPACE}"  #: keeps a rank and its score on one line


def draw_funnel(event: Retrieved, grades: Mapping[str, PassageGrade]) -> None:
    """Draw the query, the stages, and how the passages moved through them."""
    st.markdown(f"Searched for **“{literal(event.query)}”**")
    ran = [stage for stage in event.stages if stage["status"] == "ran"]
    if ran:
        st.markdown("\n".join(_stage(stage) for stage in ran))
    if said := remarks(event.stages):
        st.caption("  \n".join(map(literal, said)))
    if event.hits and any(hit.scores for hit in event.hits):
        st.plotly_chart(
            rank_chart(event.hits, grades, palette()),
            config={"displayModeBar": False},
            key=f"ranks-{id(event)}",
            alt="The rank of each passage at each stage of the search",
        )
        st.markdown(_table(event.hits))
    elif not event.hits:
        st.markdown("No passage was found.")


def remarks(stages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the stages have to say: what is remarkable, why one did not run."""
    said = []
    for stage in stages:
        name = STAGES[stage["name"]][0]
        if stage["status"] == "ran" and stage.get("note"):
            said.append(f"{name}: {stage['note']}")
        elif stage["status"] == "skipped":
            said.append(f"{name} was skipped: {stage['reason'] or 'no reason was given'}")
        elif stage["status"] == "off" and stage["reason"]:
            said.append(f"{name} is left out: {stage['reason']}")
    return said


def rank_chart(
    hits: list[FoundPassage], grades: Mapping[str, PassageGrade], colours: Palette
) -> go.Figure:
    """A bump chart: stages along x, rank along y (1 on top, logarithmic), a line a passage.

    Lines are coloured by relevance, with a marker and a dash of their own for each grade.
    """
    looks = {
        True: (colours.good, "circle", "solid", "relevant"),
        False: (colours.bad, "x", "dot", "not relevant"),
        None: (colours.quiet, "square", "dash", "not graded"),
    }
    names = [name for name in STAGES if any(name in hit.scores for hit in hits)]
    figure = go.Figure()
    named: set[str] = set()
    for hit in hits:
        grade = grades.get(hit.chunk_id)
        colour, symbol, dash, words = looks[grade.relevant if grade else None]
        passed = [name for name in names if name in hit.scores]
        ranks = [hit.scores[name]["rank"] for name in passed] + [hit.rank]
        figure.add_scatter(
            x=[STAGES[name][0] for name in passed] + [_LAST],
            y=ranks,
            mode="lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 9, "color": colour},
            name=words,
            legendgroup=words,
            showlegend=words not in named,
            hovertemplate=f"{hit.document}, page {hit.page}<br>%{{x}}: rank %{{y}}<extra></extra>",
        )
        named.add(words)
    figure.update_xaxes(
        categoryorder="array",
        categoryarray=[*(STAGES[name][0] for name in names), _LAST],
        showgrid=False,
        fixedrange=True,
    )
    rank_axis(figure, colours)
    figure.update_layout(
        height=240,
        margin={"l": 48, "r": 12, "t": 8, "b": 8},
        legend={"orientation": "h", "y": -0.2},
    )
    return figure


def _stage(stage: Mapping[str, Any]) -> str:
    name, does = STAGES[stage["name"]]
    milliseconds = f":small[:gray[{stage['seconds'] * 1000:.0f}{_HOLD}ms]]"
    return f"- **{name}**, {does}: {counted(stage['candidates_out'], 'passage')} {milliseconds}"


def _table(hits: list[FoundPassage]) -> str:
    names = [name for name in STAGES if any(name in hit.scores for hit in hits)]
    head = "| passage | " + " | ".join(STAGES[name][0] for name in names) + " |"
    lines = [head, "| --- |" + " ---: |" * len(names)]
    for hit in hits:
        cells = [f"{hit.rank}. {literal(hit.document, 30)}, page{_HOLD}{hit.page}"]
        for name in names:
            at = hit.scores.get(name)
            cells.append(f"{at['rank']:.0f}.{_HOLD}:small[:gray[{at['score']:.3g}]]" if at else "–")
        lines.append("| " + " | ".join(cells) + " |")
    note = f"Rank of each of the {counted(len(hits), 'passage')} at each stage, with that stage's "
    return "\n".join(lines) + f"\n\n:small[:gray[{note}own score.]]"


def rank_axis(figure: go.Figure, colours: Palette) -> None:
    """Ranks upright, the first on top, the best ones with the most room between them."""
    figure.update_yaxes(
        type="log",
        autorange="reversed",
        tickvals=[1, 2, 3, 5, 10, 20, 50, 100],
        title="rank",
        gridcolor=colours.line,
        fixedrange=True,
    )
