"""Libraries that look full without anything having been read."""

from sqlalchemy import insert

from selfrag.records.documents import State
from selfrag.records.schema import documents
from selfrag.service import SelfRag


def add_records(rag: SelfRag, count: int) -> None:
    """Write ``count`` documents into the manifest, and nowhere else."""
    rows = [
        {
            "id": f"{number:016x}",
            "sha256": f"{number:064x}",
            "name": f"report {number:04}.pdf",
            "bytes": 1000 * number,
            "state": State.READY.value,
            "language": "pt",
            "pages": {"text": number % 40 + 1, "empty": number % 3},
            "children": number,
            "parents": 0,
            "notes": [],
            "outline": [],
            "added_at": float(number),
        }
        for number in range(count)
    ]
    with rag._documents._engine.begin() as connection:
        connection.execute(insert(documents), rows)
