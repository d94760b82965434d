"""The sizes in which a document is cut: chosen for one document, and told where it has its own."""

import streamlit as st

from selfrag.documents.sizes import LEAST, MOST, MOST_PARENT, ChunkSizes
from selfrag.records.documents import DocumentRecord
from selfrag.service import SelfRag

_CHARACTERS = 4  #: of English to a token, about


def chunk_sizes(rag: SelfRag, record: DocumentRecord, key: str) -> ChunkSizes:
    """Draw the three numbers; returns what they say, which need not fit together."""
    now = ChunkSizes.of(record.sizes) or rag.library.sizes
    usual = rag.library.sizes
    size = st.number_input(
        "Characters of a chunk",
        LEAST,
        MOST,
        now.size,
        step=50,
        key=f"{key}_size_{record.id}",
        help=f"What is searched. The library's size is {usual.size:,}.",
    )
    if reads := rag.embeddings.reads:
        st.caption(
            f"{rag.embeddings.name} reads {reads} tokens of a chunk, about "
            f"{reads * _CHARACTERS:,} characters of English and fewer of other languages. What "
            "stands behind them is found by its words only."
        )
    with st.container(horizontal=True):
        overlap = st.number_input(
            "Overlap",
            0,
            MOST - 1,
            now.overlap,
            step=10,
            key=f"{key}_overlap_{record.id}",
            help="Characters that a chunk shares with the one before. The library's overlap is "
            f"{usual.overlap:,}.",
        )
        parent = st.number_input(
            "Characters of a parent",
            LEAST,
            MOST_PARENT,
            now.parent,
            step=100,
            key=f"{key}_parent_{record.id}",
            help=f"What the writer reads around a chunk. The library's size is {usual.parent:,}.",
        )
    return ChunkSizes(int(size), int(overlap), int(parent))


def own_sizes(record: DocumentRecord) -> str:
    """Such as ``its own chunk size: 300 characters``; nothing where it has the library's."""
    own = ChunkSizes.of(record.sizes)
    return "" if own is None else f"its own chunk size: {own.size:,} characters"
