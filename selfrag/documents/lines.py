"""A printed line as text: its segments joined, normalised, with leaders shortened."""

import re
from dataclasses import dataclass

from selfrag.documents.columns import Row
from selfrag.documents.glyphs import Glyphs
from selfrag.documents.layout import Segment
from selfrag.documents.normalise import is_rtl, is_unspaced, mirrored, word

CELL_GAP = 1.0  #: least gap between two cells of a row, in letter heights
INSERTED = -1  #: the source of a character that no glyph stands for

_LEADER = re.compile(r"\s?(?:[.·…_‧]\s*){5,}")


@dataclass(slots=True)
class Line:
    """A line before it is joined to its neighbours.

    Attributes:
        text: normalised text; cells are two spaces apart.
        sources: the glyph of each character, or ``INSERTED``.
        x0, x1, y0, y1: box (turned, see ``Flow``), y of its main segment.
        cells: how many segments stand on it with wide gaps between.
        first_width: width of its first word.
        leader: whether dots lead to a page number.
        rtl: whether it is read from right to left.
    """

    text: str
    sources: list[int]
    x0: float
    x1: float
    y0: float
    y1: float
    size: float
    tall: float
    starts: tuple[float, ...]
    widest: float
    first_width: float
    leader: bool
    rtl: bool

    @property
    def cells(self) -> int:
        return len(self.starts)

    def as_prose(self) -> None:
        """Wide gaps of a justified line are spaces, not borders of cells."""
        kept = [i for i in range(len(self.text)) if self.text[i : i + 2] != "  "]
        self.text = "".join([self.text[i] for i in kept])
        self.sources = [self.sources[i] for i in kept]
        self.starts = self.starts[:1]


def write(row: Row, glyphs: Glyphs, chars: list[str]) -> Line:
    """The line that a row of segments makes; ``chars`` are all characters of the page."""
    text = ""
    sources: list[int] = []
    starts: list[float] = []
    widest = 0.0
    last: Segment | None = None
    for segment in row:
        part, origin = _segment(segment, glyphs, chars)
        if not part:
            continue
        if last is not None:
            gap = max(segment.x0 - last.x1, last.x0 - segment.x1)
            size = max(segment.size, last.size)
            separator = "  " if gap > CELL_GAP * size else " " if gap > 0.1 * size else ""
            widest = max(widest, gap / max(size, 1e-6))
            if separator == "  ":
                starts.append(segment.x0)
            text += separator
            sources.extend([INSERTED] * len(separator))
        if last is None:
            starts.append(segment.x0)
        text += part
        sources.extend(origin)
        last = segment
    text, sources, leader = _shorten_leaders(text, sources)
    main = max(row, key=lambda s: s.letters)
    first = row[0]
    width = first.x1 - first.x0
    word_length = len(first.text.split(maxsplit=1)[0]) if first.text.strip() else 1
    return Line(
        text,
        sources,
        min(s.x0 for s in row),
        max(s.x1 for s in row),
        main.y0,
        main.y1,
        main.size,
        max(s.tall for s in row),
        tuple(starts),
        widest,
        width * word_length / max(len(first.text), 1),
        leader,
        main.rtl,
    )


def _segment(segment: Segment, glyphs: Glyphs, chars: list[str]) -> tuple[str, list[int]]:
    if segment.text.isascii() and segment.text.isprintable():  # nothing to normalise
        plain: list[int] = []
        for indices in segment.words:
            plain += indices
            plain.append(INSERTED)
        return segment.text, plain[:-1]
    text: list[str] = []
    sources: list[int] = []
    for indices in segment.words:
        raw = "".join([chars[i] for i in indices])
        if any(map(is_rtl, raw)):
            indices = _letters_of_ligatures_turned(indices, glyphs, chars)
            raw = "".join([chars[i] for i in indices])
        part, origin = word(raw, indices)
        if not part:
            continue
        if text and not (_unspaced(text[-1], part) and _touch(glyphs, sources[-1], origin[0])):
            text.append(" ")
            sources.append(INSERTED)
        text.append(part)
        sources.extend(origin)
    joined = "".join(text)
    return (mirrored(joined) if segment.rtl else joined), sources


def _unspaced(left: str, right: str) -> bool:
    return is_unspaced(left[-1]) and is_unspaced(right[0])


def _touch(glyphs: Glyphs, a: int, b: int) -> bool:
    """Ideographs set wide apart in a justified line are still one text."""
    one, two = glyphs.boxes[a], glyphs.boxes[b]
    size = max(one[3] - one[1], two[3] - two[1])
    across = max(two[0] - one[2], one[0] - two[2])
    down = max(two[1] - one[3], one[1] - two[3])
    return bool(max(across, down) < 0.6 * size)


def _letters_of_ligatures_turned(indices: list[int], glyphs: Glyphs, chars: list[str]) -> list[int]:
    """Puts letters that share one glyph back in order.

    pdfium turns a right-to-left line round letter by letter, also inside a glyph that stands
    for several letters in logical order already (lam-alef, or a word given as ActualText).
    """
    boxes = glyphs.boxes
    result: list[int] = []
    k = 0
    while k < len(indices):
        end = k + 1
        while end < len(indices) and (boxes[indices[end]] == boxes[indices[k]]).all():
            end += 1
        group = indices[k:end]
        if len(group) > 1 and all(is_rtl(chars[i]) for i in group):
            group = group[::-1]
        result.extend(group)
        k = end
    return result


def _shorten_leaders(text: str, sources: list[int]) -> tuple[str, list[int], bool]:
    """Rows of dots become one ellipsis: they tell a search nothing and fill chunks."""
    if ".." not in text and ". ." not in text and "__" not in text and "…" not in text:
        return text, sources, False
    parts: list[str] = []
    origin: list[int] = []
    at = 0
    for match in _LEADER.finditer(text):
        parts.append(text[at : match.start()])
        origin.extend(sources[at : match.start()])
        dot = next((s for s in sources[match.start() : match.end()] if s >= 0), INSERTED)
        more = match.end() < len(text)
        parts.append(" … " if more else " …")
        origin.extend([INSERTED, dot, INSERTED][: 3 if more else 2])
        at = match.end()
    if not at:
        return text, sources, False
    parts.append(text[at:])
    origin.extend(sources[at:])
    return "".join(parts), origin, True
