"""What the labels are so far: their number, carried out and in."""

from collections.abc import Sequence

import streamlit as st

from selfrag.errors import ModelError
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.study_view import draw_figures, draw_pairs, draw_verdict
from selfrag.ui.taking import draw_taking, draw_told
from selfrag.wording import count

BLIND = "compare-blind"  #: key of the switch that hides which mode found what
_TOLD = "compare-import-told"


def draw_labels(rag: SelfRag, variants: Sequence[Variant]) -> None:
    """Draw the foot of the page."""
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center"):
        _counted(rag)
        _in_and_out(rag)
    draw_told(_TOLD)
    if len(variants) > 1:
        _say(rag, variants)


def _counted(rag: SelfRag) -> None:
    labels, questions = rag.labels.counts(owner())
    if not labels:
        st.markdown("**Your labels**: none yet. Mark passages in the lists as relevant or not.")
    else:
        st.markdown(f"**Your labels**: {count(labels, 'label')} on {count(questions, 'question')}.")


def _say(rag: SelfRag, variants: Sequence[Variant]) -> None:
    """What the labels say about these modes."""
    if not rag.labels.counts(owner())[0]:
        return
    if st.session_state.get(BLIND):
        st.caption("What they say is hidden while you label blind.")
        return
    try:
        study = rag.measuring.study(variants, owner())
    except ModelError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    draw_verdict(study)
    if len(study.questions) > 1:
        draw_figures(study)
        draw_pairs(study)


def _in_and_out(rag: SelfRag) -> None:
    # Files are made in a thread that knows of no session: who looks must be asked before.
    person = owner()
    with st.popover("Export or import", icon=":material/import_export:"):
        st.caption(
            "The same labels as two formats that other tools read. The corpus of the BEIR folder "
            "is the labelled passages only: among so few, every mode scores higher than here, so "
            "compare figures on the library itself."
        )
        st.download_button(
            "BEIR folder (zip)",
            lambda: rag.labels.beir(person),
            "labels-beir.zip",
            "application/zip",
            icon=":material/folder_zip:",
            on_click="ignore",
        )
        st.download_button(
            "TREC qrels",
            lambda: rag.labels.trec(person),
            "labels.qrels",
            "text/plain",
            icon=":material/download:",
            on_click="ignore",
        )
        st.markdown("Import labels")
        draw_taking(
            "Import labels",
            ["zip", "qrels", "txt", "tsv"],
            _TOLD,
            lambda name, content: _take(rag, content),
        )


def _take(rag: SelfRag, content: bytes) -> str:
    found = rag.labels.take(content, owner())
    rest = (
        f" {count(found.unknown, 'label')} of passages that are not in your library were left out."
        if found.unknown
        else ""
    )
    return f"{count(found.taken, 'label')} imported.{rest}"
