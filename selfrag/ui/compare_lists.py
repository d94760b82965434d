"""The ranked lists side by side: a passage lights up in all of them, and can be labelled there.

A component of its own, because what is pointed at in one list must light up in every other.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from selfrag.records.labels import Relevance
from selfrag.retrieval.comparison import ComparedPassage, Comparison
from selfrag.ui.compare_words import milliseconds
from selfrag.ui.quoted import shortened
from selfrag.wording import count

_HERE = Path(__file__).parent
_component = st.components.v2.component(
    "selfrag.compare_lists",
    css=(_HERE / "compare_lists.css").read_text("utf-8"),
    js=(_HERE / "compare_lists.js").read_text("utf-8"),
)
_SNIPPET = 190  #: characters of a passage in a list; all of it stands below when it is chosen


def draw_lists(
    comparison: Comparison,
    labels: Mapping[str, Relevance],
    *,
    modes: Mapping[str, str],
    blind: Sequence[int] | None,
    chosen: str | None,
    key: str,
    on_chosen: Callable[[], None],
    on_label: Callable[[], None],
) -> None:
    """Draw the lists.

    Args:
        modes: name of a mode -> its colour.
        blind: numbers of the passages in an order that says nothing, to be shown as one list
            without who found them; None shows a list per mode.
        chosen: chunk id of the passage that is lit.
        on_chosen, on_label: called after a click; ``st.session_state[key]`` has ``chosen``, a
            chunk id, and ``label``, ``{"id", "value"}`` with the label or None.
    """
    columns = _blind(comparison, blind) if blind is not None else _columns(comparison, modes)
    _component(
        key=key,
        data={
            "columns": columns,
            "labels": {chunk: int(label) for chunk, label in labels.items()},
            "chosen": chosen,
        },
        on_chosen_change=on_chosen,
        on_label_change=on_label,
    )


def _columns(comparison: Comparison, modes: Mapping[str, str]) -> list[dict[str, Any]]:
    lists = len(comparison.answering)
    return [
        {
            "name": outcome.variant.label,
            "colour": modes[outcome.variant.mode.value],
            "note": (
                f"{count(len(outcome.hits), 'passage')}, {milliseconds(outcome.retrieval.seconds)}"
                if outcome.retrieval
                else "could not search"
            ),
            "said": outcome.error or ("" if outcome.hits else "Nothing was found."),
            "cards": [
                _card(hit.chunk_id, comparison.of_hit(hit), lists, str(hit.rank))
                for hit in outcome.hits
            ],
        }
        for outcome in comparison.outcomes
    ]


def _blind(comparison: Comparison, order: Sequence[int]) -> list[dict[str, Any]]:
    by_number = {passage.number: passage for passage in comparison.passages}
    # No number either: those are given from the first places on.
    cards = [{**_card(by_number[n].chunk_id, [by_number[n]], 0, ""), "numbers": []} for n in order]
    return [{"name": "", "colour": "", "note": "", "said": "", "cards": cards}]


def _card(
    chunk_id: str, passages: Sequence[ComparedPassage], lists: int, rank: str
) -> dict[str, Any]:
    hit = passages[0].hit
    finders = passages[0].finders
    return {
        "id": chunk_id,
        "ids": [passage.chunk_id for passage in passages],
        "numbers": [passage.number for passage in passages],
        "shared": lists > 1 and finders > 1,
        "finders": f"found by {finders} of {lists}" if lists and finders > 1 else "only here",
        "rank": rank,
        "document": hit.document,
        "page": f"page {hit.page}",
        "text": shortened(hit.text, _SNIPPET),
    }
