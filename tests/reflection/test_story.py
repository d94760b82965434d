"""Every step of every graph has its words, wherever they are looked up."""

import itertools

import pytest

from selfrag.reflection.explain import PURPOSE
from selfrag.reflection.graph import build_graph
from selfrag.reflection.story import DOING
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.ui.timeline import ICONS

SHAPES = [
    Shape(strategy, retrieval, True, True)
    for strategy, retrieval in itertools.product(Strategy, RetrievalPolicy)
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s.strategy}-{s.retrieval}")
def test_every_node_has_its_words_and_its_icon(shape: Shape):
    nodes = set(build_graph(2, shape).get_graph().nodes) - {"__start__", "__end__"}
    assert nodes <= set(DOING)
    steps = {node for node in nodes if not node.startswith("increment_")}
    assert steps <= set(PURPOSE)
    assert steps <= set(ICONS)
