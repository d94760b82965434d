"""What is stored beside a chunk's vectors, in the layout that LangChain's store reads."""

from typing import Any

from selfrag.pages import Chunk

CONTENT = "page_content"
METADATA = "metadata"
DOCUMENT_ID = f"{METADATA}.document_id"
LANGUAGE = f"{METADATA}.language"


def metadata(
    chunk: Chunk, document_id: str, document_name: str, language: str | None
) -> dict[str, Any]:
    """A chunk's metadata; spans as ``[page, start, end]``."""
    return {
        "chunk_id": chunk.id,
        "document_id": document_id,
        "document": storable(document_name),
        "page": chunk.page,
        "pages": list(chunk.pages),
        "spans": [[span.page, span.start, span.end] for span in chunk.spans],
        "start": chunk.start,
        "end": chunk.end,
        "position": chunk.position,
        "parent_id": chunk.parent_id,
        "heading": None if chunk.heading is None else storable(chunk.heading),
        "language": language,
    }


def storable(text: str) -> str:
    """The text with halves of surrogate pairs replaced, which no store accepts.

    The length stays, so that spans still fit.
    """
    return text.encode("utf-8", "replace").decode("utf-8")
