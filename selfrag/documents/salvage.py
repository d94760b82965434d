"""A PDF that breaks off: its pages are found without the tables that stood at its end.

    bytes -> whole objects, also those inside object streams -> page objects in their order
          -> the same objects under a new catalog, page tree and cross-reference table

What is read of the result is judged like any other file: a page whose fonts or content went
with the missing part has no text and says so. ISO 32000-1, 7.3.10 (objects), 7.5.7 (object
streams), 7.7.3 (page tree).
"""

import re
import zlib
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

LARGEST = 512 << 20  #: bytes of a file that is searched for objects
_MOST_INFLATED = 64 << 20  # bytes that one object stream may hold
_MOST_OBJECTS = 500_000
_END = 1_024  # bytes in which a file's end mark stands

_OBJECT = re.compile(rb"(?<![0-9])(\d{1,10})[ \t\r\n]+(\d{1,5})[ \t\r\n]+obj\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_TREE = re.compile(rb"/Type\s*/Pages(?![A-Za-z])")
_OBJECT_STREAM = re.compile(rb"/Type\s*/ObjStm\b")
_CONTENTS = re.compile(rb"/Contents\s*(\[[^\]]*\]|\d+\s+\d+\s+R\b)")
_KIDS = re.compile(rb"/Kids\s*\[([^\]]*)\]")
_REFERENCE = re.compile(rb"(\d+)\s+\d+\s+R\b")
_COUNT = re.compile(rb"/Count\s+(\d{1,7})\b")
_STREAM = re.compile(rb"stream\r?\n")
_NUMBER = re.compile(rb"/(N|First)\s+(\d{1,9})\b")


@dataclass(frozen=True, slots=True)
class Salvaged:
    """A file made of what is left of another.

    Attributes:
        data: the file.
        pages: how many pages it has.
        expected: how many the whole file had, where that is still to be seen.
        has_end: whether the end of the other file is there, so that it is damaged elsewhere.
    """

    data: bytes
    pages: int
    expected: int | None
    has_end: bool


def salvage(path: Path) -> Salvaged | None:
    """The pages of a file that has lost its end; None where no page is left, or it is too big."""
    if path.stat().st_size > LARGEST:
        return None
    data = path.read_bytes()
    found = _objects(data)
    order = {number: place for place, number in enumerate(_in_tree_order(found))}
    pages = [number for number, body in found.items() if _is_page(_dictionary(body), found)]
    if not pages:
        return None
    place = {number: index for index, number in enumerate(found)}
    pages.sort(key=lambda number: (order.get(number, len(order)), place[number]))
    counts = [
        int(count)
        for body in found.values()
        if _TREE.search(head := _dictionary(body))
        for count in _COUNT.findall(head)
    ]
    expected = max(counts, default=0)
    return Salvaged(
        data=_written(found, pages),
        pages=len(pages),
        expected=expected if expected >= len(pages) else None,
        has_end=b"%%EOF" in data[-_END:],
    )


def _objects(data: bytes) -> dict[int, bytes]:
    """Number -> body of every object that is whole, in the order of the file; later ones win."""
    found: dict[int, bytes] = {}
    inside: list[tuple[int, bytes]] = []
    starts = list(islice(_OBJECT.finditer(data), _MOST_OBJECTS))
    limits = [*(match.start() for match in starts[1:]), len(data)]
    for match, limit in zip(starts, limits, strict=False):
        end = data.rfind(b"endobj", match.end(), limit)
        if end < 0:
            continue  # cut off in its middle
        number, body = int(match[1]), data[match.end() : end].strip()
        if _OBJECT_STREAM.search(_dictionary(body)):
            inside += _unpacked(body)
            continue
        found.pop(number, None)
        found[number] = body
    for number, body in inside:  # an object that stands by itself is the later version
        found.setdefault(number, body)
    return found


def _unpacked(body: bytes) -> list[tuple[int, bytes]]:
    """The objects of an object stream; none where it cannot be unpacked."""
    head = _dictionary(body)
    numbers = {key: int(value) for key, value in _NUMBER.findall(head)}
    start = _STREAM.search(body)
    if start is None or not {b"N", b"First"} <= set(numbers):
        return []
    raw = body[start.end() : body.rfind(b"endstream")]
    if b"/FlateDecode" in head:
        try:
            raw = zlib.decompressobj().decompress(raw, _MOST_INFLATED)
        except zlib.error:
            return []
    first = numbers[b"First"]
    table = [int(value) for value in raw[:first].split()[: 2 * numbers[b"N"]] if value.isdigit()]
    places = list(zip(table[::2], table[1::2], strict=False))
    ends = [offset for _, offset in places[1:]] + [len(raw) - first]
    return [
        (number, raw[first + offset : first + end].strip())
        for (number, offset), end in zip(places, ends, strict=True)
    ]


def _dictionary(body: bytes) -> bytes:
    """What stands before an object's stream, or all of it where it has none."""
    start = _STREAM.search(body)
    return body[: start.start()] if start else body


def _is_page(head: bytes, found: dict[int, bytes]) -> bool:
    """Whether this is a page, and one whose content is not lost."""
    if not _PAGE.search(head):
        return False
    contents = _CONTENTS.search(head)
    return contents is None or any(int(n) in found for n in _REFERENCE.findall(contents[1]))


def _in_tree_order(found: dict[int, bytes]) -> list[int]:
    """Numbers of the pages in the order of what is left of the page tree."""
    kids = {
        number: [int(kid) for kid in _REFERENCE.findall(listed[1])]
        for number, body in found.items()
        if _TREE.search(head := _dictionary(body)) and (listed := _KIDS.search(head))
    }
    below = {kid for listed in kids.values() for kid in listed}
    order: list[int] = []
    seen: set[int] = set()
    stack = [number for number in reversed(kids) if number not in below]
    while stack:
        number = stack.pop()
        if number in seen:
            continue
        seen.add(number)
        if number in kids:
            stack += reversed(kids[number])
        else:
            order.append(number)
    return order


def _written(found: dict[int, bytes], pages: list[int]) -> bytes:
    catalog = max(found) + 1
    tree = catalog + 1
    kids = b" ".join(b"%d 0 R" % number for number in pages)
    objects = {
        **found,
        catalog: b"<< /Type /Catalog /Pages %d 0 R >>" % tree,
        tree: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
    }
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in sorted(objects.items()):
        offsets.append((number, len(out)))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 1\n0000000000 65535 f \n"
    for number, offset in offsets:
        out += b"%d 1\n%010d 00000 n \n" % (number, offset)
    out += b"trailer << /Size %d /Root %d 0 R >>\n" % (tree + 1, catalog)
    out += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(out)
