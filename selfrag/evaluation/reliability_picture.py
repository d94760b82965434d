"""The reliability diagram: how sure the local judge said it was against how often it was right.

One panel for each kind of grade, one line for each held-out set; a point's size is its number of
cases. Points on the diagonal are honest, below it too sure of a yes, above it too shy.
"""

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from selfrag.evaluation.calibration_fit import calibration_error
from selfrag.evaluation.reliability import Held, reliability

TITLES = {
    "relevant": "The passage holds the answer",
    "answers": "The question is answered",
    "backed": "The claim is fully backed",
}
COLOURS = ("#3B5BDB", "#0B7285", "#862E9C", "#A15C2F", "#212529", "#868E96")
SMALLEST = 20  #: cases in a bin below which its share says nothing


def picture(held: Sequence[Held]) -> go.Figure:
    """The figure, one panel per kind in the order of `TITLES`; bins of few cases are left out."""
    kinds = [kind for kind in TITLES if any(item.kind == kind for item in held)]
    figure = make_subplots(
        cols=max(1, len(kinds)), subplot_titles=[TITLES[kind] for kind in kinds], shared_yaxes=True
    )
    for column, kind in enumerate(kinds, start=1):
        figure.add_scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": "#adb5bd", "dash": "dot"},
            showlegend=False,
            col=column,
            row=1,
        )
        for number, item in enumerate(one for one in held if one.kind == kind):
            bins = [b for b in reliability(item.probabilities, item.truth) if b.count >= SMALLEST]
            error = calibration_error(item.probabilities, item.truth)
            figure.add_scatter(
                x=[b.said for b in bins],
                y=[b.true for b in bins],
                name=f"{item.dataset} (off by {error:.2f})",
                mode="lines+markers",
                marker={"size": [6 + 14 * (b.count / len(item.truth)) ** 0.5 for b in bins]},
                line={"color": COLOURS[number % len(COLOURS)], "width": 1.5},
                legend=f"legend{column if column > 1 else ''}",
                col=column,
                row=1,
            )
        figure.update_layout(
            {
                f"legend{column if column > 1 else ''}": {
                    "x": (column - 1) / len(kinds) + 0.005,
                    "y": -0.2,
                    "yanchor": "top",
                }
            }
        )
        figure.update_xaxes(title="said: probability", range=[0, 1], row=1, col=column)
    figure.update_yaxes(title="true: share of cases", range=[0, 1], row=1, col=1)
    figure.update_layout(template="plotly_white", margin={"t": 40, "b": 170}, height=520)
    return figure
