"""What is left of a document that did not get in, and how the person is told.

A document that was ready stays as it was; a file that is no use, or was cancelled, leaves
nothing; one that a password, OCR or another try may help is kept as ``failed``.
"""

import logging
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Literal

from selfrag.documents.admission import storage_problem
from selfrag.documents.errors import PasswordNeeded, ReadingStopped, TooManyPages, UnreadablePdf
from selfrag.documents.holdings import Holdings
from selfrag.documents.results import IngestResult
from selfrag.errors import ModelError, StorageFull, UserError
from selfrag.pages import PageKind
from selfrag.records.documents import DocumentRecord, State

logger = logging.getLogger(__name__)

CANCELLED = "Reading was cancelled before it was done: read the document again."


def not_taken_in(
    holdings: Holdings, record: DocumentRecord, error: Exception, *, leaving: bool
) -> IngestResult:
    """Clear up after an error, and say what became of the file.

    Where the disk is so full that not even that can be written down, the document stays
    unfinished: it is taken up again when it is asked for, or at the next start.

    Args:
        record: the document as it was before.
        leaving: the application ends: what was cancelled stays queued for the next start.
    """
    try:
        return _cleared(holdings, record, error, leaving)
    except StorageFull as full:
        logger.warning("what became of %s could not be noted: %s", record.name, full)
        why = f"{record.name} was not taken in. {full}"
        return IngestResult(record.name, record.id, "failed", error=why)


def _cleared(
    holdings: Holdings, record: DocumentRecord, error: Exception, leaving: bool
) -> IngestResult:
    if isinstance(error, CancelledError):
        return _given_up(holdings, record, "cancelled", None, leaving)
    if isinstance(error, ReadingStopped) and error.cancelled:
        return _given_up(holdings, record, "cancelled", str(error), leaving)
    if isinstance(error, ReadingStopped | UnreadablePdf | TooManyPages):
        return _given_up(holdings, record, "failed", str(error), leaving)
    if isinstance(error, PasswordNeeded):
        return replace(_failed(holdings, record, str(error)), needs="password")
    if isinstance(error, UserError | ModelError):
        return _failed(holdings, record, str(error))
    if isinstance(error, OSError):
        return _failed(holdings, record, storage_problem(record.name, error))
    logger.error("ingesting %s failed", record.name, exc_info=error)
    return _failed(
        holdings,
        record,
        f"{record.name} could not be taken in: something went wrong ({type(error).__name__}). "
        "The log has the details; try it again.",
    )


def _given_up(
    holdings: Holdings,
    record: DocumentRecord,
    status: Literal["cancelled", "failed"],
    error: str | None,
    leaving: bool,
) -> IngestResult:
    """Leave nothing of a file on its way in."""
    if leaving and status == "cancelled":
        return IngestResult(record.name, record.id, status, error="taken up at the next start")
    if record.state is State.READY:
        return replace(_as_before(holdings, record, error), status=status)
    if record.state is State.FAILED:
        return replace(_failed(holdings, record, error or CANCELLED), status=status)
    holdings.manifest.update(record.id, state=State.REMOVING.value)
    holdings.drop(record.id)
    return IngestResult(record.name, None, status, error=error)


def _as_before(holdings: Holdings, record: DocumentRecord, error: str | None) -> IngestResult:
    """A document that could not be read again stays as it was."""
    holdings.manifest.update(
        record.id, state=State.READY.value, error=None, ocr=record.ocr, sizes=record.sizes
    )
    return IngestResult(
        record.name, record.id, "failed", record.page_count, record.children, error=error
    )


def _failed(holdings: Holdings, record: DocumentRecord, error: str) -> IngestResult:
    """Keep the row and the file, so that a password or OCR can be tried; nothing is indexed."""
    was_ready = record.state is State.READY and holdings.file(record.id).exists()
    if was_ready and holdings.index.count(record.id) == (record.children, record.parents):
        return _as_before(holdings, record, error)
    holdings.index.delete(record.id)
    holdings.manifest.update(
        record.id, state=State.FAILED.value, error=error, children=0, parents=0
    )
    known = holdings.manifest.get(record.id)
    pages = known.pages if known else {}
    return IngestResult(
        record.name,
        record.id,
        "failed",
        sum(pages.values()),
        error=error,
        needs="ocr" if pages.get(PageKind.SCANNED.value) else None,
    )
