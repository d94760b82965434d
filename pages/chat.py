"""Chat: ask, watch each step, check every claim on its page."""

from functools import partial

import streamlit as st

from selfrag import process
from selfrag.ui.ask import Asker, draw_ask, draw_refusal
from selfrag.ui.conversation import Conversation
from selfrag.ui.conversation_list import draw_conversations
from selfrag.ui.empty import draw_empty_library, draw_no_question
from selfrag.ui.feedback import load_feedback
from selfrag.ui.links import asked_run
from selfrag.ui.presenter import draw_presenter
from selfrag.ui.turn import draw_earlier, draw_turn, newest_place

rag = process.current()
if (presented := asked_run()) is not None:
    draw_presenter(rag, presented)
    st.stop()
conversation = Conversation.current(rag)
asker = Asker(rag, conversation)
if asker.take_up():
    conversation = Conversation.current(rag)
newest = rag.run(conversation.runs[-1]) if conversation.runs else None
busy = newest is not None and not newest.log.closed

draw_conversations(rag, conversation)
if not conversation.runs and not rag.ready():
    draw_empty_library(rag)
    st.stop()

draw_ask(asker, busy=busy)
load_feedback(rag, conversation.runs)

# The newest question is on top, so that each is answered in the same place; what is below it is
# drawn first, since a run under way is followed to its end.
top, earlier = st.container(), st.container()
with top:
    hint, refused = st.empty(), st.container()
    place = newest_place(conversation.runs[-1] if conversation.runs else None)
if not conversation.runs:
    with hint.container():
        if conversation.missing:
            st.info("This conversation is no longer there.", icon=":material/delete:")
        draw_no_question(rag, asker)
with refused:
    draw_refusal()
with earlier:
    draw_earlier(rag, asker, conversation.runs[:-1])
with place:
    for run_id in conversation.runs[-1:]:
        again = partial(asker.ask, in_place_of=run_id)
        draw_turn(rag, run_id, newest=True, live=busy, again=again)
