"""The conversation of this tab: which one it is, and the runs it consists of.

Runs and conversations are in the records and belong to the application. A tab only knows which
one it looks at: the address names it, so that a reload, a bookmark or a restart of the
application comes back to it, and two tabs never disturb each other.
"""

import uuid
from dataclasses import dataclass

import streamlit as st

from selfrag.records.conversations import ConversationRecord, Place, TurnRecord
from selfrag.reflection.events import Event, RunFinished
from selfrag.reflection.run import Run
from selfrag.service import SelfRag
from selfrag.ui import choices
from selfrag.ui.links import CHAT, asked_chat
from selfrag.ui.person import owner

_SESSION = "conversation"
_RESTORED = "conversation-restored"  #: whose options the session holds
_MISSING = "conversation-missing"  #: whether the address named one that is not there


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation as this tab sees it.

    Attributes:
        record: None where nothing has been asked yet.
        turns: its questions, oldest first.
        missing: the address named a conversation that is not there; this is a new one.
    """

    id: str
    record: ConversationRecord | None = None
    turns: tuple[TurnRecord, ...] = ()
    missing: bool = False

    @classmethod
    def current(cls, rag: SelfRag) -> "Conversation":
        """The conversation of the address, of the session, or a new one."""
        asked = asked_chat()
        wanted = asked or st.session_state.get(_SESSION)
        record = rag.conversations.get(wanted, owner()) if wanted else None
        if record is not None:
            _remember(record)
            return cls(record.id, record, tuple(rag.conversations.turns(record.id)))
        if asked:
            start_anew()
            st.session_state[_MISSING] = True
        known = st.session_state.setdefault(_SESSION, uuid.uuid4().hex)
        return cls(known, missing=st.session_state.get(_MISSING, False))

    @property
    def runs(self) -> list[str]:
        """The ids of its runs, oldest first."""
        return [turn.run_id for turn in self.turns]

    def place(self, in_place_of: str | None = None) -> Place:
        """Where the next question is asked."""
        return Place(self.id, owner(), choices.chosen(), in_place_of)


def current_id() -> str | None:
    """The id of this tab's conversation, where one has begun."""
    known: str | None = st.session_state.get(_SESSION)
    return known if known and st.session_state.get(_RESTORED) == known else None


def open_conversation(conversation_id: str) -> None:
    """Look at another conversation from now on; a callback."""
    start_anew()
    st.session_state[_SESSION] = conversation_id
    st.query_params[CHAT] = conversation_id


def start_anew() -> None:
    """Leave the conversation of this tab; a callback."""
    for key in (_SESSION, _RESTORED, _MISSING):
        st.session_state.pop(key, None)
    st.query_params.pop(CHAT, None)


def events_of(rag: SelfRag, run_id: str) -> tuple[Run | None, list[Event]]:
    """The run while the process holds it, and its events; none where it is lost."""
    run = rag.run(run_id)
    if run is not None:
        return run, run.log.snapshot()
    events = _recorded(rag, run_id)
    if not events or not isinstance(events[-1], RunFinished):
        _recorded.clear(rag, run_id)  # only what will not change is kept
    return None, events


@st.cache_resource(max_entries=1_000, show_spinner=False)
def _recorded(_rag: SelfRag, run_id: str) -> list[Event]:
    """Reading a log takes longer than drawing it, and every click draws all of them."""
    return _rag.events(run_id)


def _remember(record: ConversationRecord) -> None:
    """What the session and the address hold of an opened conversation."""
    state = st.session_state
    if state.get(_RESTORED) != record.id:
        choices.restore(record.options)
        state[_RESTORED] = record.id
    state[_SESSION] = record.id
    state.pop(_MISSING, None)
    if st.query_params.get(CHAT) != record.id:
        st.query_params[CHAT] = record.id
