"""The graph that a run was built with, and the way it went: the facts behind every picture of it.

Nodes and edges come from the compiled graph, the way taken from the run's events, so that no
picture can show a step that is not there or a way that was not gone.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from langgraph.graph import END, START

from selfrag.reflection.folding import RunView
from selfrag.reflection.graph import build_graph
from selfrag.reflection.story import DOING
from selfrag.reflection.strategy import USUAL, RetrievalPolicy, Shape, Strategy

Edge = tuple[str, str]

LABELS = {
    START: "Question",
    "question_rewritten": "Follow-up question",
    "retrieval_decision": "Are documents needed?",
    "retrieve": "Search",
    "relevance_grader": "Keep what is relevant",
    "generator": "Write",
    "self_critique": "Does it stand?",
    "support_grader": "Is every claim backed?",
    "usefulness_grader": "Does it answer?",
    "claim_verdict": "For or against?",
    "increment_retry": "Write again",
    "increment_retry_for_retrieval": "Search again",
    "query_rewriter": "Other words",
    END: "Answer",
}
_BESIDE = (
    ("query_rewriter", "relevance_grader"),
    ("increment_retry_for_retrieval", "usefulness_grader"),
    ("increment_retry", "support_grader"),
    ("increment_retry", "self_critique"),
)


def shape_of(view: RunView) -> Shape:
    """The shape of a run's graph, from its log; the usual one where that says nothing."""
    started = view.started
    if started is None or started.strategy not in set(Strategy):
        return USUAL
    known = set(RetrievalPolicy)
    return Shape(
        Strategy(started.strategy),
        RetrievalPolicy(started.retrieval) if started.retrieval in known else USUAL.retrieval,
        "question_rewritten" in view.nodes,
        started.claim,
        started.language_model,
    )


@lru_cache(maxsize=32)
def edges(shape: Shape = USUAL) -> tuple[Edge, ...]:
    """The edges of the compiled graph, those of the straight way first."""
    rank = {name: position for position, name in enumerate(LABELS)}
    found = {(edge.source, edge.target) for edge in build_graph(1, shape).get_graph().edges}
    return tuple(sorted(found, key=lambda edge: (rank[edge[0]], rank[edge[1]])))


def names(shape: Shape = USUAL) -> list[str]:
    """The nodes of the compiled graph, from the question to the answer."""
    there = {name for edge in edges(shape) for name in edge}
    return [name for name in LABELS if name in there]


def spine(shape: Shape = USUAL) -> list[str]:
    """The nodes of the straight way, in order."""
    aside = beside(shape)
    return [name for name in names(shape) if name not in aside]


def beside(shape: Shape = USUAL) -> dict[str, str]:
    """What stands beside the straight way, each with the node at whose height it stands."""
    there = set(names(shape))
    return {name: partner for name, partner in _BESIDE if {name, partner} <= there}


def way(nodes: Sequence[str], finished: bool, shape: Shape = USUAL) -> Counter[Edge]:
    """How often each edge was gone."""
    route = [START, *nodes, *([END] if finished else [])] if nodes else []
    known = set(edges(shape))
    return Counter(step for step in pairwise(route) if step in known)


def way_in_words(nodes: Sequence[str]) -> str:
    """The way for someone who can't see the picture."""
    told = [LABELS.get(name, DOING.get(name, name)) for name in nodes]
    return ", then ".join(told) if told else "no question asked yet"
