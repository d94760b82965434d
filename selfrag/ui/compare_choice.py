"""What is compared: the question, the modes, and the same mode with other parameters.

All of it stands in the address, so that a comparison can be linked to.
"""

import streamlit as st

from selfrag.errors import UserError
from selfrag.retrieval.comparison import MOST
from selfrag.retrieval.funnel import USES_FUSION
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui.colours import main_button
from selfrag.ui.literal import literal
from selfrag.ui.settings_panel import MODES

QUESTION, VARIANTS = "q", "modes"  #: in the address
_USUAL = ("bm25", "dense", "hybrid")
_MOST_SHOWN = 20
_WRITTEN = "compare-address"
_OWN, _KEY, _PICKED, _SHOWN = "compare-own", "compare-question", "compare-modes", "compare-k"


def draw_choice(rag: SelfRag) -> tuple[str, list[Variant], int]:
    """Draw the choices; returns question (blank where none), modes, passages of each list."""
    _take_up_address()
    question = st.text_input(
        "Question",
        key=_KEY,
        placeholder="Ask the question that the modes are to be compared on",
        icon=":material/search:",
        label_visibility="collapsed",
        persist_state="session",
    )
    options = _options()
    st.markdown(
        "Modes",
        help="  \n".join(f"**{literal(mode.value)}**: {does}" for mode, does in MODES.items()),
        width="content",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        picked = st.pills(
            "Modes",
            options,
            selection_mode="multi",
            key=_PICKED,
            format_func=lambda item: literal(Variant.parse(item).label),
            label_visibility="collapsed",
            persist_state="session",
            wrap=True,
        )
        with st.popover("Another setting", icon=":material/add:", disabled=len(picked) >= MOST):
            _another(rag)
        with st.container(
            horizontal=True, vertical_alignment="center", gap="xsmall", width="content"
        ):
            st.markdown("Passages each", width="content")
            shown = st.number_input(
                "Passages each",
                1,
                _MOST_SHOWN,
                5,
                key=_SHOWN,
                width=110,
                label_visibility="collapsed",
                persist_state="session",
            )
    variants = [Variant.parse(item) for item in options if item in (picked or [])]
    _remember(question, variants)
    if len(variants) < 2:
        st.info("Choose at least two modes to compare.", icon=":material/view_column:")
    elif len(variants) > MOST:
        st.info(
            f"Six lists are the most that can be read side by side: these are the first {MOST}.",
            icon=":material/view_column:",
        )
    return question.strip(), variants[:MOST], int(shown)


def ask(question: str) -> None:
    """Compare on this question from now on (a callback)."""
    st.session_state[_KEY] = question


def _take_up_address() -> None:
    """Take question and modes from an address that this page did not write itself."""
    state = st.session_state
    named = (st.query_params.get(QUESTION), st.query_params.get(VARIANTS))
    foreign = any(named) and named != state.get(_WRITTEN)
    if _KEY not in state or (foreign and named[0]):
        state[_KEY] = (named[0] or "")[:2000]
    if _PICKED not in state or (foreign and named[1]):
        state[_PICKED] = _asked()


def _options() -> list[str]:
    """Every mode, then those with other parameters that were named or added."""
    own = st.session_state.setdefault(_OWN, [])
    for item in _asked():
        if item not in own and item not in set(Mode):
            own.append(item)
    return [*(mode.value for mode in Mode), *own]


def _asked() -> list[str]:
    """What the address names, as far as it makes sense."""
    named = st.query_params.get(VARIANTS)
    if named is None:
        return list(_USUAL)
    found = []
    for part in named[:500].split(";"):
        try:
            found.append(str(Variant.parse(part)))
        except UserError:
            continue
    return list(dict.fromkeys(found))


def _remember(question: str, variants: list[Variant]) -> None:
    asked, named = question.strip() or None, ";".join(map(str, variants)) or None
    st.session_state[_WRITTEN] = (asked, named)
    st.query_params.from_dict(
        {key: value for key, value in ((QUESTION, asked), (VARIANTS, named)) if value}
    )


def _another(rag: SelfRag) -> None:
    """A mode with parameters of its own."""
    settings = rag.funnel.settings
    modes = list(Mode)
    mode = Mode(st.selectbox("Mode", modes, index=modes.index(Mode.HYBRID), key="own-mode"))
    fusion, weight = None, None
    if mode in USES_FUSION:
        fusion = st.segmented_control(
            "Fusion",
            ["convex", "rrf"],
            default=settings.fusion,
            required=True,
            key="own-fusion",
            format_func={"convex": "Convex: by scores", "rrf": "RRF: by ranks"}.__getitem__,
        )
        if fusion == "convex":
            weight = st.slider(
                "Dense weight",
                0.0,
                1.0,
                settings.dense_weight,
                0.05,
                key="own-weight",
                help="0 is BM25 alone, 1 is dense alone.",
            )
    k = st.number_input(
        "Passages in the list", 1, _MOST_SHOWN, None, key="own-k", placeholder="as the others"
    )
    variant = Variant(
        mode,
        fusion if fusion != settings.fusion and weight is None else None,
        weight if weight != settings.dense_weight or fusion != settings.fusion else None,
        k,
    )
    same = str(variant) in set(Mode)
    st.button(
        "Add it",
        type=main_button(),
        disabled=same,
        on_click=_add,
        args=(str(variant),),
        help="Nothing is different from the settings yet." if same else None,
    )


def _add(variant: str) -> None:
    own = st.session_state.setdefault(_OWN, [])
    if variant not in own:
        own.append(variant)
    picked = st.session_state.get(_PICKED) or []
    if variant not in picked:
        st.session_state[_PICKED] = [*picked, variant]
