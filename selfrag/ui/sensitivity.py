"""How much a parameter of fusion matters: the measure over its values, and what that says."""

from collections.abc import Mapping

import plotly.graph_objects as go

from selfrag.evaluation.study import Study
from selfrag.palette import Palette

_EQUAL = 0.0005  #: what three decimals do not show
TITLES = {"dense_weight": "Dense weight of convex fusion", "rrf_k": "k of RRF"}


def sensitivity_chart(
    study: Study, name: str, modes: Mapping[str, str], colours: Palette
) -> go.Figure:
    """A measure of hybrid search over one parameter of fusion."""
    values = study.sensitivity[name]
    figure = go.Figure()
    figure.add_scatter(
        x=list(values),
        y=list(values.values()),
        mode="lines+markers",
        line={"color": modes["hybrid"], "width": 2},
        marker={"size": 8},
        hovertemplate="%{x}: %{y:.3f}<extra></extra>",
        showlegend=False,
    )
    figure.update_xaxes(
        title=TITLES[name], type="category", gridcolor=colours.line, fixedrange=True
    )
    figure.update_yaxes(title=study.measure, gridcolor=colours.line, fixedrange=True)
    if max(values.values()) - min(values.values()) < _EQUAL:
        # On its own Plotly draws a flat line on an axis that goes past what a measure can be.
        middle = max(values.values())
        figure.update_yaxes(range=[max(0.0, middle - 0.05), min(1.005, middle + 0.05)])
    figure.update_layout(height=280, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def sensitivity_words(study: Study, name: str) -> str:
    """What the chart of one parameter says."""
    values = study.sensitivity[name]
    best = max(values, key=values.__getitem__)
    spread = max(values.values()) - min(values.values())
    if spread < _EQUAL:
        return f"{TITLES[name]}: on these questions it makes no difference."
    return (
        f"{TITLES[name]}: best at {best}; between the best and the worst lie {spread:.3f} "
        f"{study.measure}. A value chosen on these questions looks better on them than on others."
    )
