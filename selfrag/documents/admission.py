"""A file at the door: copied and queued, or recognised, or refused. From here no crash loses it."""

import errno
from dataclasses import replace
from pathlib import Path

from selfrag.documents.errors import UnreadablePdf
from selfrag.documents.holdings import Holdings, sha256_of
from selfrag.documents.names import clean_name
from selfrag.documents.results import IngestResult
from selfrag.errors import UserError
from selfrag.records.documents import UNFINISHED, DocumentRecord, State

_ID = 16  # hex digits of the content's hash that make a document's id


def admit(
    holdings: Holdings, path: Path, name: str | None, source: str | None
) -> DocumentRecord | IngestResult:
    """Copy and register a file.

    Args:
        name: as shown and cited; the file's own where None.
        source: where it came from, to recognise a changed version of it.

    Returns:
        The queued document, or what became of the file where it is there already or refused.
    """
    name = clean_name(name or path.name)
    try:
        with holdings.admitting:
            return _admit(holdings, path, name, source)
    except UserError as error:
        return IngestResult(name, None, "failed", error=str(error))


def storage_problem(name: str, error: OSError) -> str:
    """What to tell of a file that could not be written down."""
    if error.errno == errno.ENOSPC:
        return f"{name} was not taken in: the disk is full. Free some space and try again."
    return f"{name} could not be copied into the library ({error.strerror or error}): try it again."


def _admit(
    holdings: Holdings, path: Path, name: str, source: str | None
) -> DocumentRecord | IngestResult:
    try:
        size = path.stat().st_size
        if size == 0:
            raise UnreadablePdf(
                f"{name} is empty (0 bytes): the download or copy may have broken off; get "
                "the file again."
            )
        sha256 = sha256_of(path)
        known = holdings.manifest.by_hash(sha256)
        if known is not None and known.state is State.READY:
            if not holdings.file(known.id).exists():
                holdings.copy_in(path, known.id)
            return _there_already(known, name)
        if known is not None and known.state in UNFINISHED and known.id in holdings.at_work:
            return IngestResult(
                name, known.id, "unchanged", notes=("this file is being taken in already",)
            )
        record = known or DocumentRecord(
            id=sha256[:_ID],
            sha256=sha256,
            name=name,
            source=source,
            bytes=size,
            state=State.QUEUED,
        )
        holdings.copy_in(path, record.id)
    except FileNotFoundError:
        raise UserError(f"{path} is not there: check the path.") from None
    except OSError as error:
        raise UserError(storage_problem(name, error)) from error
    if known is None:
        try:
            holdings.manifest.add(record)
        except UserError:
            holdings.file(record.id).unlink(missing_ok=True)  # no row knows of it
            raise
    else:
        holdings.manifest.update(
            known.id, name=name, source=source, state=State.QUEUED.value, error=None
        )
    holdings.at_work.add(record.id)
    return replace(record, name=name, source=source, state=State.QUEUED)


def _there_already(known: DocumentRecord, name: str) -> IngestResult:
    same = known.name == name
    return IngestResult(
        name,
        known.id,
        "unchanged" if same else "duplicate",
        known.page_count,
        known.children,
        notes=() if same else (f"the same file is in the library as {known.name}",),
    )
