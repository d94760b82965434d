"""What became of each file, until it is dismissed: failures first, each with its way out."""

from collections.abc import Sequence

import streamlit as st

from selfrag.documents import ocr
from selfrag.documents.jobs import JobView
from selfrag.documents.results import IngestResult
from selfrag.service import SelfRag
from selfrag.ui.job_words import taken_in
from selfrag.ui.links import open_document
from selfrag.ui.literal import literal
from selfrag.ui.remarks import draw_remark
from selfrag.wording import count

_SHOWN = 3  #: files that went well and are drawn one by one; more of them are folded up

_WELL = {
    "ready": ":green[:material/check_circle: Ready]",
    "unchanged": ":gray[:material/done_all: Already in your library]",
    "duplicate": ":gray[:material/content_copy: Already in your library]",
    "cancelled": ":gray[:material/cancel: Cancelled]",
}


def result_rows(rag: SelfRag, views: Sequence[JobView]) -> None:
    """Draw the jobs that are done."""
    done = [(it, it.result) for it in views if it.result is not None and _there(rag, it.result)]
    if not done:
        return
    failed = [(view, result) for view, result in done if result.status == "failed"]
    well = [(view, result) for view, result in done if result.status != "failed"]
    with st.container(border=True, key="jobs_done"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{_headline(well, failed)}**", width="stretch")
            if st.button("Dismiss", key="dismiss", icon=":material/close:", type="tertiary"):
                rag.jobs.dismiss()
                st.rerun()
        for view, result in failed:
            _failure(rag, view, result)
        if len(well) <= _SHOWN:
            for view, result in well:
                _success(view, result)
        else:
            with st.expander(f"{count(len(well), 'other file')}" if failed else "Show each file"):
                for view, result in well:
                    _success(view, result)


def forget_settled(rag: SelfRag) -> None:
    """Forget what became of earlier files, except where a password or OCR would still help."""
    for view in rag.jobs.views():
        result = view.result
        if result is not None and not (result.needs and _there(rag, result)):
            rag.jobs.dismiss(view.id)


def _there(rag: SelfRag, result: IngestResult) -> bool:
    """False where the document has been deleted since; one that never got in was not."""
    return result.document_id is None or rag.library.find(result.document_id) is not None


def _headline(
    well: Sequence[tuple[JobView, IngestResult]], failed: Sequence[tuple[JobView, IngestResult]]
) -> str:
    added = sum(result.status == "ready" for _, result in well)
    known = sum(result.status in ("unchanged", "duplicate") for _, result in well)
    parts = []
    if added:
        parts.append(f"{count(added, 'document is', 'documents are')} ready")
    if failed:
        parts.append(f"{count(len(failed), 'file')} could not be taken in")
    if known:
        parts.append(f"{known} already there")
    if (gone := len(well) - added - known) > 0:
        parts.append(f"{gone} cancelled")
    return ", ".join(parts)


def _success(view: JobView, result: IngestResult) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        about = taken_in(result) if result.status == "ready" else ""
        name = literal(result.document, 80)
        st.markdown(f"{_WELL[result.status]} {name} :small[:gray[{about}]]", width="stretch")
        if result.document_id is not None:
            _open(view, result.document_id)
    for note in result.notes:
        draw_remark(note)


def _open(view: JobView, document_id: str) -> None:
    # This list is a fragment, so a callback would not draw the page around it again.
    if st.button("Open", key=f"open_{view.id}", type="tertiary"):
        open_document(document_id)
        st.rerun()


def _failure(rag: SelfRag, view: JobView, result: IngestResult) -> None:
    why = literal(result.error or "Something went wrong: try it again.")
    locked = result.needs == "password"
    icon = ":orange[:material/lock: Locked]" if locked else ":red[:material/error: Not taken in]"
    name = "" if result.document in (result.error or "") else f"{literal(result.document, 80)}: "
    st.markdown(f"{icon} {name}{why}")
    if result.document_id is None or rag.library.find(result.document_id) is None:
        return
    if locked:
        _password(rag, view, result.document_id)
    if result.needs == "ocr" and ocr.available():
        _recognition(rag, view, result.document_id)


def _recognition(rag: SelfRag, view: JobView, document_id: str) -> None:
    if st.button(
        "Recognise the text (OCR)", key=f"ocr_{view.id}", icon=":material/document_scanner:"
    ):
        rag.submit_again(document_id, ocr=True)
        rag.jobs.dismiss(view.id)
        st.rerun()


def _password(rag: SelfRag, view: JobView, document_id: str) -> None:
    with st.form(f"password_{view.id}", border=False, clear_on_submit=True):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            password = st.text_input(
                "Its password",
                type="password",
                key=f"password_text_{view.id}",
                autocomplete="off",
                placeholder="Password",
                label_visibility="collapsed",
                width=260,
            )
            tried = st.form_submit_button("Try again", icon=":material/lock_open:")
    if tried and password:
        rag.submit_again(document_id, password=password)
        rag.jobs.dismiss(view.id)
        st.rerun()
