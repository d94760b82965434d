"""The text of one page: lines joined to paragraphs, each character traceable to its glyph.

A page's text depends on that page alone, so it can be made again for highlighting. Blank
lines ("\\n\\n") separate paragraphs, a line break stands where the page breaks a line on
purpose (rows of a table, verses, entries of a list), and everything else is one space.
Cells of a row are separated by two spaces.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from selfrag.documents.columns import reading_order
from selfrag.documents.glyphs import Glyphs
from selfrag.documents.layout import Flow, flows, set_apart_watermarks
from selfrag.documents.lines import INSERTED, Line, write
from selfrag.documents.normalise import ends_hyphenated, is_unspaced, keeps_hyphen

_ENDS_SENTENCE = re.compile(r"[.!?:;。！？…؟][\"'”’»)\]]*$")
_ITEM = re.compile(
    r"^(?:[•▪◦‣·∙●○■□➢✓]|[–—*-]\s|\(?\d{1,3}[.)]\s|\[\d{1,3}\]\s|\(?[a-zA-Z][.)]\s|§)"
)


@dataclass(frozen=True, slots=True)
class Printed:
    """A line as printed: ``text[start:end]`` of the page and where it stands.

    ``top`` and ``bottom`` are shares of the page's height (0 top, 1 bottom), ``size`` is the
    height of its letters in points, ``cells`` counts what stands on it with wide gaps between.
    """

    start: int
    end: int
    top: float
    bottom: float
    size: float
    cells: int = 1


@dataclass(slots=True)
class PageText:
    """A page's text and where it comes from.

    Attributes:
        text: normalised text.
        sources: for each character of ``text`` the glyph's index, or -1 for inserted space.
        lines: every printed line that runs the page's main way, in reading order.
    """

    text: str = ""
    sources: list[int] = field(default_factory=list)
    lines: list[Printed] = field(default_factory=list)


def page_text(glyphs: Glyphs) -> PageText:
    """The text of a page in reading order."""
    chars = [chr(c) if 0 < c < 0x110000 else "" for c in glyphs.codes.tolist()]
    out = PageText()
    parts: list[str] = []
    length = 0
    groups = flows(glyphs, chars)
    seen = "\n".join(s.text for flow in groups for s in flow.segments).casefold()
    for number, flow in enumerate(groups):
        lines, separators = _join_regions(flow, glyphs, chars, seen)
        for line, separator in zip(lines, separators, strict=True):
            if not line.text:
                continue
            if not parts:
                separator = ""
            elif separator is None:
                separator = "\n\n"
            parts += [separator, line.text]
            out.sources.extend([INSERTED] * len(separator))
            out.sources.extend(line.sources)
            start = length + len(separator)
            length = start + len(line.text)
            if number == 0:
                top, bottom = line.y0 / flow.height, line.y1 / flow.height
                out.lines.append(Printed(start, length, top, bottom, line.size, line.cells))
    out.text = "".join(parts)
    return out


def _join_regions(
    flow: Flow, glyphs: Glyphs, chars: list[str], seen: str
) -> tuple[list[Line], list[str | None]]:
    """All lines of a flow, and what stands before each (None: whatever starts a text)."""
    lines: list[Line] = []
    separators: list[str | None] = []
    if flow.turn == 4:
        regions = [[[s] for s in flow.segments]]
    else:
        watermarks = set_apart_watermarks(flow)
        regions = [*reading_order(flow.segments), [[s] for s in watermarks]]
    for rows in regions:
        written = [line for line in (write(row, glyphs, chars) for row in rows) if line.text]
        if not written:
            continue
        before = _separators(written)
        if lines and _runs_on(lines[-1], written[0]):
            before[0] = " "
        else:
            before[0] = "\n\n" if lines else None
        lines += written
        separators += before
    for k, separator in enumerate(separators):
        if separator == " ":
            separators[k] = _close_up(lines[k - 1], lines[k], seen)
    return lines, separators


def _close_up(last: Line, line: Line, seen: str) -> str:
    """What joins two lines of a paragraph; takes a hyphen away that only broke a word."""
    if ends_hyphenated(last.text):
        if not keeps_hyphen(last.text, line.text, seen):
            last.text = last.text[:-1]
            del last.sources[-1]
        return ""
    if last.text.endswith("-") and len(last.text) > 1 and last.text[-2].isalnum():
        return ""
    if is_unspaced(last.text[-1]) and is_unspaced(line.text[0]):
        return ""
    return " "


def _runs_on(last: Line, line: Line) -> bool:
    """Whether a paragraph goes on in the next column or band."""
    if abs(last.size - line.size) > 0.1 * max(last.size, line.size):
        return False
    if last.y1 < line.y1 < last.y1 + 60 and line.y1 - last.y1 > 1.75 * line.size:
        return False  # below it, but set apart
    if _ENDS_SENTENCE.search(last.text) or last.cells > 1 or line.cells > 1:
        return False
    return line.text[0].islower() or (ends_hyphenated(last.text) and line.text[0].isalpha())


def _separators(lines: list[Line]) -> list[str | None]:
    """What stands before each line of one region."""
    for k, line in enumerate(lines):
        if line.cells > 1 and not _is_row(line, lines[max(k - 1, 0) : k] + lines[k + 1 : k + 2]):
            line.as_prose()
    left = min(line.x0 for line in lines)
    right = max(line.x1 for line in lines)
    leads = sorted(b.y1 - a.y1 for a, b in pairwise(lines) if abs(a.size - b.size) < 0.1 * a.size)
    indented = sum(0.6 * line.size < line.x0 - left < 6 * line.size for line in lines)
    full = sum(line.x1 - line.x0 > 0.8 * (right - left) for line in lines)
    region = _Region(
        left,
        right,
        leads[len(leads) // 2] if len(leads) > 2 else None,
        hanging=len(lines) > 4 and indented > 0.5 * len(lines),
        ragged=len(lines) > 3 and full < 0.4 * len(lines),
    )
    result: list[str | None] = [None]
    for last, line in pairwise(lines):
        result.append(region.separator(last, line))
    return result


def _is_row(line: Line, neighbours: list[Line]) -> bool:
    """Whether a line with wide gaps is a row of a table and not a justified line of prose."""
    if line.cells > 2 or line.widest > 3 or not neighbours:
        return True
    second = line.starts[-1]
    return any(
        abs(second - start) < 0.6 * line.size for near in neighbours for start in near.starts[1:]
    )


@dataclass(frozen=True, slots=True)
class _Region:
    """What the lines of a region have in common.

    Attributes:
        left, right: its edges.
        usual: usual distance of two lines in letter heights, None where there are too few.
        hanging: paragraphs start at the margin and go on indented, as in bibliographies.
        ragged: most lines are far shorter than the longest: a list or a poem, no prose.
    """

    left: float
    right: float
    usual: float | None
    hanging: bool
    ragged: bool

    def separator(self, last: Line, line: Line) -> str:
        size = max(last.size, line.size)
        lead = line.y1 - last.y1
        limit = size * (max(1.3 * self.usual, 1.15) if self.usual else 1.75)
        if lead > limit or self._other_size(last, line):
            return "\n\n"
        if last.cells > 1 or line.cells > 1 or last.leader or line.leader:
            return "\n"
        ended = bool(_ENDS_SENTENCE.search(last.text))
        room = (last.x0 - self.left) if last.rtl else (self.right - last.x1)
        on_purpose = room > line.first_width + 1.5 * size
        if _ITEM.match(line.text) and (ended or on_purpose or _ITEM.match(last.text)):
            return "\n"
        if line.text[0].islower():
            return " "
        if self._new_paragraph(last, line, ended or on_purpose):
            return "\n\n"
        if self.ragged and room > 2 * size:
            return "\n"
        if on_purpose:
            return "\n\n" if ended else "\n"
        return " "

    def _other_size(self, last: Line, line: Line) -> bool:
        if len(line.text) < 4 or len(last.text) < 4:
            return False
        return line.size > 1.14 * last.tall or last.size > 1.14 * line.tall

    def _new_paragraph(self, last: Line, line: Line, may_end: bool) -> bool:
        if not may_end:
            return False
        size = max(last.size, line.size)
        indent, last_indent = (
            (self.right - one.x1) if one.rtl else (one.x0 - self.left) for one in (line, last)
        )
        if self.hanging:
            return indent < 0.5 * size < last_indent
        return last_indent < 0.5 * size and 0.7 * size < indent < 6 * size
