"""The picture of the graph shows what the compiled graph is and the way that was gone."""

import re

import pytest
from langgraph.graph import END, START

from selfrag.palette import LIGHT
from selfrag.reflection.folding import RunView
from selfrag.reflection.graph import build_graph
from selfrag.reflection.pathway import beside, edges, names, shape_of, spine, way
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.ui.graph_path import dot
from tests.reflection.scripted import make_run

STRAIGHT = [
    "retrieval_decision",
    "retrieve",
    "relevance_grader",
    "generator",
    "support_grader",
    "usefulness_grader",
]


SHAPES = [
    Shape(strategy, retrieval, follow_up, claim)
    for strategy in Strategy
    for retrieval in RetrievalPolicy
    for follow_up in (False, True)
    for claim in (False, True)
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_node_and_edge_of_the_compiled_graph_is_drawn(shape: Shape):
    graph = build_graph(3, shape).get_graph()
    assert set(names(shape)) == set(graph.nodes)
    assert set(edges(shape)) == {(edge.source, edge.target) for edge in graph.edges}
    drawn = dot((), False, LIGHT, shape)
    assert all(f'"{source}" -> "{target}"' in drawn for source, target in edges(shape))
    assert set(spine(shape)) | set(beside(shape)) == set(graph.nodes)


def test_picture_is_of_the_graph_that_the_run_was_built_with():
    shape = Shape(Strategy.CRITIQUE, RetrievalPolicy.ALWAYS, refines=False)
    run = make_run(shape=shape)
    run.result(10)
    view = RunView.of(run.log.snapshot())
    assert shape_of(view) == shape
    assert sum(way(view.nodes, True, shape_of(view)).values()) == len(view.nodes) + 1


def test_way_of_a_real_run_consists_of_edges_that_exist():
    run = make_run()
    run.result(10)
    nodes = [event.node for event in run.log.snapshot() if event.step == "step_started"]
    assert nodes == STRAIGHT
    assert sum(way(nodes, True).values()) == len(nodes) + 1


def test_way_counts_what_was_gone_twice():
    nodes = [*STRAIGHT[:5], "increment_retry", *STRAIGHT[3:]]
    taken = way(nodes, True)
    assert taken["generator", "support_grader"] == 2
    assert taken["increment_retry", "generator"] == 1
    assert 'xlabel="2×"' in dot(nodes, True, LIGHT)


def test_run_under_way_has_not_arrived_and_shows_where_it_is():
    taken = way(STRAIGHT[:2], False)
    assert taken == {(START, "retrieval_decision"): 1, ("retrieval_decision", "retrieve"): 1}
    assert not any(target == END for _, target in taken)
    assert f'fillcolor="{LIGHT.path}"' in dot(STRAIGHT[:2], False, LIGHT)


def test_bare_graph_has_no_way():
    assert not way((), False)
    assert "style=solid" not in dot((), False, LIGHT)


def test_large_letters_are_broken_into_short_lines_and_say_the_same():
    plain, large = (dot((), False, LIGHT, large=it) for it in (False, True))
    assert 'label="Are documents needed?"' in plain
    assert r'label="Are documents\nneeded?"' in large
    assert large.replace("\\n", " ").count('label="') == plain.count('label="')
    sizes = [int(re.search(r"fontsize=(\d+)", it)[1]) for it in (plain, large)]
    assert sizes[1] > 1.5 * sizes[0]
