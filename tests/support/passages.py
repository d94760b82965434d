"""Passages for tests of judges and writers, without an index behind them."""

from selfrag.pages import Span
from selfrag.reflection.roles import Passage
from selfrag.retrieval.result import Hit


def passage(
    number: int, text: str, *, document: str = "handbook.pdf", page: int = 1, relevance: float = 0.5
) -> Passage:
    """A passage that stands whole on one page."""
    spans = (Span(page, 0, len(text)),)
    hit = Hit(
        rank=number,
        chunk_id=f"child-{number}",
        document_id=f"document-{number}",
        document=document,
        page=page,
        text=text,
        spans=spans,
        parent_id=f"parent-{number}",
        parent_text=text,
        parent_spans=spans,
    )
    return Passage(number, hit, text, relevance)
