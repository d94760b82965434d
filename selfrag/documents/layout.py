"""From characters to segments: words that stand beside each other on one line.

A segment never crosses a gap as wide as a column gutter or the space between two cells of
a table, so that columns and rows can be found among segments (``columns``).

Text that runs downwards, upside down or upwards, and vertical Japanese or Chinese, is
turned first, so that all later steps see lines that run to the right and pages that run
down.
"""

from dataclasses import dataclass, field

import numpy as np

from selfrag.documents.glyphs import Glyphs
from selfrag.documents.normalise import is_rtl

#: A gap wider than this many times the letters' height ends a segment.
_SEGMENT_GAP = 0.75
#: A smaller gap than this between two letters is no space, even where pdfium made one up.
_NO_SPACE = 0.07
#: A larger one is a space, even where the file has none.
_SPACE = 0.3


@dataclass(slots=True)
class Segment:
    """Words on one line without a wide gap between them, in reading order.

    Attributes:
        x0, y0, x1, y1: box, turned so that text runs right.
        size: usual height of its letters.
        words: indices of each word's glyphs.
        letters: number of glyphs.
        rtl: whether most of its letters are of a right-to-left script.
        text: raw text, words separated by spaces.
        tall: height of its tallest letters.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    words: list[list[int]]
    letters: int
    rtl: bool
    text: str
    tall: float = 0.0

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Flow:
    """All segments of a page whose text runs the same way.

    Attributes:
        turn: see ``Glyphs.turn``; vertical writing counts as 1.
        width, height: of the page after turning.
    """

    turn: int
    width: float
    height: float
    segments: list[Segment] = field(default_factory=list)


def flows(glyphs: Glyphs, chars: list[str]) -> list[Flow]:
    """The page's segments by the way their text runs, the main one first.

    Args:
        glyphs: the page's characters.
        chars: the same as strings.
    """
    codes = glyphs.codes
    space = (codes <= 32) | (codes >= 0x110000) | ((codes >= 0x7F) & (codes <= 0xA0))
    space |= (codes == 0x1680) | ((codes >= 0x2000) & (codes <= 0x200B)) | (codes == 0x3000)
    space |= (codes == 0x2028) | (codes == 0x2029) | (codes == 0x202F) | (codes == 0x205F)
    ink = glyphs.keep & ~space
    found = []
    for turn in np.unique(glyphs.turn[ink]) if ink.any() else ():
        chosen = np.flatnonzero(ink & (glyphs.turn == turn))
        if turn == 0 and _vertical(codes[chosen], glyphs.boxes[chosen]):
            turn = 1
        found.append((len(chosen), int(turn), chosen))
    found.sort(key=lambda item: (-item[0], item[1]))
    return [_flow(glyphs, chars, space, turn, chosen) for _, turn, chosen in found]


def turned(
    boxes: np.ndarray, turn: int, width: float, height: float
) -> tuple[np.ndarray, float, float]:
    """``boxes`` (n, 4) of a page ``width`` by ``height``, turned so that text runs right."""
    x0, y0, x1, y1 = boxes.T
    if turn == 1:
        return np.stack([y0, width - x1, y1, width - x0], axis=1), height, width
    if turn == 2:
        return np.stack([width - x1, height - y1, width - x0, height - y0], axis=1), width, height
    if turn == 3:
        return np.stack([height - y1, x0, height - y0, x1], axis=1), height, width
    return boxes, width, height


def _vertical(codes: np.ndarray, boxes: np.ndarray) -> bool:
    """Whether most ideographs and kana follow each other downwards."""
    east = (codes >= 0x3000) & ((codes < 0xA000) | (codes >= 0xF900)) & (codes < 0x40000)
    pairs = np.flatnonzero(east[:-1] & east[1:])
    if len(pairs) < 4:
        return False
    a, b = boxes[pairs], boxes[pairs + 1]
    size = np.maximum(a[:, 3] - a[:, 1], 1e-6)
    beside = np.abs(b[:, 0] - a[:, 0]) < 0.3 * np.maximum(a[:, 2] - a[:, 0], 1e-6)
    below = (b[:, 1] - a[:, 1] > 0.5 * size) & (b[:, 1] - a[:, 1] < 2.5 * size)
    return float((beside & below).mean()) > 0.6


def _flow(
    glyphs: Glyphs, chars: list[str], space: np.ndarray, turn: int, chosen: np.ndarray
) -> Flow:
    boxes, width, height = turned(glyphs.boxes[chosen], turn, glyphs.width, glyphs.height)
    flow = Flow(turn, width, height)
    if not len(chosen):
        return flow
    x0, y0, x1, y1 = boxes.T
    tall = np.maximum(y1 - y0, 0.5)
    size = np.maximum(tall[:-1], tall[1:])
    gap = np.maximum(x0[1:] - x1[:-1], x0[:-1] - x1[1:])
    overlap = np.minimum(y1[1:], y1[:-1]) - np.maximum(y0[1:], y0[:-1])
    same_line = overlap > 0.5 * np.minimum(tall[:-1], tall[1:])
    if turn == 4:  # askew: only pdfium's own order makes sense
        same_line, gap = np.ones_like(same_line), np.minimum(gap, 0.5 * size)
    # glyphs that pdfium puts after each other although the later one lies far to the left
    # on the same line start a new segment too
    jumps_back = (x1[1:] < x0[:-1]) & (gap > 0.3 * size)
    new_segment = ~same_line | (gap > _SEGMENT_GAP * size)
    spaces = np.concatenate([[0], np.cumsum(space)])
    between = spaces[chosen[1:]] - spaces[chosen[:-1] + 1] > 0
    real = np.concatenate(
        [[0], np.cumsum(space & (glyphs.boxes[:, 2] - glyphs.boxes[:, 0] > 0.01))]
    )
    drawn = real[chosen[1:]] - real[chosen[:-1] + 1] > 0
    new_word = new_segment | (gap > _SPACE * size)
    new_word |= between & ((gap > _NO_SPACE * size) | drawn)

    word_starts = np.concatenate([[0], np.flatnonzero(new_word) + 1, [len(chosen)]])
    is_first = np.concatenate([[True], new_segment])
    firsts = np.flatnonzero(is_first[word_starts[:-1]])
    bounds = [*firsts.tolist(), len(word_starts) - 1]
    starts = word_starts.tolist()
    sources = chosen.tolist()
    backwards = np.concatenate([[False], jumps_back])
    edges = np.array([starts[i] for i in bounds[:-1]])
    left, right = np.minimum.reduceat(x0, edges).tolist(), np.maximum.reduceat(x1, edges).tolist()
    top, bottom = np.minimum.reduceat(y0, edges).tolist(), np.maximum.reduceat(y1, edges).tolist()
    tallest = np.maximum.reduceat(tall, edges).tolist()
    heights = tall.tolist()
    for k in range(len(bounds) - 1):
        a, b = starts[bounds[k]], starts[bounds[k + 1]]
        words = [sources[starts[w] : starts[w + 1]] for w in range(bounds[k], bounds[k + 1])]
        if len(words) > 5 and sum(len(w) == 1 for w in words) > 0.3 * len(words):
            words = _respaced(words, boxes[a:b], drawn[a : b - 1])
        text = " ".join("".join([chars[i] for i in w]) for w in words)
        rtl = not text.isascii() and 2 * sum(map(is_rtl, text)) > len(text.replace(" ", ""))
        if not rtl and len(words) > 1 and backwards[a:b][1:].any():
            words.sort(key=lambda w: glyphs.boxes[w[0], 0] if turn == 0 else 0)
            text = " ".join("".join([chars[i] for i in w]) for w in words)
        flow.segments.append(
            Segment(
                left[k],
                top[k],
                right[k],
                bottom[k],
                sorted(heights[a:b])[(b - a) // 2],
                words,
                b - a,
                rtl,
                text,
                tallest[k],
            )
        )
    return flow


def _respaced(words: list[list[int]], boxes: np.ndarray, drawn: np.ndarray) -> list[list[int]]:
    """Words of a line whose letters are set apart ("R e p o r t"), told by its widest gaps.

    Where letters stand at a fixed pitch the distance of their starts tells, not the gap.
    """
    size = float(np.median(boxes[:, 3] - boxes[:, 1]))
    if drawn.mean() > 0.3:  # the file itself says that these are words of one letter
        return words
    pitch = np.abs(np.diff(boxes[:, 0]))
    usual = float(np.median(pitch))
    if (np.abs(pitch - usual) < 0.04 * usual).mean() > 0.6:
        new_word = pitch > 1.3 * usual
    else:
        gap = np.maximum(boxes[1:, 0] - boxes[:-1, 2], boxes[:-1, 0] - boxes[1:, 2])
        middle = float(np.median(gap))
        new_word = gap > max(1.8 * middle, middle + 0.1 * size)
    result: list[list[int]] = [[]]
    flat = [i for w in words for i in w]
    for k, index in enumerate(flat):
        if k and (new_word[k - 1] or drawn[k - 1]):
            result.append([])
        result[-1].append(index)
    return result


def set_apart_watermarks(flow: Flow) -> list[Segment]:
    """Takes large letters that lie across smaller text out of the flow and returns them."""
    if len(flow.segments) < 3:
        return []
    usual = float(np.median([s.size for s in flow.segments]))
    large = [s for s in flow.segments if s.size > 1.6 * usual]
    found = [s for s in large if any(_lies_across(s, o) for o in flow.segments)]
    if found:
        flow.segments = [s for s in flow.segments if not any(s is f for f in found)]
    return found


def _lies_across(large: Segment, small: Segment) -> bool:
    if small.size > 0.7 * large.size:
        return False
    width = min(large.x1, small.x1) - max(large.x0, small.x0)
    height = min(large.y1, small.y1) - max(large.y0, small.y0)
    return width > 3 * small.size and height > 0.5 * small.size
