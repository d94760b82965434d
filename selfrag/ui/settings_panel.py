"""The settings of a conversation in a panel at the side, and what a question costs with them.

Every change is taken up at once and shows what it costs; nothing has to be saved.
"""

import streamlit as st

from selfrag.models.whereabouts import asks_models, host_of, who_answers, who_answers_short
from selfrag.reflection.casting import Casting
from selfrag.reflection.estimate import estimate
from selfrag.reflection.shortfall import shortfall
from selfrag.reflection.story import price
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from selfrag.ui import choices
from selfrag.ui.dialogs import dialog
from selfrag.ui.key_form import draw_key_form
from selfrag.ui.literal import literal
from selfrag.wording import count

MODES = {
    Mode.FULL: "The whole funnel",
    Mode.HYBRID_RERANK: "Both, reranked",
    Mode.HYBRID_MMR: "Both, near repeats dropped",
    Mode.HYBRID: "Both: by words and meaning",
    Mode.DENSE: "By meaning (dense)",
    Mode.BM25: "By words (BM25)",
}
STRATEGIES = {
    Strategy.SELFRAG: "Self-RAG: every claim is checked",
    Strategy.CRITIQUE: "Critique: one look over the answer",
    Strategy.PLAIN: "Plain: search and write, unchecked",
}
RETRIEVAL = {
    choices.AS_USUAL: "As usual for these checks",
    RetrievalPolicy.ADAPTIVE: "If the judge says so",
    RetrievalPolicy.ALWAYS: "Always",
    RetrievalPolicy.NEVER: "Never",
}
TRACED = "Traced to LangSmith"
JUDGES = {
    "chat": "The language model",
    "decisions": "The decision model, with probabilities",
    "local": "The local judge: calibrated scores",
}


@dialog("Settings", position="right", icon=":material/tune:")
def draw_settings(rag: SelfRag, follow_up: bool, *, several: bool = False) -> None:
    """Draw the panel.

    Args:
        follow_up: whether the next question follows others, which takes a call of its own.
        several: whether it is asked in several ways, which are chosen elsewhere.
    """
    choices.fill(rag)
    cost = None
    if not several:
        st.markdown("**What a question costs**")
        cost = st.container()
    st.markdown("**Models**")
    _models(rag)
    st.markdown("**Answering**")
    _answering(several)
    st.markdown("**Searching**")
    _searching(several)
    if cost is not None:
        cost.caption("  \n".join(literal(line) for line in cost_lines(rag, follow_up)))
        lacking = shortfall(
            choices.casting(rag).settings, choices.options(rag), follow_up=follow_up
        )
        if lacking is not None:
            cost.warning(literal(lacking.warning), icon=":material/savings:")


def cost_lines(rag: SelfRag, follow_up: bool) -> list[str]:
    """What the next question costs with what is chosen, and where it goes, in sentences."""
    return [*_costs(rag, follow_up), *traced_lines(rag)]


def traced_lines(rag: SelfRag) -> list[str]:
    """Where what is asked is sent to be traced; nothing where it is not."""
    said = f"{TRACED}: questions, passages and answers are sent there."
    return [said] if rag.tracing.on else []


def _costs(rag: SelfRag, follow_up: bool) -> list[str]:
    casting = choices.casting(rag)
    settings = casting.settings
    if not asks_models(settings):
        here = "" if rag.tracing.on else ": everything happens on this computer"
        return [f"No model calls{here}.", "It costs nothing."]
    said = estimate(settings, choices.options(rag), casting.prices, follow_up=follow_up)
    if not said.calls:
        return ["No model calls with these settings.", "It costs nothing."]
    calls = f"Usually {count(said.calls, 'model call')}, never more than {said.most_calls:,}."
    if said.calls > said.most_calls:
        calls = f"Never more than {count(said.most_calls, 'model call')} (BUDGET_CALLS)."
    tokens = f"About {rounded(said.tokens):,} tokens"
    if said.usd == 0:
        here = ", on this computer" if host_of(settings) is None else ""
        return [calls, f"{tokens}{here}: no fee."]
    if said.usd is None:
        return [calls, f"{tokens}. What {_unpriced(casting)} costs is not known (MODEL_PRICES)."]
    return [calls, f"{tokens}, about {price(said.usd)} (estimated), more with every retry."]


def _models(rag: SelfRag) -> None:
    found = choices.sources(rag)
    if len(found) > 1:
        names = {source: _source_name(rag, source) for source in found}
        st.radio(
            "Whose models",
            found,
            key=choices.SOURCE,
            format_func=names.__getitem__,
            label_visibility="collapsed",
            persist_state="session",
            on_change=_another_source,
        )
    judges = choices.source_casting(rag).judges()
    if len(judges) > 1:
        st.selectbox(
            "Who judges",
            judges,
            key=choices.JUDGE,
            format_func=JUDGES.__getitem__,
            help="The local judge costs nothing and is less exact than a language model.",
            persist_state="session",
        )
    st.caption(literal(who_answers(choices.casting(rag).settings)))
    draw_key_form(rag)


def _source_name(rag: SelfRag, source: str) -> str:
    name = literal(who_answers_short(choices.source_casting(rag, source).settings), 60)
    return f"{name} :small[:gray[(your key)]]" if source == choices.OWN else name


def _another_source() -> None:
    """The judge that belongs to it, until another one is chosen."""
    st.session_state.pop(choices.JUDGE, None)


def _answering(several: bool) -> None:
    if not several:
        st.selectbox(
            "Checks",
            list(STRATEGIES),
            key=choices.STRATEGY,
            format_func=STRATEGIES.__getitem__,
            persist_state="session",
        )
    st.slider(
        "Retries at most",
        0,
        10,
        key=choices.RETRIES,
        disabled=not several and st.session_state[choices.STRATEGY] != Strategy.SELFRAG,
        help="How often the answer may be written again, and how often the search repeated, "
        "before the answer is given as it is. More retries take longer.",
        persist_state="session",
    )


def _searching(several: bool) -> None:
    if not several:
        st.selectbox(
            "Look in the documents",
            list(RETRIEVAL),
            key=choices.RETRIEVAL,
            format_func=RETRIEVAL.__getitem__,
            persist_state="session",
        )
    st.selectbox(
        "Search",
        list(MODES),
        key=choices.MODE,
        format_func=MODES.__getitem__,
        persist_state="session",
    )
    st.number_input(
        "Passages to read",
        1,
        100,
        key=choices.PASSAGES,
        help="How many passages a search brings. Each is graded and read, and costs.",
        persist_state="session",
    )


def _unpriced(casting: Casting) -> str:
    settings = casting.settings
    return settings.writer_model if settings.writes == "chat" else settings.grading_model


def rounded(tokens: int) -> int:
    """Two figures: an estimate has no more."""
    step = 10 ** max(0, len(str(tokens)) - 2)
    return round(tokens / step) * step
