"""Which document and page the address names: ``/documents?document=<id>&page=<n>``."""

import streamlit as st

DOCUMENT = "document"
PAGE = "page"


def asked_document() -> str | None:
    """The id of the document that the address asks for."""
    return st.query_params.get(DOCUMENT)


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
