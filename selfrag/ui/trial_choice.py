"""What is asked in several ways: the question, the ways, and what that will cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from selfrag.errors import UserError
from selfrag.models.whereabouts import asks_models, host_of, who_answers_short
from selfrag.reflection.estimate import estimate
from selfrag.reflection.options import RunOptions
from selfrag.reflection.story import price
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.reflection.trials import FEWEST, MOST, Asked, Trial
from selfrag.reflection.way import Way, without_a_writer
from selfrag.service import SelfRag
from selfrag.ui import choices
from selfrag.ui.ask import choose_documents
from selfrag.ui.colours import main_button
from selfrag.ui.guarded import guarded
from selfrag.ui.links import QUESTION, TRIAL, asked_question
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.settings_panel import draw_settings, rounded, traced_lines
from selfrag.wording import count

_USUAL = [str(Way(strategy)) for strategy in Strategy]
_KEY, _PICKED, _OWN = "trial-question", "trial-ways", "trial-own"
_ASKED = "trial-asked"  #: whether it is to be started
_SHOWN = "trial-shown"  #: what of the address the session has taken up
DOES = {
    Strategy.PLAIN: "searches and writes; checks nothing",
    Strategy.CRITIQUE: "looks over its own answer once, and writes it again where that fails",
    Strategy.SELFRAG: "checks what was found and every claim, and searches or writes again",
}
_POLICIES = {
    RetrievalPolicy.ADAPTIVE: "If the judge says so",
    RetrievalPolicy.ALWAYS: "Always",
    RetrievalPolicy.NEVER: "Never",
}


@dataclass(frozen=True, slots=True)
class TrialAsker:
    """Starts trials with the choices of this tab."""

    rag: SelfRag

    def take_up(self) -> str | None:
        """Start what was asked for; why it could not be, where it could not."""
        state = st.session_state
        # Taken out first: whatever goes wrong must not go wrong again at every click.
        if not state.pop(_ASKED, False):
            return None
        choices.fill(self.rag)
        documents = choices.documents(self.rag)
        asked = Asked(
            state[choices.MODE],
            None if documents is None else tuple(documents),
            state[choices.RETRIES],
            state[choices.PASSAGES],
        )
        try:
            with st.spinner("Beginning"):
                trial_id = self.rag.trials.start(
                    state.get(_KEY, ""),
                    picked(),
                    casting=choices.casting(self.rag),
                    asked=asked,
                    owner=owner(),
                )
        except UserError as error:
            return str(error)
        state[_SHOWN] = trial_id
        st.query_params.from_dict({TRIAL: trial_id})
        return None


def take_up_address(trial: Trial | None) -> None:
    """Take question and ways from what was opened, once."""
    state = st.session_state
    brought = trial.id if trial else asked_question() or None
    if brought is not None and state.get(_SHOWN) != brought:
        state[_SHOWN] = brought
        state[_KEY] = trial.question if trial else brought
        if trial:
            ways = list(map(str, trial.ways))
            state[_OWN] = [*state.get(_OWN, []), *(w for w in ways if w not in _options())]
            state[_PICKED] = ways


def draw_choice(rag: SelfRag, *, busy: bool) -> None:
    """Draw question and ways.

    Args:
        busy: whether a trial is under way, during which no other is begun.
    """
    choices.fill(rag)
    state = st.session_state
    if _PICKED not in state:
        state[_PICKED] = list(_USUAL)
    with st.form("trial-form", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.text_input(
                "Question",
                key=_KEY,
                placeholder="Ask the question that is to be answered in several ways",
                icon=":material/search:",
                label_visibility="collapsed",
                max_chars=2_000,
                persist_state="session",
            )
            st.form_submit_button(
                "Ask",
                type=main_button(),
                icon=":material/play_arrow:",
                disabled=busy,
                on_click=guarded(_note),
                help="Wait for these answers, or stop them" if busy else None,
            )
    st.markdown(
        "Ways to answer",
        help="  \n".join(f"**{way.value}**: {does}" for way, does in DOES.items()),
        width="content",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.pills(
            "Ways to answer",
            _options(),
            selection_mode="multi",
            key=_PICKED,
            format_func=lambda way: literal(Way.parse(way).label),
            label_visibility="collapsed",
            persist_state="session",
        )
        with st.popover("Another way", icon=":material/add:"):
            _another()
        choose_documents(rag.ready())
        if st.button(
            literal(who_answers_short(choices.casting(rag).settings), 60),
            icon=":material/tune:",
            type="tertiary",
            key="trial-who",
            help="Who writes and judges, and how the documents are searched",
            disabled=busy,
        ):
            draw_settings(rag, False, several=True)
    ways = picked()
    if not FEWEST <= len(ways) <= MOST:
        st.info(f"Choose {FEWEST} to {MOST} ways to answer.", icon=":material/view_column:")
        return
    lines = (*_cost(rag, ways), *_honest(rag, ways), *traced_lines(rag))
    st.caption("  \n".join(map(literal, lines)))


def picked() -> list[Way]:
    """The ways that are chosen, in the order in which they stand."""
    chosen = st.session_state.get(_PICKED) or []
    return [Way.parse(way) for way in _options() if way in chosen]


def _note() -> None:
    st.session_state[_ASKED] = True


def put(question: str) -> None:
    """Put a question into the input and ask it (a callback)."""
    st.session_state[_KEY] = question
    st.session_state[_ASKED] = True


def leave() -> None:
    """Look at no trial any more; the question stays (a callback)."""
    st.session_state.pop(_SHOWN, None)
    for name in (TRIAL, QUESTION):
        st.query_params.pop(name, None)


def _options() -> list[str]:
    return [*_USUAL, *st.session_state.setdefault(_OWN, [])]


def _another() -> None:
    """A strategy that looks in the documents otherwise than usual."""
    strategies = list(Strategy)
    usual = strategies.index(Strategy.SELFRAG)
    strategy = Strategy(st.selectbox("Strategy", strategies, index=usual, key="trial-own-strategy"))
    policy = st.segmented_control(
        "Look in the documents",
        list(_POLICIES),
        default=RetrievalPolicy.ALWAYS,
        required=True,
        key="trial-own-retrieval",
        format_func=_POLICIES.__getitem__,
    )
    way = str(Way(strategy, RetrievalPolicy(policy)))
    there = way in _options()
    st.button(
        "Add it",
        type=main_button(),
        disabled=there,
        on_click=_add,
        args=(way,),
        help="It stands among the ways already." if there else None,
    )


def _add(way: str) -> None:
    own = st.session_state.setdefault(_OWN, [])
    if way not in _options():
        own.append(way)
    chosen = st.session_state.get(_PICKED) or []
    if len(chosen) < MOST:
        st.session_state[_PICKED] = [*chosen, way]


def _cost(rag: SelfRag, ways: Sequence[Way]) -> list[str]:
    """What all of them cost together."""
    casting = choices.casting(rag)
    settings, state = casting.settings, st.session_state
    if not asks_models(settings):
        return []
    each = [
        estimate(
            settings,
            RunOptions.of(
                rag.settings,
                way.strategy.value,
                way.looks.value,
                state.get(choices.RETRIES),
                state.get(choices.PASSAGES),
            ),
            casting.prices,
        )
        for way in ways
    ]
    calls = count(sum(it.calls for it in each), "model call")
    tokens = f"about {rounded(sum(it.tokens for it in each)):,} tokens"
    known = [it.usd for it in each if it.usd is not None]
    if len(known) < len(each):
        fee = ""
    elif not sum(known):
        fee = f"{', on this computer' if host_of(settings) is None else ''}: no fee"
    else:
        fee = f", about {price(sum(known))}"
    return [f"Together usually {calls}, {tokens}{fee}; more with every retry."]


def _honest(rag: SelfRag, ways: Sequence[Way]) -> list[str]:
    """What can't differ where no language model writes."""
    settings = choices.casting(rag).settings
    if settings.writes == "chat":
        return []
    return without_a_writer(list(ways), local_judge=settings.judges == "local")
