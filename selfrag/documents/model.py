"""Moved: see `selfrag.pages`."""

from selfrag.pages import Chunk, Heading, Page, PageKind, Reading, Span

__all__ = ["Chunk", "Heading", "Page", "PageKind", "Reading", "Span"]
