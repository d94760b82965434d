"""What the labels are so far: their number, carried out and in."""

from collections.abc import Sequence

import streamlit as st

from selfrag.errors import ModelError, UserError
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.study_view import draw_figures, draw_pairs, draw_verdict
from selfrag.wording import count

BLIND = "compare-blind"  #: key of the switch that hides which mode found what
_TOLD = "compare-import-told"


def draw_labels(rag: SelfRag, variants: Sequence[Variant]) -> None:
    """Draw the foot of the page."""
    st.divider()
    with st.container(horizontal=True, vertical_alignment="center"):
        _counted(rag)
        _in_and_out(rag)
    if len(variants) > 1:
        _say(rag, variants)
    told = st.session_state.pop(_TOLD, None)
    if told is not None:
        (st.success if told[0] else st.error)(literal(told[1]))


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
    with st.popover("Export or import", icon=":material/import_export:"):
        st.caption("The same labels as two formats that other tools read.")
        st.download_button(
            "BEIR folder (zip)",
            lambda: rag.labels.beir(owner()),
            "labels-beir.zip",
            "application/zip",
            icon=":material/folder_zip:",
            on_click="ignore",
        )
        st.download_button(
            "TREC qrels",
            lambda: rag.labels.trec(owner()),
            "labels.qrels",
            "text/plain",
            icon=":material/download:",
            on_click="ignore",
        )
        given = st.file_uploader(
            "Import labels", type=["zip", "qrels", "txt", "tsv"], key="compare-import"
        )
        st.button("Import", disabled=given is None, on_click=guarded(_take), args=(rag,))


def _take(rag: SelfRag) -> None:
    given = st.session_state.get("compare-import")
    if given is None:
        return
    try:
        found = rag.labels.take(given.getvalue(), owner())
    except UserError as error:
        st.session_state[_TOLD] = (False, str(error))
        return
    rest = (
        f" {count(found.unknown, 'label')} of passages that are not in your library were left out."
        if found.unknown
        else ""
    )
    st.session_state[_TOLD] = (True, f"{count(found.taken, 'label')} imported.{rest}")
