"""Compare answers: one question in several ways as they come about, or any two earlier answers.

The address names what is shown (``?trial=<id>``, ``?a=<run id>&b=<run id>``), or a question that
is to be asked (``?q=``).
"""

import streamlit as st

from selfrag import process
from selfrag.ui import trial_choice
from selfrag.ui.links import asked_trial
from selfrag.ui.literal import literal
from selfrag.ui.person import owner
from selfrag.ui.places import fresh_place
from selfrag.ui.side_by_side import choose_kind, choose_pair, draw_pair, nothing_chosen
from selfrag.ui.trial_list import draw_nothing_asked, draw_nothing_to_ask, draw_trials
from selfrag.ui.trial_view import draw_trial

rag = process.current()
st.title("Compare answers", anchor=False)
pair = choose_kind()
if pair:
    a, b = choose_pair(rag)
    if a is not None and b is not None:
        draw_pair(rag, a, b)
    else:
        nothing_chosen(rag)
    st.stop()

refused = trial_choice.TrialAsker(rag).take_up()
asked = asked_trial()
trial = rag.trials.get(asked, owner()) if asked else None
trial_choice.take_up_address(trial)
if rag.ready():
    trial_choice.draw_choice(rag, busy=trial is not None and any(rag.trials.under_way(trial)))
elif trial is None:
    draw_nothing_to_ask()
if refused:
    st.error(literal(refused), icon=":material/error:")
elif asked and trial is None:
    st.info("These answers are no longer there.", icon=":material/delete:")

# What is below is drawn first, since runs under way are followed to their end.
place, earlier = fresh_place("trial", trial.id if trial else None), st.container()
with earlier:
    draw_trials(rag, trial)
with place:
    if trial is not None:
        draw_trial(rag, trial)
    elif rag.ready():
        draw_nothing_asked(rag)
