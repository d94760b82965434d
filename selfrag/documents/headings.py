"""Which outline heading a place in the body stands under."""

import re
from bisect import bisect_right

from selfrag.documents.joining import Body
from selfrag.pages import Reading


class Headings:
    """The outline's headings by where they stand in the body.

    A bookmark names a page; the heading's own line on it, where its words are found, is
    where the section begins, else the top of the page.
    """

    def __init__(self, reading: Reading, body: Body) -> None:
        starts = body.page_starts()
        self._offsets: list[int] = []
        self._titles: list[str] = []
        folded: dict[int, str] = {}
        at = 0
        for heading in reading.outline:
            page = reading.pages[heading.page - 1]
            if page.number not in starts:
                position = 0
            else:
                text = folded.setdefault(page.number, _folded(page.text))
                position = _find(text, heading.title)
            offset = body.offset(page.number, position)
            if offset is None:
                break
            at = max(at, offset)  # an outline is in reading order
            self._offsets.append(at)
            self._titles.append(heading.title)

    def at(self, offset: int) -> str | None:
        """The nearest heading at or before ``offset``, or None."""
        k = bisect_right(self._offsets, offset) - 1
        return self._titles[k] if k >= 0 else None


def _folded(text: str) -> str:
    """``text`` in lower case, with as many characters as before."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


def _find(folded: str, title: str) -> int:
    words = [re.escape(word) for word in _folded(title).split()]
    if not words:
        return 0
    found = re.search(r"(?:^|\n)(?:[\divxlc.]+\s+)?" + r"\s+".join(words), folded)
    if found is None:
        found = re.search(r"\s+".join(words), folded)
    return found.start() + (found[0].startswith("\n")) if found else 0
