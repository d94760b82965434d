"""The figures of a study of answers as tables whose cells are numbers: aligned, and sorted by a
click on a head."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from selfrag.evaluation.answers import findings
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.study import AnswerFigures, AnswerStudy
from selfrag.evaluation.study_text import better_than
from selfrag.ui.literal import literal
from selfrag.wording import count, listed

UNDEFINED = "undefined"  #: head of the column that counts, and what stands where there is no value
BETTER = "significantly better than"
_STRATEGY = "strategy"
_SPENT = ("seconds", "calls", "retries", "tokens", "cost_usd")
_SPREAD = {"median s": "median", "p95 s": "p95"}
_ENDS = ("answers", "answered", "unsupported", "abstained", "stopped", "failed")
_CELLS = {
    "evidence, answered": "right",
    "evidence, abstained": "cautious",
    "none, answered": "confident",
    "none, abstained": "declined",
    "not known": "unknown",
}
_SHARES = {
    "precision": "precision",
    "recall": "recall",
    "over cautious": "over_cautious",
    "over confident": "over_confident",
}


def draw_quality(study: AnswerStudy) -> None:
    """The means of how good answers are; what has no value is counted beside them."""
    _draw(quality_frame(study), _decimals(findings.quality(study)), key="answers-quality-table")
    if said := undefined_words(study):
        st.caption(literal(said))


def draw_spending(study: AnswerStudy) -> None:
    """What an answer takes, and how the runs ended."""
    _draw(spending_frame(study), _decimals(_SPENT), key="answers-spending-table")
    st.caption("Means of one answer; median and 95th percentile of its seconds.")
    rows = {name: [getattr(each, kind) for kind in _ENDS] for name, each in study.figures.items()}
    _draw(_frame(rows, _ENDS), {}, key="answers-ends-table")
    st.caption("How the runs ended.")


def draw_cells(study: AnswerStudy) -> None:
    """Abstaining crossed with whether evidence was retrieved."""
    rows = {
        name: [getattr(each, attribute) for attribute in (*_CELLS.values(), *_SHARES.values())]
        for name, each in study.abstention.items()
    }
    frame = _frame(rows, [*_CELLS, *_SHARES])
    _draw(frame, dict.fromkeys(_SHARES, 3), key="answers-cells-table")


def quality_frame(study: AnswerStudy) -> pd.DataFrame:
    """A row for each strategy; its mean of each measure, NaN where there is none, how many values
    are undefined, and what it is significantly better than where a test tells."""
    measures = findings.quality(study)
    rows = {
        name: [
            *(each.means[measure].mean for measure in measures),
            sum(each.undefined[measure] for measure in measures),
        ]
        for name, each in study.figures.items()
    }
    frame = _frame(rows, [*(MEASURES[measure].label for measure in measures), UNDEFINED])
    better = _better(study, measures)
    return frame.assign(**{BETTER: list(better.values())}) if any(better.values()) else frame


def spending_frame(study: AnswerStudy) -> pd.DataFrame:
    """A row for each strategy: the means of what an answer takes, and the spread of seconds."""
    rows = {
        name: [
            *(each.means[measure].mean for measure in _SPENT),
            *(getattr(each, attribute) for attribute in _SPREAD.values()),
        ]
        for name, each in study.figures.items()
    }
    return _frame(rows, [*(MEASURES[measure].label for measure in _SPENT), *_SPREAD])


def undefined_words(study: AnswerStudy) -> str:
    """Which values are undefined, by strategy and measure; empty where none is."""
    told = [
        f"{name}: {listed(parts)}"
        for name, each in study.figures.items()
        if (parts := _missing(each, findings.quality(study)))
    ]
    return f"Undefined, and in no mean: {'; '.join(told)}. Why is told below." if told else ""


def _missing(each: AnswerFigures, measures: Sequence[str]) -> list[str]:
    return [
        f"{MEASURES[measure].label} of {count(each.undefined[measure], 'answer')}"
        for measure in measures
        if each.undefined[measure]
    ]


def _better(study: AnswerStudy, measures: Sequence[str]) -> dict[str, str]:
    """Strategy -> those it is significantly better than, each with the measures."""
    letters = {name: chr(ord("a") + place) for place, name in enumerate(study.figures)}
    names = {letter: name for name, letter in letters.items()}
    over: dict[str, dict[str, list[str]]] = {name: {} for name in study.figures}
    for measure in measures:
        for name, found in better_than(study.pairs[measure], letters).items():
            for letter in found:
                over[name].setdefault(names[letter], []).append(MEASURES[measure].label)
    return {
        name: "; ".join(f"{other} ({', '.join(on)})" for other, on in found.items())
        for name, found in over.items()
    }


def _frame(rows: dict[str, list[float | None]], heads: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(heads))
    return frame.rename_axis(_STRATEGY).reset_index()


def _decimals(measures: Sequence[str]) -> dict[str, int]:
    return {
        **{MEASURES[measure].label: MEASURES[measure].decimals for measure in measures},
        **dict.fromkeys(_SPREAD, MEASURES["seconds"].decimals),
    }


def _draw(frame: pd.DataFrame, decimals: dict[str, int], *, key: str) -> None:
    """Draw it; columns without decimals count something."""
    columns = st.column_config

    def column(head: str) -> Any:
        if head in (_STRATEGY, BETTER):
            return columns.TextColumn(pinned=head == _STRATEGY)
        return columns.NumberColumn(
            format=f"%.{decimals[head]}f" if head in decimals else "localized"
        )

    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        width="content",
        placeholder=UNDEFINED,
        column_config={head: column(head) for head in map(str, frame.columns)},
    )
