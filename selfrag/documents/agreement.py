"""Whether manifest, index and files agree, as sentences for ``doctor``."""

from selfrag.documents.holdings import Holdings
from selfrag.records.documents import UNFINISHED, State


def disagreements(holdings: Holdings, *, busy: bool, owns_index: bool) -> list[str]:
    """Where they do not agree; empty where they do.

    Args:
        busy: documents are being taken in, so unfinished ones are no disagreement.
        owns_index: False where a collection on a server may hold what is another library's.
    """
    records = holdings.manifest.all()
    children, parents = holdings.index.documents(), holdings.index.parents_of_documents()
    files = set(holdings.files())
    found = []
    for record in records:
        if record.state is State.REMOVING or (record.state in UNFINISHED and not busy):
            found.append(f"{record.name} is unfinished")
        if record.state is not State.READY:
            continue
        for indexed, expected, kind in (
            (children.get(record.id, 0), record.children, "chunks"),
            (parents.get(record.id, 0), record.parents, "parents"),
        ):
            if indexed != expected:
                found.append(f"{record.name} has {indexed} {kind} in the index, not {expected}")
        if record.id not in files:
            found.append(f"the library's copy of {record.name} is gone: add the file again")
    known = {record.id for record in records}
    if owns_index:
        found += [
            f"the index holds chunks of {document_id}, which is not in the library"
            for document_id in sorted({*children, *parents} - known)
        ]
    return found + [
        f"the file {document_id}.pdf belongs to no document"
        for document_id in sorted(files - known)
    ]
