"""The body of a whole document as one text, each stretch of it traceable to its page."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

from selfrag.documents.normalise import ends_hyphenated, is_unspaced, keeps_hyphen
from selfrag.pages import Reading, Span

_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…؟][\"'”’»)\]]*$")
_PROSE_LINE = 60  # a paragraph that breaks off at a page's end has a line at least that long


@dataclass(slots=True)
class Body:
    """A document's body text.

    Attributes:
        text: bodies of all pages, paragraphs that run over a page's end made whole.
    """

    text: str = ""
    _starts: list[int] = field(default_factory=list)  # in ``text``, of each stretch
    _spans: list[Span] = field(default_factory=list)  # where that stretch stands

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """Where ``text[start:end]`` stands, page by page; joining white space stands nowhere."""
        result = []
        k = max(bisect_right(self._starts, start) - 1, 0)
        while k < len(self._starts) and self._starts[k] < end:
            at, span = self._starts[k], self._spans[k]
            first = max(start - at, 0)
            last = min(end - at, span.end - span.start)
            if first < last:
                result.append(Span(span.page, span.start + first, span.start + last))
            k += 1
        return tuple(result)

    def offset(self, page: int, position: int) -> int | None:
        """Where in ``text`` character ``position`` of a page stands, or what follows it."""
        for at, span in zip(self._starts, self._spans, strict=True):
            if span.page > page:
                return at
            if span.page == page and position < span.end:
                return at + max(position - span.start, 0)
        return None

    def page_breaks(self) -> list[int]:
        """Offsets in ``text`` at which a page begins with a new paragraph."""
        return [
            at
            for k, at in enumerate(self._starts)
            if k and self._spans[k].page != self._spans[k - 1].page and self.text[at - 1] == "\n"
        ]

    def page_starts(self) -> dict[int, tuple[int, int]]:
        """For each page with a body the first and behind the last index of its stretches."""
        result: dict[int, tuple[int, int]] = {}
        for k, span in enumerate(self._spans):
            first, _ = result.get(span.page, (k, k))
            result[span.page] = (first, k + 1)
        return result


def join_pages(reading: Reading) -> Body:
    """The body of every page, one after the other.

    A paragraph that goes on over a page's end is joined by a space, a word broken there
    without its hyphen; anything else is separated by a blank line.
    """
    body = Body()
    parts: list[str] = []
    length = 0
    last: str = ""
    for page in reading.pages:
        for start, end in page.body:
            start, end = trimmed(page.text, start, end)
            text = page.text[start:end]
            if not text:
                continue
            separator = ""
            if last:
                separator, cut = _between(last, text)
                if cut:
                    parts[-1] = parts[-1][:-1]
                    length -= 1
                    span = body._spans[-1]
                    body._spans[-1] = Span(span.page, span.start, span.end - 1)
            parts += [separator, text]
            length += len(separator)
            body._starts.append(length)
            body._spans.append(Span(page.number, start, end))
            length += len(text)
            last = text
    body.text = "".join(parts)
    return body


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without the white space at its ends."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _between(last: str, text: str) -> tuple[str, bool]:
    """What joins two stretches, and whether the hyphen at the end of the first goes."""
    line = last[max(last.rfind("\n"), len(last) - 400) + 1 :]
    head = text[:200]
    if _ENDS_SENTENCE.search(line) or "  " in line or "  " in head.split("\n", 1)[0]:
        return "\n\n", False
    if ends_hyphenated(line) and head[0].isalpha():
        return "", not keeps_hyphen(line, head, "")
    if is_unspaced(line[-1]) and is_unspaced(head[0]):
        return "", False
    if head[0].islower() or (len(line) >= _PROSE_LINE and head[0].isalnum()):
        return " ", False
    return "\n\n", False
