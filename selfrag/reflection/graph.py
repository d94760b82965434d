"""The Self-RAG graph (Asai et al. 2023, arXiv:2310.11511) by prompting, over LangGraph.

    retrieval_decision -> retrieve -> relevance_grader -> generator -> support_grader
        -> usefulness_grader -> END

with the way back through ``increment_retry`` to the generator, and through
``increment_retry_for_retrieval`` and ``query_rewriter`` to another search. See ``routes``.
"""

from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph

from selfrag.reflection import nodes, routes
from selfrag.reflection.state import RunContext, State
from selfrag.reflection.structured import MAX_CALLS

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


def build_graph(max_retries: int) -> Any:
    """The compiled graph for a number of retries; it holds no state and may be shared."""
    graph = StateGraph(State, context_schema=RunContext)
    for name in (*NODES, *RETRIES):
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "retrieval_decision")
    graph.add_edge("retrieve", "relevance_grader")
    graph.add_edge("generator", "support_grader")
    graph.add_edge("increment_retry", "generator")
    graph.add_edge("increment_retry_for_retrieval", "query_rewriter")
    graph.add_conditional_edges(
        "retrieval_decision", routes.after_retrieval_decision, ["retrieve", "generator"]
    )
    graph.add_conditional_edges("query_rewriter", routes.after_query_rewriter, ["retrieve", END])
    for router, targets in (
        (routes.after_relevance_grader, ["generator", "increment_retry_for_retrieval", END]),
        (routes.after_support_grader, ["usefulness_grader", "increment_retry"]),
        (routes.after_usefulness_grader, ["increment_retry_for_retrieval", END]),
    ):
        source = router.__name__.removeprefix("after_")
        graph.add_conditional_edges(source, partial(router, max_retries=max_retries), targets)
    return graph.compile()


def recursion_limit(max_retries: int) -> int:
    """The most steps that a run can take, and a few; what stands behind the routers' own bounds.

    A search round is at most four nodes besides the two retry nodes' ways, a writing round three.
    """
    searches = 1 + max_retries
    writings = searches + max_retries
    return 1 + 4 * searches + 4 * writings + 5


def max_llm_calls(max_retries: int, passages: int) -> int:
    """The most language model calls that one run can make.

    One decision, a grade for each passage of each search, a rewrite before each further search,
    and for each attempt the support and the usefulness; each of these grades may be asked for
    ``MAX_CALLS`` times where a reply cannot be used. And each attempt is written once.
    """
    searches = 1 + max_retries
    attempts = searches + max_retries
    grades = 1 + searches * passages + max_retries + 2 * attempts
    return MAX_CALLS * grades + attempts
