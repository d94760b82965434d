"""The picture of the graph shows what the compiled graph is and the way that was gone."""

from langgraph.graph import END, START

from selfrag.palette import LIGHT
from selfrag.reflection.graph import build_graph
from selfrag.ui.graph_path import LABELS, dot, edges, way
from tests.reflection.scripted import make_run

STRAIGHT = [
    "retrieval_decision",
    "retrieve",
    "relevance_grader",
    "generator",
    "support_grader",
    "usefulness_grader",
]


def test_every_node_and_edge_of_the_compiled_graph_is_drawn():
    graph = build_graph(3).get_graph()
    assert set(LABELS) == set(graph.nodes)
    assert set(edges()) == {(edge.source, edge.target) for edge in graph.edges}
    drawn = dot((), False, LIGHT)
    assert all(f'"{source}" -> "{target}"' in drawn for source, target in edges())


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
