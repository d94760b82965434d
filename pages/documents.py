"""Documents: add PDFs, watch them being read, and see what was read from each.

The address may name a document (``?document=<id>&page=<n>``), which is then shown instead of
the list.
"""

import streamlit as st

from selfrag import process
from selfrag.errors import UserError
from selfrag.records.documents import State
from selfrag.service import SelfRag
from selfrag.ui.document_view import document_view
from selfrag.ui.documents_table import documents_table
from selfrag.ui.documents_upload import upload
from selfrag.ui.jobs import jobs_panel
from selfrag.ui.links import asked_document
from selfrag.ui.literal import literal


def library(rag: SelfRag) -> None:
    """The list: drop area, jobs, table."""
    st.title("Documents", anchor=False)
    upload(rag)
    jobs_panel(rag)
    records = rag.documents()
    if rag.jobs.busy:  # what is on its way is in the list of jobs already
        records = [record for record in records if record.state in (State.READY, State.FAILED)]
    if records:
        documents_table(records)
    elif not rag.jobs.busy:
        nothing_yet()


def nothing_yet() -> None:
    """What an empty library says."""
    st.markdown(
        "#### Your library is empty\n"
        "Drop one or more PDFs above. Each is read page by page on this machine, and you can "
        "ask about it as soon as it is ready."
    )
    st.caption(
        "Scanned pages, locked files and damaged ones are told apart, and each says what to do."
    )


def main() -> None:
    """The page, from top to bottom."""
    try:
        rag = process.current()
    except UserError as error:
        st.error(literal(str(error)), icon=":material/error:")
        return
    document_id = asked_document()
    if document_id is None:
        library(rag)
    else:
        document_view(rag, document_id)


main()
