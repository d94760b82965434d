"""A document on its way out, also where the disk is full: its file goes before anything is written.

The row says ``removing`` first, so that a crash leaves it to be finished. A full database cannot
even write that: then the file makes room, and a mark in its place says the same as the row.
"""

import logging

from selfrag.documents.holdings import Holdings
from selfrag.errors import StorageFull
from selfrag.records.documents import DocumentRecord, State

logger = logging.getLogger(__name__)


def remove(holdings: Holdings, record: DocumentRecord) -> None:
    """Remove a document: its file, its chunks, its row.

    Raises:
        StorageFull: its file is gone, and there is no room to change what else there is of it;
            that goes when it is asked for again, or at the next start.
    """
    try:
        try:
            holdings.manifest.update(record.id, state=State.REMOVING.value)
        except StorageFull:
            holdings.empty(record.id)
            holdings.manifest.update(record.id, state=State.REMOVING.value)
        holdings.drop(record.id)
    except StorageFull as error:
        raise StorageFull(
            f"The library's copy of {record.name} is deleted, but its pages and chunks "
            "are still there, because they cannot be changed on a full disk. Free some space, "
            "then delete it again."
        ) from error


def finish_removals(holdings: Holdings) -> None:
    """Remove what a full disk kept from going; what still cannot go waits."""
    for record in holdings.manifest.all(State.REMOVING):
        try:
            with holdings.alone_with(record.id), holdings.admitting:
                now = holdings.manifest.get(record.id)
                if now is not None and now.state is State.REMOVING:  # not added again meanwhile
                    holdings.drop(record.id)
        except StorageFull as error:
            logger.warning("%s cannot be removed yet: %s", record.name, error)
            return
