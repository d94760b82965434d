"""Reading order: which segments form a column, a full-width line or a row of a table.

A page is cut again and again:
1. where an empty vertical strip runs through a region and both sides read like columns of
   prose, the left side is read before the right (right before left for Arabic, Hebrew);
2. otherwise, where such a strip is only crossed by a few wide lines (titles, captions),
   these cut the region into bands, read from top to bottom;
3. what cannot be cut is read row by row; cells of a row stay together.

This is the recursive XY-cut (Nagy and Seth 1984), with wide lines taken out first, and a
test for tables, whose columns must not be read one after the other.
"""

from collections.abc import Iterable

import numpy as np

from selfrag.documents.layout import Segment

Row = list[Segment]

_GUTTER = 0.4  # least width of a gutter, in letter heights
_MOST_TRIED = 6  # strips looked at closely, those with fewest lines across first
_LEAST_LINES = 3  # a column has at least so many
_PROSE_LETTERS = 14  # half of a column's lines are at least that long
_PROSE_FILL = 0.45  # of the column's width that half of its lines fill


def reading_order(segments: list[Segment]) -> list[list[Row]]:
    """Regions of the page in reading order, each a list of rows from top to bottom."""
    regions: list[list[Row]] = []
    _cut(segments, regions, depth=0)
    return regions


def _cut(segments: list[Segment], regions: list[list[Row]], depth: int) -> None:
    if not segments:
        return
    if depth < 24 and len(segments) >= 2 * _LEAST_LINES:
        gutter = _best_gutter(segments)
        if gutter is not None:
            left = [s for s in segments if s.x1 <= gutter[0]]
            right = [s for s in segments if s.x0 >= gutter[1] and s.x1 > gutter[0]]
            wide = [s for s in segments if s.x0 < gutter[1] and s.x1 > gutter[0]]
            if not wide:
                first, second = (right, left) if _rtl(segments) else (left, right)
                _cut(first, regions, depth + 1)
                _cut(second, regions, depth + 1)
                return
            for band in _bands(wide, left + right):
                _cut(band, regions, depth + 1)
            return
    regions.append(_rows(segments))


def _rtl(segments: Iterable[Segment]) -> bool:
    return sum(s.letters if s.rtl else -s.letters for s in segments) > 0


def _best_gutter(segments: list[Segment]) -> tuple[float, float] | None:
    """Edges of the strip that fewest segments cross and that has prose on both sides."""
    starts = np.array([s.x0 for s in segments])
    ends = np.array([s.x1 for s in segments])
    size = float(np.median([s.size for s in segments]))
    need = _GUTTER * size
    last = float(ends.max())
    if last - starts.min() < 12 * size:
        return None
    near = np.unique(ends[ends < last - 3 * size])
    # the right edge of a column is the last of those that differ by less than a letter
    edges = near[np.diff(near, append=last) > 0.3 * size]
    crosses = (starts[None] < edges[:, None] + need - 0.01) & (ends[None] > edges[:, None] + 0.01)
    middles = edges[:, None] + need / 2
    # lines that only touch the strip with their edge: no gutter, but for a page number
    touches = (crosses & ~((starts[None] < middles) & (ends[None] > middles))).sum(axis=1)
    crossing = crosses.sum(axis=1)
    left = (ends[None] <= edges[:, None] + 0.01).sum(axis=1)
    right = len(segments) - crossing - left
    good = (touches <= max(1, 0.03 * len(segments))) & (crossing <= 0.4 * len(segments))
    good &= (left >= _LEAST_LINES) & (right >= _LEAST_LINES)
    candidates = np.flatnonzero(good)
    cost = crossing - 0.02 * np.minimum(left, right)
    for k in candidates[np.argsort(cost[candidates], kind="stable")][:_MOST_TRIED]:
        edge = float(edges[k])
        beside = [s for s in segments if s.x1 <= edge + 0.01]
        beyond = [s for s in segments if s.x0 >= edge + need - 0.01]
        if _side_by_side(beside, beyond):
            return edge + 0.01, edge + need - 0.01
    return None


def _side_by_side(left: list[Segment], right: list[Segment]) -> bool:
    """Whether ``left`` and ``right`` are columns of prose rather than cells of a table.

    Only lines that have something beside them count: the rest says nothing.
    """
    beside_left, beside_right = _facing(left, right), _facing(right, left)
    if len(beside_left) < _LEAST_LINES or len(beside_right) < _LEAST_LINES:
        return False
    return _prose(beside_left) and _prose(beside_right)


def _facing(some: list[Segment], others: list[Segment]) -> list[Segment]:
    top, bottom = min(s.y0 for s in others), max(s.y1 for s in others)
    return [s for s in some if s.y1 > top and s.y0 < bottom]


def _prose(segments: list[Segment]) -> bool:
    rows = _rows(segments)
    lengths = sorted(sum(s.letters for s in row) for row in rows)
    if lengths[len(lengths) // 2] < _PROSE_LETTERS * _density(segments):
        return False
    width = max(s.x1 for s in segments) - min(s.x0 for s in segments)
    fills = sorted(sum(s.x1 - s.x0 for s in row) / max(width, 1e-6) for row in rows)
    if fills[len(fills) // 2] < _PROSE_FILL:
        return False
    cells = sorted(len(row) for row in rows)
    if cells[len(cells) // 2] > 2 and len(rows) > 2 and not _columns_within(segments):
        return False
    digits = sum(c.isdigit() for s in segments for c in s.text)
    return digits < 0.4 * sum(s.letters for s in segments)


def _columns_within(segments: list[Segment]) -> bool:
    return _best_gutter(segments) is not None


def _density(segments: list[Segment]) -> float:
    """Ideographs say more per letter: half as many make a line of prose."""
    text = "".join(s.text for s in segments[:20])
    return 0.5 if sum(c > "\u2e80" for c in text) > len(text) / 2 else 1.0


def _bands(wide: list[Segment], others: list[Segment]) -> list[list[Segment]]:
    """Wide lines and what lies between them, from top to bottom."""
    bands: list[list[Segment]] = []
    rest = sorted(others, key=lambda s: s.middle)
    taken = 0
    run: list[Segment] = []
    for line in sorted(wide, key=lambda s: s.middle):
        above = []
        while taken < len(rest) and rest[taken].middle < line.middle - 0.3 * line.size:
            above.append(rest[taken])
            taken += 1
        if above:
            if run:
                bands.append(run)
                run = []
            bands.append(above)
        run.append(line)
        # what stands on the same line as a wide one is a part of it (an equation's number)
        while taken < len(rest) and rest[taken].middle < line.middle + 0.3 * line.size:
            run.append(rest[taken])
            taken += 1
    if run:
        bands.append(run)
    if taken < len(rest):
        bands.append(rest[taken:])
    return bands


def _rows(segments: list[Segment]) -> list[Row]:
    """Segments grouped by the line they stand on, each row in the order it is read."""
    rows: list[Row] = []
    bounds: list[tuple[float, float]] = []
    for s in sorted(segments, key=lambda s: (s.middle, s.x0)):
        placed = False
        for k in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            top, bottom = bounds[k]
            overlap = min(bottom, s.y1) - max(top, s.y0)
            tall = bottom - top, s.y1 - s.y0
            if overlap > 0.5 * min(tall) and max(tall) < 2.2 * min(tall):
                rows[k].append(s)
                if s.letters > max(o.letters for o in rows[k][:-1]):
                    bounds[k] = (s.y0, s.y1)
                placed = True
                break
        if not placed:
            rows.append([s])
            bounds.append((s.y0, s.y1))
    for row in rows:
        if _rtl(row):
            row.sort(key=lambda s: -s.x1)
        else:
            row.sort(key=lambda s: s.x0)
    return rows
