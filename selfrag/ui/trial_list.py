"""Questions that were answered in several ways before: opened again, or deleted."""

from datetime import datetime
from functools import partial

import streamlit as st

from selfrag.reflection.trials import Trial
from selfrag.service import SelfRag
from selfrag.ui import trial_choice
from selfrag.ui.dialogs import confirm_deletion
from selfrag.ui.empty import draw_nothing_here
from selfrag.ui.guarded import guarded
from selfrag.ui.links import open_trial
from selfrag.ui.literal import literal
from selfrag.ui.person import owner, time_zone
from selfrag.wording import count

_SHOWN = "trials-shown"
_AT_ONCE = 8  #: trials that are listed before "more" is asked for


def draw_trials(rag: SelfRag, current: Trial | None) -> None:
    """Draw the list, without the one that is shown above; nothing where there is no other."""
    shown = st.session_state.get(_SHOWN, _AT_ONCE)
    found = rag.trials.latest(owner(), shown + 1)
    others = [it for it in found if current is None or it[0] != current.id]
    if current is None and not others:
        return
    st.divider()
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.markdown("**Asked before**" if others else "", width="content")
        if current is not None and st.button(
            "Delete these answers",
            key="delete-trial",
            icon=":material/delete:",
            type="tertiary",
        ):
            _confirm(rag, current)
    with st.container(gap=None):
        for trial_id, question, began in others[:shown]:
            moment = datetime.fromtimestamp(began, time_zone())
            # No link: Streamlit marks every link to the page that one is on as the present one.
            st.button(
                f":small[:gray[{moment.day} {moment:%b %H:%M}]] {literal(question, 90)}",
                key=f"trial-{trial_id}",
                help=literal(question),
                wrap=False,  # the second line of a button would stand in its middle
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=open_trial,
                args=(trial_id,),
            )
    more = rag.trials.count(owner()) - len(others) - (current is not None)
    if more > 0:
        st.button(
            f"Show more ({more:,})",
            key="trials-more",
            type="tertiary",
            icon=":material/expand_more:",
            on_click=_more,
            args=(shown,),
        )


def draw_nothing_to_ask() -> None:
    """What an empty library says."""
    draw_nothing_here(
        "Here one question is answered in several ways at once, and you see whether checking the "
        "answer makes a difference. It needs documents to answer from."
    )


def draw_nothing_asked(rag: SelfRag) -> None:
    """What there is to see, and questions to see it with."""
    st.markdown(
        "Ask a question: it is answered in every way that you chose, all at the same time, and "
        "you see side by side what each answers and checks, what that takes, and whether it made "
        "a difference."
    )
    found = (rag.suggestions.now() or [])[:3]
    if found:
        st.caption("For example")
    with st.container(gap=None):
        for number, question in enumerate(found):
            st.button(
                literal(question, 120),
                key=f"trial-example-{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=guarded(trial_choice.put),
                args=(question,),
            )


def _confirm(rag: SelfRag, trial: Trial) -> None:
    confirm_deletion(
        "Delete these answers?",
        [
            f"**{literal(trial.question)}**",
            f"{count(len(trial.runs), 'answer')}, how they came about and what was said of them "
            "are deleted for good.",
        ],
        partial(_delete, rag, trial.id),
        keep="Keep them",
    )


def _delete(rag: SelfRag, trial_id: str) -> None:
    rag.trials.delete(trial_id, owner())
    trial_choice.leave()


def _more(shown: int) -> None:
    st.session_state[_SHOWN] = shown + 2 * _AT_ONCE
