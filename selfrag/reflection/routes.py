"""The routers: where the graph goes next. Pure functions of the state and ``max_retries``.

    retrieval_decision --retrieve--> retrieve            --don't--> generator
                       --which document is meant is unclear--> END
    relevance_grader   --something relevant and new--> generator
                       --nothing, retries left--> increment_retry_for_retrieval, else END
    support_grader     --fully or partially--> usefulness_grader
                       --not, retries left--> increment_retry, else usefulness_grader
    usefulness_grader  --useful--> END
                       --not, retries left--> increment_retry_for_retrieval, else END
    query_rewriter     --a query not tried--> retrieve, else END

and of the other strategies, which grade nothing:

    retrieve           --something found--> generator, else END
    generator          --not yet criticised--> self_critique, else END
    self_critique      --not passed--> increment_retry, else END

A route to a retry is taken only where the retry could change something; ``dead_end`` says that
it could not.
"""

from collections.abc import Callable
from typing import Literal

from selfrag.reflection.grades import Support
from selfrag.reflection.state import State

END = "__end__"


def after_retrieval_decision(state: State) -> Literal["retrieve", "generator", "__end__"]:
    """Look in the documents, or answer without them; neither where it is unclear in which."""
    if state.get("unclear"):
        return "__end__"
    return "retrieve" if state["decision"].retrieve else "generator"


def after_relevance_grader(
    state: State, max_retries: int
) -> Literal["generator", "increment_retry_for_retrieval", "__end__"]:
    """Write from what is relevant; with nothing new to write from, search on or give up."""
    relevant = tuple(state["relevant"])
    if relevant and relevant not in state.get("written_from", []):
        return "generator"
    return _search_again(state, max_retries)


def after_support_grader(
    state: State, max_retries: int
) -> Literal["usefulness_grader", "increment_retry"]:
    """Write again where the answer is not backed and another attempt would be told something."""
    support = state["attempts"][-1].support
    not_backed = support is not None and support.label is Support.NOT
    if not_backed and state.get("retries", 0) < max_retries and not _repeats(state):
        return "increment_retry"
    return "usefulness_grader"


def after_usefulness_grader(
    state: State, max_retries: int
) -> Literal["increment_retry_for_retrieval", "__end__"]:
    """Search again where the answer misses the question. A grade not had is no reason to."""
    usefulness = state["attempts"][-1].usefulness
    if not state["decision"].retrieve or usefulness is None or usefulness.useful is not False:
        return "__end__"
    return _search_again(state, max_retries)


def after_retrieve(state: State) -> Literal["generator", "__end__"]:
    """Write where anything was found: an empty context would be answered from memory."""
    return "generator" if state["latest"] else "__end__"


def after_draft(state: State) -> Literal["self_critique", "__end__"]:
    """The first attempt is criticised; the one that mends it is the last."""
    return "self_critique" if len(state["attempts"]) == 1 else "__end__"


def after_self_critique(state: State) -> Literal["increment_retry", "__end__"]:
    """Refine what did not pass. A critique that could not be had is no reason to."""
    critique = state["attempts"][-1].critique
    refine = critique is not None and critique.passed is False
    return "increment_retry" if refine else "__end__"


def after_query_rewriter(state: State) -> Literal["retrieve", "__end__"]:
    """Search with the new query where there is one."""
    return "retrieve" if state.get("query") else "__end__"


def weigh_first(router: Callable[[State], str], state: State) -> str:
    """The same way, but a statement that was looked up is weighed before the end."""
    way = router(state)
    return "claim_verdict" if way == END and state["decision"].retrieve else way


def _search_again(
    state: State, max_retries: int
) -> Literal["increment_retry_for_retrieval", "__end__"]:
    if state.get("retrieval_retries", 0) < max_retries and not state.get("dead_end"):
        return "increment_retry_for_retrieval"
    return "__end__"


def _repeats(state: State) -> bool:
    """Whether the last attempt only repeated an earlier one: told the same, it would again."""
    *earlier, last = state["attempts"]
    return any(
        attempt.answer == last.answer and attempt.passages == last.passages for attempt in earlier
    )
