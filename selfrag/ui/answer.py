"""The answer on the page: claims marked by their support, numbers that open the evidence.

Markdown can't carry a click, so this is a component of its own. It builds elements from the tree
of `selfrag.reflection.marks` with ``textContent`` only, takes font and colours from the theme, and
tells Python which number was clicked.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from selfrag.reflection.events import Citation, ClaimGrade
from selfrag.reflection.marks import answer_tree

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "selfrag_answer",
    css=(_FOLDER / "answer.css").read_text(encoding="utf-8"),
    js=(_FOLDER / "answer.js").read_text(encoding="utf-8"),
)


def draw_answer(
    answer: str,
    claims: Sequence[ClaimGrade],
    citations: Sequence[Citation],
    *,
    key: str,
    shown: int | None,
    evidence: str,
    quoted: bool,
    on_cited: Callable[[str], None],
) -> None:
    """Draw an answer.

    Args:
        shown: number of the citation whose evidence is open.
        evidence: key of the container that shows it; a click brings it into view.
        quoted: whether it consists of sentences from documents, which are shown as they stand.
        on_cited: called with the component's key when a number is clicked; the number is in
            ``st.session_state[key].cited``.
    """
    numbers = [citation.number for citation in citations]
    tree = answer_tree(answer, claims, numbers, quoted=quoted)
    _component(
        key=key,
        data={
            "tree": tree,
            "shown": shown,
            "evidence": f"st-key-{evidence}",
            "sources": {
                str(citation.number): f"{citation.document}, page {citation.label or citation.page}"
                for citation in citations
            },
        },
        on_cited_change=lambda: on_cited(key),
    )
