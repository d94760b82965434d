"""Parent and child chunks whose borders follow the text.

A cut falls behind a paragraph where one ends in the later part of the chunk, else behind a
sentence or a line, else behind a word; inside a word only where a single word is longer than
the chunk. A heading is not left alone at the end of a chunk. Parents follow each other
without overlap; the children of a parent overlap, beginning at a sentence if one begins
there. A child runs over a page's end only in the middle of a paragraph.

LangChain's splitters are not used: they return strings, and the place of each character is
what highlighting, spans and ids need.
"""

import re
import uuid
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selfrag.documents.headings import Headings
from selfrag.documents.joining import Body, join_pages, trimmed
from selfrag.documents.sentences import sentence_ends
from selfrag.pages import Chunk, Reading

_NAMESPACE = uuid.UUID("6f0d2c4e-5b1a-5c39-9a53-3a3f0e6d7f21")
_WORD_END = re.compile(r"\s+")
_PARAGRAPH_SHARE = 0.4  # of a chunk that a paragraph's end must leave filled
_SENTENCE_SHARE = 0.25
_HEADING = 90  # characters that a heading has at most


@dataclass(frozen=True, slots=True)
class _Borders:
    """Offsets where a cut may fall, each sorted, always behind white space.

    ``headings`` are the offsets of headings, before which nothing overlaps.
    """

    headings: frozenset[int]
    paragraphs: Sequence[int]
    sentences: Sequence[int]
    words: Sequence[int]


def chunk(
    document_hash: str,
    reading: Reading,
    *,
    chunk_size: int = 600,
    chunk_overlap: int = 150,
    parent_chunk_size: int = 1200,
) -> tuple[list[Chunk], list[Chunk]]:
    """Cuts a reading's body into parents and their children.

    Args:
        document_hash: identity of the file's content; goes into the ids.
        reading: what ``read_pdf`` returned.
        chunk_size: most characters of a child.
        chunk_overlap: most characters that a child shares with the one before.
        parent_chunk_size: most characters of a parent.

    Returns:
        Parents and children, both in reading order. Every character of the body that is no
        white space lies in a parent and in a child of it.

    Raises:
        ValueError: not ``0 <= chunk_overlap < chunk_size <= parent_chunk_size``.
    """
    if not 0 <= chunk_overlap < chunk_size <= parent_chunk_size:
        raise ValueError("need 0 <= chunk_overlap < chunk_size <= parent_chunk_size")
    body = join_pages(reading)
    borders = _borders(body.text, reading.language)
    headings = Headings(reading, body)
    breaks = body.page_breaks()
    parents: list[Chunk] = []
    children: list[Chunk] = []
    for start, end in _cuts(body.text, 0, len(body.text), parent_chunk_size, 0, borders):
        parent = _chunk(document_hash, body, start, end, len(parents), None, headings)
        parents.append(parent)
        for first, last in _by_page(breaks, start, end):
            for a, b in _cuts(body.text, first, last, chunk_size, chunk_overlap, borders):
                position = len(children)
                children.append(_chunk(document_hash, body, a, b, position, parent.id, headings))
    return parents, children


def _by_page(breaks: Sequence[int], start: int, end: int) -> Iterator[tuple[int, int]]:
    """The range cut where a page begins with a new paragraph: a child then has one page to cite."""
    for offset in breaks[bisect_right(breaks, start) : bisect_left(breaks, end)]:
        yield start, offset
        start = offset
    yield start, end


def _chunk(
    document_hash: str,
    body: Body,
    start: int,
    end: int,
    position: int,
    parent_id: str | None,
    headings: Headings,
) -> Chunk:
    text = body.text[start:end]
    role = "parent" if parent_id is None else "child"
    return Chunk(
        id=str(uuid.uuid5(_NAMESPACE, f"{document_hash}\n{role}\n{position}\n{text}")),
        text=text,
        start=start,
        end=end,
        spans=body.spans(start, end),
        position=position,
        parent_id=parent_id,
        heading=headings.at(start),
    )


def _borders(text: str, language: str | None) -> _Borders:
    headings: set[int] = set()
    paragraphs: list[int] = []
    sentences: list[int] = []
    start = 0
    for blank in re.finditer(r"\n\s*\n\s*", text + "\n\n"):
        paragraph = text[start : blank.start()]
        end = min(blank.end(), len(text))
        sentences += [start + offset for offset in sentence_ends(paragraph, language)]
        sentences += [start + match.end() for match in re.finditer(r"\n\s*", paragraph)]
        sentences.append(end)
        if _is_heading(paragraph):
            headings.add(start)
        else:  # a cut belongs before a heading, not behind it
            paragraphs.append(end)
        start = end
    words = [match.end() for match in _WORD_END.finditer(text)]
    return _Borders(frozenset(headings), sorted(set(paragraphs)), sorted(set(sentences)), words)


def _is_heading(paragraph: str) -> bool:
    text = paragraph.strip()
    return 0 < len(text) <= _HEADING and "\n" not in text and text[-1] not in ".!?;,。！？…"


def _cuts(
    text: str, start: int, end: int, size: int, overlap: int, borders: _Borders
) -> Iterator[tuple[int, int]]:
    """Ranges of ``text[start:end]``, at most ``size`` long, without white space at their ends."""
    start, end = trimmed(text, start, end)
    reached = start
    while start < end:
        cut = _cut(text, start, reached, end, size, borders)
        a, b = trimmed(text, start, cut)
        if a < b:
            yield a, b
        if cut >= end:
            return
        reached = cut
        start = _overlapping(start, cut, overlap, borders)
        start, _ = trimmed(text, start, end)


def _cut(text: str, start: int, reached: int, end: int, size: int, borders: _Borders) -> int:
    """The end of the chunk that begins at ``start`` and must end behind ``reached``."""
    # white space at the end is trimmed, so a border may lie behind it
    limit = start + size
    if limit >= end:
        return end
    while limit < end and text[limit].isspace():
        limit += 1
    if limit >= end:
        return end
    for offsets, share in (
        (borders.paragraphs, _PARAGRAPH_SHARE),
        (borders.sentences, _SENTENCE_SHARE),
        (borders.words, 0.0),
    ):
        k = bisect_right(offsets, limit) - 1
        if k >= 0 and offsets[k] > max(reached, start + share * size):
            return offsets[k]
    return start + size  # one word longer than the chunk


def _overlapping(start: int, cut: int, overlap: int, borders: _Borders) -> int:
    """Where the chunk after the one that ends at ``cut`` begins: at most ``overlap`` before."""
    if not overlap or cut in borders.headings:
        return cut
    earliest = max(cut - overlap, start + 1)
    for offsets in (borders.sentences, borders.words):
        k = bisect_left(offsets, earliest)
        if k < len(offsets) and offsets[k] < cut:
            return offsets[k]
    return cut
