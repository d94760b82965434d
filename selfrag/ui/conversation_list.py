"""Earlier conversations in the side bar: found, opened, renamed, deleted."""

from datetime import date, datetime
from functools import partial

import streamlit as st

from selfrag.errors import UserError
from selfrag.records.conversations import LONGEST_TITLE, ConversationRecord
from selfrag.service import SelfRag
from selfrag.ui.colours import main_button
from selfrag.ui.conversation import Conversation, open_conversation, start_anew
from selfrag.ui.dialogs import confirm_deletion, dialog
from selfrag.ui.guarded import guarded
from selfrag.ui.literal import literal
from selfrag.ui.person import owner, time_zone
from selfrag.wording import count

_SHOWN = "conversations-shown"
_AT_ONCE = 25  #: conversations that are drawn before "more" is asked for
_FEW = 5  #: conversations up to which nothing has to be searched
_SEARCH = "conversations-search"
_NEW_TITLE = "conversation-title"
_WRONG = "conversation-title-wrong"
_TITLE = 26  #: characters of a title in the side bar; its hint shows the whole


def draw_conversations(rag: SelfRag, conversation: Conversation) -> None:
    """Draw the list; the conversation of this tab is marked in it."""
    with st.sidebar:
        st.button(
            "New chat",
            icon=":material/add_comment:",
            width="stretch",
            on_click=start_anew,
            disabled=not conversation.turns,
        )
        person = owner()
        total = rag.conversations.count(person)
        if not total:
            return
        search = ""
        if total > _FEW:
            search = st.text_input(
                "Search conversations",
                key=_SEARCH,
                type="search",
                live=True,
                placeholder="Search",
                label_visibility="collapsed",
            )
        shown = st.session_state.get(_SHOWN, _AT_ONCE)
        found = rag.conversations.all(person, search=search or "", limit=shown)
        if not found:
            st.caption("No conversation holds these words.")
        elif conversation.record is not None and conversation.record not in found and not search:
            found.append(conversation.record)  # opened by its address: it can be renamed as well
        today = datetime.now(time_zone()).date()
        for title, records in _grouped(found, today):
            with st.container(gap=None, key=f"conversations-{title}"):
                st.caption(title)
                for record in records:
                    _row(rag, record, record.id == conversation.id)
        more = (rag.conversations.count(person, search=search) if search else total) - len(found)
        if more > 0:
            st.button(
                f"Show more ({more:,})",
                type="tertiary",
                icon=":material/expand_more:",
                on_click=_show_more,
                args=(shown,),
            )


def _grouped(
    records: list[ConversationRecord], today: date
) -> list[tuple[str, list[ConversationRecord]]]:
    new = [it for it in records if day_of(it.changed_at) >= today]
    old = records[len(new) :]
    return [(title, group) for title, group in (("Today", new), ("Earlier", old)) if group]


def day_of(moment: float) -> date:
    """The day of a moment (seconds since the epoch) where the person is."""
    return datetime.fromtimestamp(moment, time_zone()).date()


def _row(rag: SelfRag, record: ConversationRecord, current: bool) -> None:
    title = literal(_cut(record.title))
    st.button(
        f"**{title}**" if current else title,
        key=f"open-{record.id}",
        type="tertiary",
        icon=":material/chat:" if current else None,
        help=literal(record.title) if len(record.title) > _TITLE else None,
        on_click=open_conversation,
        args=(record.id,),
        wrap=False,
    )
    if not current:
        return
    with st.container(horizontal=True, gap="medium"):
        if st.button("Rename", key="rename-chat", icon=":material/edit:", type="tertiary"):
            _rename(rag, record)
        if st.button("Delete", key="delete-chat", icon=":material/delete:", type="tertiary"):
            _confirm_deletion(rag, record)


@dialog("Rename", icon=":material/edit:")
def _rename(rag: SelfRag, record: ConversationRecord) -> None:
    with st.form("rename-conversation", border=False):
        st.text_input("Title", value=record.title, key=_NEW_TITLE, max_chars=LONGEST_TITLE)
        done = st.form_submit_button(
            "Rename", type=main_button(), on_click=guarded(_renamed), args=(rag, record.id)
        )
    wrong = st.session_state.pop(_WRONG, None)
    if wrong:
        st.error(literal(wrong), icon=":material/error:")
    elif done:
        st.rerun()


def _renamed(rag: SelfRag, conversation_id: str) -> None:
    try:
        rag.conversations.rename(conversation_id, st.session_state[_NEW_TITLE], owner())
    except UserError as error:
        st.session_state[_WRONG] = str(error)


def _confirm_deletion(rag: SelfRag, record: ConversationRecord) -> None:
    questions = count(len(rag.conversations.turns(record.id)), "question")
    confirm_deletion(
        "Delete this conversation?",
        [
            f"**{literal(record.title)}**",
            f"Its {questions}, the answers, how they were found, and what was said of them are "
            "deleted for good. Your documents stay.",
        ],
        partial(_deleted, rag, record.id),
    )


def _deleted(rag: SelfRag, conversation_id: str) -> None:
    rag.conversations.delete(conversation_id, owner())
    start_anew()


def _show_more(shown: int) -> None:
    st.session_state[_SHOWN] = shown + 2 * _AT_ONCE


def _cut(title: str) -> str:
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1].rstrip()}…"
