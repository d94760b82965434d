"""The path through the graph as SVG, laid out by hand: files that are shared can load no program.

The straight way is a column; what belongs to a retry stands right of it, and the ways past several
nodes run along the sides.
"""

from collections.abc import Sequence

from selfrag.reflection.pathway import LABELS, beside, edges, names, spine, way, way_in_words
from selfrag.reflection.strategy import USUAL, Shape
from selfrag.sharing.page import text

_WIDTH, _HEIGHT = 190, 34  #: of a node
_ROW = 62  #: from one node of the column to the next
_LEFT = 56  #: room for the ways that pass on the left
_COLUMNS = {
    "increment_retry": 1,
    "increment_retry_for_retrieval": 2,
    "query_rewriter": 2,
}
_GAP = 46  #: between two columns
_OFF = 6  #: from the middle of a node to where such a way leaves it
_LANE = 13  #: between two ways along the same side

Point = tuple[float, float]


class _Layout:
    """Where every node of a graph stands: its middle."""

    def __init__(self, shape: Shape) -> None:
        column = spine(shape)
        rows = {name: row for row, name in enumerate(column)}
        aside = beside(shape)
        self.middle: dict[str, Point] = {}
        for name in names(shape):
            row = rows[aside.get(name, name)]
            across = _COLUMNS.get(name, 0) if name in aside else 0
            x = _LEFT + _WIDTH / 2 + across * (_WIDTH + _GAP)
            self.middle[name] = (x, _HEIGHT / 2 + 4 + row * _ROW)
        self.right = max(x for x, _ in self.middle.values()) + _WIDTH / 2
        self.height = max(y for _, y in self.middle.values()) + _HEIGHT / 2 + 8
        self._lanes = 0

    def way(self, source: str, target: str) -> list[Point]:
        """The corners of the line from one node to another."""
        (x0, y0), (x1, y1) = self.middle[source], self.middle[target]
        half, tall = _WIDTH / 2, _HEIGHT / 2
        if x0 == x1 and 0 < y1 - y0 <= _ROW:
            return [(x0, y0 + tall), (x1, y1 - tall)]
        if y0 == y1:
            side = half if x1 > x0 else -half
            return [(x0 + side, y0), (x1 - side, y1)]
        if x0 == x1 and x0 > _LEFT + half:  # both beside: straight up
            return [(x0, y0 - tall), (x1, y1 + tall)]
        if x0 == x1:  # past other nodes, along the left
            self._lanes += 1
            lane = x0 - half - self._lanes * _LANE
            start, end, edge = y0 + _OFF, y1 - _OFF, x0 - half
            return [(edge, start), (lane, start), (lane, end), (edge, end)]
        if x1 > x0:  # to the right, then down from above
            return [(x0 + half, y0 + 8), (x1 - 20, y0 + 8), (x1 - 20, y1 - tall)]
        if y1 < y0:  # back up, then in from the right
            return [(x0, y0 - tall), (x0, y1 + 8), (x1 + half, y1 + 8)]
        lane = self.right + _LANE
        return [(x0 + half, y0), (lane, y0), (lane, y1), (x1 + half, y1)]


def path_svg(nodes: Sequence[str], finished: bool, shape: Shape = USUAL) -> str:
    """The graph with the way that was gone; colours come from the variables of the page."""
    taken = way(nodes, finished, shape)
    gone = {name for edge in taken for name in edge}
    layout = _Layout(shape)
    lines: list[str] = []
    arrows: list[str] = []
    for source, target in edges(shape):
        corners = layout.way(source, target)
        count = taken[source, target]
        kind = "gone" if count else "open"
        points = " ".join(f"{x:g},{y:g}" for x, y in corners)
        line = f'<polyline class="edge {kind}" points="{points}" marker-end="url(#{kind})"/>'
        (arrows if count else lines).append(line)
        if count > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            arrows.append(
                f'<text class="count" x="{(x0 + x1) / 2 + 6:g}" y="{(y0 + y1) / 2 - 5:g}">'
                f"{count}×</text>"
            )
    boxes = [_box(name, layout.middle[name], name in gone) for name in names(shape)]
    wide = layout.right + 2 * _LANE
    return (
        f'<svg class="path" viewBox="0 0 {wide:g} {layout.height:g}" role="img" '
        f'style="max-width:{wide:g}px" '
        f'aria-label="{text("The path through the graph: " + way_in_words(nodes))}">'
        f"<defs>{_marker('open')}{_marker('gone')}</defs>"
        f"{''.join(lines)}{''.join(arrows)}{''.join(boxes)}</svg>"
    )


def _box(name: str, middle: Point, gone: bool) -> str:
    x, y = middle
    kind = "gone" if gone else "open"
    return (
        f'<rect class="node {kind}" x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" rx="8"/>'
        f'<text class="label {kind}" x="{x:g}" y="{y + 4.5:g}">{text(LABELS[name])}</text>'
    )


def _marker(kind: str) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
        f'markerHeight="6" orient="auto"><path class="head {kind}" d="M0,0 L8,4 L0,8 z"/></marker>'
    )
