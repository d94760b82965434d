"""What the address names: ``/documents?document=<id>&page=<n>&quote=<words>&chat=<id>``.

Anyone may have written an address: all of it is untrusted text, of bounded length.
"""

import re

import streamlit as st

DOCUMENT = "document"
PAGE = "page"
QUOTE = "quote"
CHAT = "chat"
PRESENT = "present"
RESULT = "result"
A, B = "a", "b"  #: the runs that stand side by side
TAB = "tab"  #: of the Evaluate page
TRIAL = "trial"  #: a question that was answered in several ways
QUESTION = "q"  #: one that is to be asked
_LONGEST = 400  #: characters of a quote in an address; its beginning finds the place
_LONGEST_QUESTION = 2_000
_RUN_ID = re.compile(r"[0-9a-f-]{36}")
_CHAT_ID = re.compile(r"[0-9a-f]{32}")


def asked_run() -> str | None:
    """The run that the address asks to present."""
    run_id = st.query_params.get(PRESENT, "")
    return run_id if _RUN_ID.fullmatch(run_id) else None


def asked_pair() -> tuple[str | None, str | None]:
    """The runs that the address asks to show side by side; B is never A."""
    a, b = (
        run_id if _RUN_ID.fullmatch(run_id := st.query_params.get(side, "")) else None
        for side in (A, B)
    )
    return a, b if b != a else None


def asked_result() -> str | None:
    """The result of an evaluation that the address asks for."""
    result_id = st.query_params.get(RESULT, "")
    return result_id if _RUN_ID.fullmatch(result_id) else None


def open_result(result_id: str) -> None:
    """Show a result of an evaluation from now on (a callback)."""
    st.query_params[RESULT] = result_id


def close_result() -> None:
    """Go back to the history of results (a callback)."""
    st.query_params.pop(RESULT, None)


def asked_trial() -> str | None:
    """The trial that the address names, which may be one that is no longer there."""
    trial = st.query_params.get(TRIAL, "")
    return trial if _CHAT_ID.fullmatch(trial) else None


def open_trial(trial_id: str) -> None:
    """Show a trial from now on (a callback)."""
    st.query_params.from_dict({TRIAL: trial_id})


def asked_question() -> str:
    """The question that the address brings along, or none."""
    return st.query_params.get(QUESTION, "")[:_LONGEST_QUESTION].strip()


def present(run_id: str) -> None:
    """Present a run from now on (a callback)."""
    st.query_params[PRESENT] = run_id


def stop_presenting() -> None:
    """Go back to the chat (a callback)."""
    st.query_params.pop(PRESENT, None)


def asked_document() -> str | None:
    """The id of the document that the address asks for."""
    return st.query_params.get(DOCUMENT)


def to_quote(document_id: str, page: int, quote: str, chat: str | None) -> dict[str, str]:
    """The parameters that open a document at a quote, and lead back to a chat."""
    words = quote.strip()
    if len(words) > _LONGEST:
        words = words[:_LONGEST].rsplit(maxsplit=1)[0]
    asked = {DOCUMENT: document_id, PAGE: str(page), QUOTE: words, CHAT: chat or ""}
    return {name: value for name, value in asked.items() if value}


def asked_quote() -> str:
    """The words that the address asks to mark, or none."""
    return st.query_params.get(QUOTE, "")[:_LONGEST].strip()


def asked_chat() -> str | None:
    """The chat that the address names, which may be one that is no longer there."""
    chat = st.query_params.get(CHAT, "")
    return chat if _CHAT_ID.fullmatch(chat) else None


def open_document(document_id: str, page: int = 1) -> None:
    """Show a document from now on (a callback, or before a rerun)."""
    st.query_params.from_dict({DOCUMENT: document_id, PAGE: str(page)})


def close_document() -> None:
    """Go back to the list of documents."""
    st.query_params.clear()


def asked_page(pages: int) -> int:
    """The page that the address asks for, from 1 to ``pages``; 1 where it makes no sense."""
    asked = st.query_params.get(PAGE, "1")
    return min(int(asked), pages) if asked.isdecimal() and int(asked) >= 1 else 1
