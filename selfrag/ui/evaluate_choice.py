"""What is to be measured: your labels or a set, which modes, by which measure."""

import streamlit as st

from selfrag.errors import UserError
from selfrag.evaluation.beir import BeirSet
from selfrag.evaluation.label_study import NAME as LABELS
from selfrag.evaluation.studies import Asked
from selfrag.evaluation.study import MEASURES
from selfrag.evaluation.verdict import name_of_mean
from selfrag.retrieval.comparison import MOST
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui.colours import main_button
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.settings_panel import MODES
from selfrag.ui.study_view import EXPLAINED
from selfrag.ui.taking import draw_taking, draw_told, tell
from selfrag.wording import count

_SET, _MODES, _MEASURE, _TOLD = (
    "evaluate-set",
    "evaluate-modes",
    "evaluate-measure",
    "evaluate-told",
)
#: Mode with another fusion, of which one wants to know as often.
_OFFERED = [*(mode.value for mode in Mode), "hybrid:fusion=rrf"]


def restore(asked: Asked) -> None:
    """Choose what a study was asked for, before anything is drawn."""
    st.session_state[_SET] = asked.name
    st.session_state[_MODES] = [it for it in map(str, asked.variants) if it in _OFFERED]
    st.session_state[_MEASURE] = asked.measure


def draw_choice(rag: SelfRag) -> None:
    """Draw the choices and the button that begins."""
    labels, questions = rag.labels.counts(owner())
    st.markdown(
        "Every mode searches every labelled question. You see which finds more, and whether that "
        "could be chance."
    )
    draw_told(_TOLD)
    names = {LABELS: f"Your labels ({count(questions, 'question')})"}
    names |= {name: name for name in rag.studies.sets.all()}
    if st.session_state.get(_SET) not in names:
        st.session_state.pop(_SET, None)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Questions",
            list(names),
            key=_SET,
            format_func=names.__getitem__,
            width=320,
            persist_state="session",
        )
        _upload(rag)
        if chosen != LABELS:
            st.button(
                "Remove the set",
                icon=":material/delete:",
                type="tertiary",
                on_click=guarded(_remove),
                args=(rag, chosen),
            )
    picked = st.pills(
        "Modes",
        _OFFERED,
        selection_mode="multi",
        default=None if _MODES in st.session_state else ["bm25", "dense", "hybrid"],
        key=_MODES,
        format_func=lambda item: literal(Variant.parse(item).label),
        help="  \n".join(f"**{literal(mode.value)}**: {does}" for mode, does in MODES.items()),
        persist_state="session",
    )
    measure = st.selectbox(
        "Measure that is tested",
        list(MEASURES),
        key=_MEASURE,
        format_func=lambda name: f"{name_of_mean(name)}: {EXPLAINED[name]}",
        width=480,
        persist_state="session",
    )
    variants = [Variant.parse(item) for item in picked or []]
    view = rag.studies.background(owner()).view()
    busy = view is not None and not view.finished
    few = not variants or len(variants) > MOST
    nothing = chosen == LABELS and not labels
    if nothing:
        st.info(
            "You have no labels yet. Compare two modes on a question and mark passages as "
            "relevant or not, or upload a set in BEIR layout.",
            icon=":material/label:",
        )
    st.button(
        "Measure",
        type=main_button(),
        icon=":material/play_arrow:",
        disabled=busy or few or nothing,
        on_click=guarded(_start),
        args=(rag, chosen, variants, measure),
    )


def _upload(rag: SelfRag) -> None:
    with st.popover("Upload a set", icon=":material/upload_file:"):
        st.caption(
            "A zip in BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv. It is kept apart "
            "from your documents."
        )
        draw_taking("Set", ["zip"], _TOLD, lambda name, content: _take(rag, name, content))


def _take(rag: SelfRag, name: str, content: bytes) -> str:
    data = rag.studies.sets.add(content, name)
    st.session_state[_SET] = data.name
    return _taken(data)


def _taken(data: BeirSet) -> str:
    """What is there now, and what of it cannot be measured."""
    said = (
        f"{data.name} is there: {count(len(data.queries), 'question')}, "
        f"{count(len(data.documents), 'document')}. Choose modes and measure."
    )
    if data.left_out:
        first = data.left_out[0]
        number = count(len(data.left_out), "question")
        some = "it" if len(data.left_out) == 1 else f"{first.id!r}, for one,"
        said += f" {number} left out ({first.id!r}): {some} has {first.why}."
    return said


def _remove(rag: SelfRag, name: str) -> None:
    try:
        rag.studies.sets.remove(name)
    except UserError as error:
        tell(_TOLD, str(error), good=False)
    st.session_state[_SET] = LABELS


def _start(rag: SelfRag, chosen: str, variants: list[Variant], measure: str) -> None:
    try:
        if chosen == LABELS:
            rag.studies.start_labels(variants, measure, owner())
        else:
            rag.studies.start(chosen, variants, measure, owner())
    except UserError as error:
        tell(_TOLD, str(error), good=False)
