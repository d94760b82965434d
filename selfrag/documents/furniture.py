"""Running heads, feet, page numbers and watermarks: kept on the page, left out of chunks.

A line is one where the same words (numbers aside) stand at the same height of other pages
nearby, near the upper or lower edge; or where a number alone stands there that counts with
the pages. Rows of tables (four cells or more) never are: their head would be lost.
"""

import re
from collections import Counter
from collections.abc import Sequence

from selfrag.documents.pagetext import PageText, Printed

_EDGE = 0.22  # share of the height, at the top and the bottom, where running lines stand
_LINES = 3  # as many lines at each edge are looked at
_SAME_HEIGHT = 0.012  # of the page's height
_NEAR = 5  # pages before and after: heads may differ left and right, and by chapter
_DIGITS = re.compile(r"\d+|\b[ivxlcdm]{1,7}\b", re.IGNORECASE)
_NUMBER_ONLY = re.compile(
    r"^[\s\-–—•|·]*(?:(?:page|p\.|pag\.|página|pág\.|seite|s\.|pagina)\s*)?"
    r"(?P<number>\d{1,4}|[ivxlcdm]{1,7})(?:\s*(?:/|of|de|von|di|sur)\s*\d{1,4})?[\s\-–—•|·]*$",
    re.IGNORECASE,
)


def body_ranges(
    pages: Sequence[PageText], labels: Sequence[str | None]
) -> list[list[tuple[int, int]]]:
    """For each page the ranges of its text that are not running heads, feet or numbers."""
    edges = [_edge_lines(page) for page in pages]
    keys = [
        [(line, _key(page.text, line)) for line in chosen]
        for page, chosen in zip(pages, edges, strict=True)
    ]
    numbers = [
        [line for line in edges[index] if _is_number(line, index, pages, edges, labels)]
        for index in range(len(pages))
    ]
    repeated = [
        [line for line, key in keys[index] if _repeats(line, key, index, keys, pages)]
        for index in range(len(pages))
    ]
    bodies = [
        _without(page, [*drop, *more])
        for page, drop, more in zip(pages, numbers, repeated, strict=True)
    ]
    printed = sum(bool(page.lines) for page in pages)
    bare = sum(bool(page.lines) and not body for page, body in zip(pages, bodies, strict=True))
    if bare * 2 > printed:
        # Where most pages hold nothing else, what repeats is what they say.
        return [_without(page, drop) for page, drop in zip(pages, numbers, strict=True)]
    return bodies


def _edge_lines(page: PageText) -> list[Printed]:
    ordered = sorted(page.lines, key=lambda line: line.top)
    top = [line for line in ordered[:_LINES] if line.bottom < _EDGE + 0.02]
    bottom = [line for line in ordered[-_LINES:] if line.top > 1 - _EDGE - 0.02]
    found = [line for line in (*top, *bottom) if line.cells < 4]
    # a watermark may stand anywhere, but it is larger than the text around it
    if len(ordered) > 3:
        usual = sorted(line.size for line in ordered)[len(ordered) // 2]
        found += [line for line in ordered if line.size > 1.6 * usual and line not in found]
    return found


def _key(text: str, line: Printed) -> str:
    return _DIGITS.sub("#", text[line.start : line.end].casefold()).replace(" ", "")


def _repeats(
    line: Printed,
    key: str,
    index: int,
    keys: Sequence[Sequence[tuple[Printed, str]]],
    pages: Sequence[PageText],
) -> bool:
    """Whether the same line stands at the same height of two pages nearby (one of two in all).

    Its numbers must be the same there, or count with the pages: a total or an invoice number
    that differs from page to page is what the page says.
    """
    if not key.strip("#-–—.|"):
        return False
    around = [
        i for i in range(index - _NEAR, index + _NEAR + 1) if i != index and 0 <= i < len(keys)
    ]
    same = sum(
        any(
            other == key
            and abs(near.top - line.top) < _SAME_HEIGHT
            and _counts_along(
                pages[index].text[line.start : line.end],
                pages[i].text[near.start : near.end],
                i - index,
            )
            for near, other in keys[i]
        )
        for i in around
    )
    return same >= (2 if len(keys) > 2 else 1)


def _counts_along(text: str, other: str, pages_between: int) -> bool:
    """Whether the numbers of two lines are the same, or further apart by as many as the pages."""
    here = [_value(number.casefold()) for number in _DIGITS.findall(text)]
    there = [_value(number.casefold()) for number in _DIGITS.findall(other)]
    return len(here) == len(there) and all(
        a == b or (a is not None and b is not None and b - a == pages_between)
        for a, b in zip(here, there, strict=True)
    )


def _is_number(
    line: Printed,
    index: int,
    pages: Sequence[PageText],
    edges: Sequence[Sequence[Printed]],
    labels: Sequence[str | None],
) -> bool:
    """Whether a line is the page's number: it counts with the pages, or equals its label."""
    match = _NUMBER_ONLY.match(pages[index].text[line.start : line.end])
    if not match:
        return False
    number = match["number"].casefold()
    if number == str(index + 1) or number == (labels[index] or "").casefold():
        return True
    value = _value(number)
    if value is None:
        return False
    offsets: Counter[int] = Counter()
    for i in range(max(0, index - _NEAR), min(len(pages), index + _NEAR + 1)):
        for other in edges[i] if i != index else ():
            found = _NUMBER_ONLY.match(pages[i].text[other.start : other.end])
            near = _value(found["number"].casefold()) if found else None
            if near is not None:
                offsets[near - i] += 1
    return offsets[value - index] >= 1


def _value(number: str) -> int | None:
    if number.isdecimal():
        return int(number)
    values = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
    total = 0
    for char, after in zip(number, [*number[1:], ""], strict=True):
        value = values[char]
        total += -value if after and values[after] > value else value
    return total


def _without(page: PageText, drop: Sequence[Printed]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted((line.start, line.end) for line in drop):
        ranges.append((at, start))
        at = max(at, end)
    ranges.append((at, len(page.text)))
    return [trimmed for a, b in ranges if (trimmed := _trim(page.text, a, b))]


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None
