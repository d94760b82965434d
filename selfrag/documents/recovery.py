"""After a crash: manifest, index and files are made to agree again.

What was on its way in is queued again from the library's copy, what was on its way out goes,
and what only one of the three knows of is removed there.
"""

import logging

from selfrag.documents.holdings import Holdings
from selfrag.documents.removal import remove
from selfrag.errors import StorageFull
from selfrag.records.documents import DocumentRecord, State

logger = logging.getLogger(__name__)


def recover(holdings: Holdings, *, owns_index: bool) -> list[DocumentRecord]:
    """Make the three agree.

    Args:
        owns_index: False where a collection on a server may hold what is another library's.

    Returns:
        The documents that are to be ingested again.
    """
    manifest, index = holdings.manifest, holdings.index
    holdings.clear_parts()
    known = {record.id: record for record in manifest.all()}
    children, parents = index.documents(), index.parents_of_documents()
    for document_id in {*children, *parents} - set(known):
        if owns_index:
            logger.warning("document %s is in the index only: removed there", document_id)
            try:
                index.delete(document_id)
            except StorageFull as error:
                logger.warning("document %s stays in the index: %s", document_id, error)
    for document_id in holdings.files():
        if document_id not in known:
            logger.warning("a file belongs to no document: %s.pdf is removed", document_id)
            holdings.file(document_id).unlink(missing_ok=True)
    waiting = []
    leaving = holdings.emptied()
    for record in known.values():
        indexed = children.get(record.id, 0), parents.get(record.id, 0)
        whole = record.state is State.READY and indexed == (record.children, record.parents)
        if (whole or record.state is State.FAILED) and record.id not in leaving:
            continue
        try:
            if record.state is State.REMOVING or record.id in leaving:
                remove(holdings, record)
            elif _wanted_again(holdings, record):
                holdings.at_work.add(record.id)
                waiting.append(record)
        except StorageFull as error:  # what is there can be read and searched all the same
            logger.warning("%s is left as it is: %s", record.name, error)
    return waiting


def _wanted_again(holdings: Holdings, record: DocumentRecord) -> bool:
    """Whether a document that is not whole can be ingested again from the library's copy."""
    manifest = holdings.manifest
    holdings.index.delete(record.id)
    if holdings.file(record.id).exists():
        manifest.update(record.id, state=State.QUEUED.value)
        return True
    if record.state is State.READY:
        why = f"The library's copy of {record.name} is gone: add the file again."
        manifest.update(record.id, state=State.FAILED.value, error=why, children=0, parents=0)
    else:
        manifest.remove(record.id)
    return False
