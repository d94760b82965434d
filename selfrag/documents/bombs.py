"""Decompression bombs: a few kilobytes that expand to more than any memory holds.

Looked for only after a file has cost too much, so that the person is told what it is. Nothing is
kept of what expands: it is counted and thrown away.
"""

import re
import zlib
from collections.abc import Iterator
from pathlib import Path

_STREAM = re.compile(rb"(<<(?:(?!stream|endobj).){0,4000}?>>)\s*stream\r?\n", re.DOTALL)
_FLATE = re.compile(rb"/(?:FlateDecode|Fl)\b")
_SIDES = re.compile(rb"/(?:Width|Height)\s+(\d{1,9})\b")
_MOST_FILTERS = 8
_AT_ONCE = 1 << 20  # bytes


def expands_beyond(path: Path, limit: int) -> bool:
    """Whether any stream of the file expands to more than ``limit`` bytes, or claims to.

    Streams that are compressed more than once are expanded as often. An image counts with its
    sides, one byte a pixel, where it says that it is larger than what it holds.
    """
    data = path.read_bytes()
    for match in _STREAM.finditer(data):
        head = match[1]
        sides = [int(side) for side in _SIDES.findall(head)]
        if len(sides) == 2 and sides[0] * sides[1] > limit:
            return True
        rounds = min(len(_FLATE.findall(head)), _MOST_FILTERS)
        if rounds and _expands(memoryview(data)[match.end() :], rounds, limit):
            return True
    return False


def _expands(data: memoryview, rounds: int, limit: int) -> bool:
    parts: Iterator[bytes] = (
        bytes(data[start : start + _AT_ONCE]) for start in range(0, len(data), _AT_ONCE)
    )
    for _ in range(rounds):
        parts = _inflated(parts)
    size = 0
    for part in parts:
        size += len(part)
        if size > limit:
            return True
    return False


def _inflated(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of a zlib stream, a part at a time; ends with the stream or where it is damaged."""
    machine = zlib.decompressobj()
    for part in parts:
        while part and not machine.eof:
            try:
                yield machine.decompress(part, _AT_ONCE)
            except zlib.error:
                return
            part = machine.unconsumed_tail
        if machine.eof:
            return
