"""The Self-RAG graph (Asai et al. 2023, arXiv:2310.11511) by prompting, over LangGraph.

    retrieval_decision -> retrieve -> relevance_grader -> generator -> support_grader
        -> usefulness_grader -> END

with the way back through ``increment_retry`` to the generator, and through
``increment_retry_for_retrieval`` and ``query_rewriter`` to another search. See ``routes``.
A follow-up question begins with ``question_rewritten``; a statement ends with
``claim_verdict``. The other strategies are built from the same nodes:

    plain       retrieve -> generator -> END
    critique    retrieve -> generator -> self_critique -> END or increment_retry -> generator
"""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from selfrag.reflection import answer_nodes, routes, search_nodes
from selfrag.reflection.state import RunContext, State
from selfrag.reflection.strategy import USUAL, Shape, Strategy

#: Of the usual graph: a question by itself, answered with the strategy `selfrag`.
NODES = (
    "retrieval_decision",
    "retrieve",
    "relevance_grader",
    "generator",
    "support_grader",
    "usefulness_grader",
    "query_rewriter",
)
RETRIES = ("increment_retry", "increment_retry_for_retrieval")


@lru_cache(maxsize=64)
def build_graph(max_retries: int, shape: Shape = USUAL) -> Any:
    """The compiled graph for a number of retries; it holds no state and may be shared."""
    graph = StateGraph(State, context_schema=RunContext)
    first = _begin(graph, shape)
    if shape.follow_up:
        graph.add_node("question_rewritten", search_nodes.question_rewritten)
        graph.add_edge("question_rewritten", first)
        first = "question_rewritten"
    graph.add_edge(START, first)
    graph.add_node("generator", answer_nodes.generator)
    match shape.strategy:
        case Strategy.PLAIN:
            graph.add_edge("generator", END)
        case Strategy.CRITIQUE:
            _criticise(graph, shape)
        case Strategy.SELFRAG:
            _reflect(graph, shape, max_retries)
    return graph.compile()


def _begin(graph: StateGraph[Any, Any, Any, Any], shape: Shape) -> str:
    """Add the decision and the search, as far as there are any; returns the first node."""
    if shape.searches:
        graph.add_node("retrieve", search_nodes.retrieve)
        if shape.strategy is not Strategy.SELFRAG:
            graph.add_conditional_edges("retrieve", routes.after_retrieve, ["generator", END])
    if not shape.decides:
        return "retrieve" if shape.searches else "generator"
    graph.add_node("retrieval_decision", search_nodes.retrieval_decision)
    graph.add_conditional_edges(
        "retrieval_decision", routes.after_retrieval_decision, ["retrieve", "generator", END]
    )
    return "retrieval_decision"


def _criticise(graph: StateGraph[Any, Any, Any, Any], shape: Shape) -> None:
    graph.add_node("self_critique", answer_nodes.self_critique)
    if not shape.refines:
        graph.add_edge("generator", "self_critique")
        graph.add_edge("self_critique", END)
        return
    graph.add_node("increment_retry", answer_nodes.increment_retry)
    graph.add_conditional_edges("generator", routes.after_draft, ["self_critique", END])
    graph.add_conditional_edges(
        "self_critique", routes.after_self_critique, ["increment_retry", END]
    )
    graph.add_edge("increment_retry", "generator")


def _reflect(graph: StateGraph[Any, Any, Any, Any], shape: Shape, max_retries: int) -> None:
    graph.add_node("support_grader", answer_nodes.support_grader)
    graph.add_node("usefulness_grader", answer_nodes.usefulness_grader)
    graph.add_edge("generator", "support_grader")
    if not shape.searches:
        graph.add_edge("support_grader", "usefulness_grader")
        graph.add_edge("usefulness_grader", END)
        return
    if shape.verdict:
        graph.add_node("claim_verdict", answer_nodes.claim_verdict)
        graph.add_edge("claim_verdict", END)
    for name in ("relevance_grader", "query_rewriter", "increment_retry_for_retrieval"):
        graph.add_node(name, getattr(search_nodes, name))
    graph.add_node("increment_retry", answer_nodes.increment_retry)
    graph.add_edge("retrieve", "relevance_grader")
    graph.add_edge("increment_retry", "generator")
    graph.add_edge("increment_retry_for_retrieval", "query_rewriter")
    for source, router, targets in _ways(max_retries):
        if shape.verdict and END in targets:
            router, targets = partial(routes.weigh_first, router), [*targets, "claim_verdict"]
        graph.add_conditional_edges(source, router, targets)


def _ways(max_retries: int) -> list[tuple[str, Callable[[State], str], list[str]]]:
    """Node, its router, and where that may lead."""
    after_relevance = partial(routes.after_relevance_grader, max_retries=max_retries)
    after_support = partial(routes.after_support_grader, max_retries=max_retries)
    after_usefulness = partial(routes.after_usefulness_grader, max_retries=max_retries)
    again = "increment_retry_for_retrieval"
    return [
        ("relevance_grader", after_relevance, ["generator", again, END]),
        ("support_grader", after_support, ["usefulness_grader", "increment_retry"]),
        ("usefulness_grader", after_usefulness, [again, END]),
        ("query_rewriter", routes.after_query_rewriter, ["retrieve", END]),
    ]


def recursion_limit(max_retries: int) -> int:
    """The most steps that a run can take, and a few; what stands behind the routers' own bounds.

    A search round is at most four nodes besides the two retry nodes' ways, a writing round three;
    a follow-up question and a statement add one each.
    """
    searches = 1 + max_retries
    writings = searches + max_retries
    return 3 + 4 * searches + 4 * writings + 5
