"""What can be done with a document: rename it, read it again (in other sizes), delete it."""

from functools import partial

import streamlit as st

from selfrag.documents import ocr
from selfrag.errors import UserError
from selfrag.pages import PageKind
from selfrag.records.documents import DocumentRecord, State
from selfrag.service import SelfRag
from selfrag.ui.colours import main_button
from selfrag.ui.dialogs import confirm_deletion
from selfrag.ui.document_sizes import chunk_sizes
from selfrag.ui.links import close_document
from selfrag.ui.literal import literal

_DELETING = "document_to_delete"


def actions(rag: SelfRag, record: DocumentRecord) -> None:
    """Draw the buttons in a row; the deletion asks once more."""
    with st.container(horizontal=True, width="content", key="document_actions"):
        with st.popover("Rename", icon=":material/edit:"):
            _rename(rag, record)
        if record.state is State.READY:  # one that failed has the form in full view
            with st.popover("Read again", icon=":material/refresh:"):
                read_again(rag, record, key="again")
        if st.button("Delete", icon=":material/delete:", key="delete"):
            st.session_state[_DELETING] = record.id
    # Kept in the session, so that the page may be drawn anew while the question is open.
    if st.session_state.get(_DELETING) == record.id:
        _confirm(rag, record)


def _rename(rag: SelfRag, record: DocumentRecord) -> None:
    with st.form("rename", border=False):
        name = st.text_input("Name, as shown and cited", value=record.name, max_chars=200)
        if st.form_submit_button("Rename", type=main_button()):
            try:
                rag.rename(record.id, name)
            except UserError as error:
                st.error(literal(str(error)))
                return
            st.rerun()


def read_again(rag: SelfRag, record: DocumentRecord, key: str) -> None:
    """Draw the form that queues the document again, from the library's own copy."""
    failed = record.state is State.FAILED
    with st.form(f"{key}_{record.id}", border=False, clear_on_submit=True):
        password, recognise = "", None
        # Where a file failed, its pages tell whether it was opened: no password then.
        if not (failed and record.pages):
            password = st.text_input(
                "Password, if the file needs one",
                type="password",
                autocomplete="off",
                key=f"{key}_password_{record.id}",
            )
        if record.pages.get(PageKind.SCANNED) or record.pages.get(PageKind.OCR):
            recognise = st.toggle(
                "Recognise the text of scanned pages (OCR)",
                value=ocr.available(),
                disabled=not ocr.available(),
                key=f"{key}_ocr_{record.id}",
            )
            if not ocr.available():
                st.caption(literal(ocr.HOW_TO_INSTALL))
        sizes = None if failed else chunk_sizes(rag, record, key)
        if st.form_submit_button("Read again", type=main_button()):
            try:
                rag.submit_again(record.id, password=password or None, ocr=recognise, sizes=sizes)
            except UserError as error:
                st.error(literal(str(error)), icon=":material/error:")
                return
            st.rerun()


def _forget() -> None:
    st.session_state.pop(_DELETING, None)


def _confirm(rag: SelfRag, record: DocumentRecord) -> None:
    confirm_deletion(
        "Delete this document?",
        [
            f"**{literal(record.name)}** leaves the library with its pages and chunks. Answers "
            "will no longer draw on it. Your own copy of the file stays where it is."
        ],
        partial(_deleted, rag, record.id),
        forget=_forget,
    )


def _deleted(rag: SelfRag, document_id: str) -> None:
    _forget()
    rag.delete(document_id)
    close_document()
