"""The questions of one conversation: which runs it consists of, and finding them again.

Runs belong to the process. A conversation is only the list of their ids, kept for the process and
named in the address, so that a reload in the middle of a run or a visit to another page comes
back to it.
"""

import uuid
from dataclasses import dataclass, field

import streamlit as st

from selfrag.reflection.events import Event, parse_event
from selfrag.reflection.run import Run
from selfrag.service import SelfRag
from selfrag.ui.links import CHAT

_SESSION = "conversation"
_KEPT = 2_000  #: conversations that a reload can find


@dataclass(slots=True)
class Conversation:
    """Runs in the order in which they were asked."""

    id: str
    runs: list[str] = field(default_factory=list)

    @classmethod
    def current(cls) -> "Conversation":
        """The conversation of this tab: that of the session, of the address, or a new one."""
        known = _conversations()
        wanted = st.session_state.get(_SESSION) or st.query_params.get(CHAT)
        conversation = known.get(wanted) if isinstance(wanted, str) else None
        if conversation is None:
            conversation = cls(uuid.uuid4().hex)
        st.session_state[_SESSION] = conversation.id
        if conversation.runs:
            conversation._remember()
        return conversation

    def add(self, run_id: str) -> None:
        """Take a run in as the newest."""
        self.runs.append(run_id)
        self._remember()

    def replace(self, old: str, new: str) -> None:
        """Ask again in place of a run that was not answered."""
        self.runs[:] = [run for run in self.runs if run != old]
        self.add(new)

    def history(self, rag: SelfRag) -> list[tuple[str, str]]:
        """Questions that were answered, with their answers, for a follow-up to point back to."""
        ended = [run for run_id in self.runs if (run := rag.run(run_id)) and run.log.closed]
        return [
            (run.question, end.answer)
            for run in ended
            if (end := run.result()).status == "answered"
        ]

    def _remember(self) -> None:
        known = _conversations()
        known[self.id] = self
        while len(known) > _KEPT:
            known.pop(next(iter(known)), None)
        if st.query_params.get(CHAT) != self.id:
            st.query_params[CHAT] = self.id


def current_id() -> str | None:
    """The id of this tab's conversation, where one has begun."""
    known: str | None = st.session_state.get(_SESSION)
    return known if known in _conversations() else None


def start_anew() -> None:
    """Leave the conversation of this tab; a callback."""
    st.session_state.pop(_SESSION, None)
    st.query_params.pop(CHAT, None)


def events_of(rag: SelfRag, run_id: str) -> tuple[Run | None, list[Event]]:
    """The run while the process holds it, and its events; none where it is lost."""
    run = rag.run(run_id)
    if run is not None:
        return run, run.log.snapshot()
    record = rag.recorded(run_id)
    return None, [parse_event(event) for event in record.events] if record else []


@st.cache_resource(show_spinner=False)
def _conversations() -> dict[str, Conversation]:
    return {}
