"""The nodes that find passages. Each does one step and emits the events that tell of it.

A node never raises for a grade that could not be had; what it raises (a fatal ``ModelError``,
``Stopped``) ends the run.
"""

from selfrag.models.overview import asks_for_one_overview
from selfrag.reflection import events
from selfrag.reflection.follow_up import by_itself
from selfrag.reflection.grades import RelevanceGrade, RetrievalDecision
from selfrag.reflection.record import passage_grade, retrieved
from selfrag.reflection.state import State, number_passages
from selfrag.reflection.step import Run, step_of
from selfrag.reflection.strategy import Strategy

#: What is answered where a question about one document could mean any of several.
WHICH = "Choose the document that you mean, as the only one to search in, and ask again."


def question_rewritten(state: State, runtime: Run) -> State:
    """Make a follow-up question self-contained; everything after it works with that one."""
    context = runtime.context
    original = state["question"]
    with step_of(runtime, "question_rewritten") as step:
        rewrite = context.judge.complete(original, context.history)
        question = rewrite.query or original
        step.emit(
            events.QuestionRewritten(
                original=original,
                question=question,
                changed=question != original,
                search_only=rewrite.search_only,
                thought=rewrite.thought,
                error=rewrite.error,
                turns=len(context.history),
            )
        )
    return {
        "question": original if rewrite.search_only else question,
        "query": question,
        "asked": original if question != original else "",
    }


def retrieval_decision(state: State, runtime: Run) -> State:
    """Does the question need the documents? The first search runs while that is decided."""
    context = runtime.context
    query = state["query"] or state["question"]
    with step_of(runtime, "retrieval_decision") as step:
        if (context.documents or 1) > 1 and asks_for_one_overview(state["question"]):
            thought = f"This asks about one document, and {context.documents} are searched."
            step.emit(events.RetrievalDecided(retrieve=False, thought=thought, unclear=True))
            decision = RetrievalDecision(False, thought)
            return {"decision": decision, "query": query, "dead_end": WHICH, "unclear": True}
        if context.judge.is_language_model:
            context.search_ahead(query)
        decision = context.judge.decide_retrieval(state["question"])
        step.emit(
            events.RetrievalDecided(
                retrieve=decision.retrieve,
                thought=decision.thought,
                error=decision.error,
                probability=decision.probability,
            )
        )
    return {"decision": decision, "query": query}


def retrieve(state: State, runtime: Run) -> State:
    """Search with the current query; what earlier searches found is kept beside it."""
    query = state["query"] or state["question"]
    with step_of(runtime, "retrieve") as step:
        retrieval = runtime.context.searched(query)
        found = dict(state.get("found", {}))
        new = [hit for hit in retrieval.hits if hit.parent_id not in found]
        found.update({hit.parent_id: hit for hit in new})
        step.emit(retrieved(retrieval, len(new)))
    latest = [hit.parent_id for hit in retrieval.hits]
    update: State = {
        "found": found,
        "latest": latest,
        "tried": [*state.get("tried", []), query],
    }
    if runtime.context.shape.strategy is not Strategy.SELFRAG:
        # Nothing is graded: what was found is what the writer gets.
        update["relevant"] = latest[: runtime.context.keep]
    return update


def relevance_grader(state: State, runtime: Run) -> State:
    """Grade what has not been graded yet, and choose what the writer will be given."""
    context = runtime.context
    grades = dict(state.get("grades", {}))
    with step_of(runtime, "relevance_grader") as step:
        hits = [state["found"][parent_id] for parent_id in state["latest"]]
        ungraded = [hit for hit in hits if hit.parent_id not in grades]
        earlier = {hit.parent_id for hit in hits} - {hit.parent_id for hit in ungraded}
        if ungraded:
            passages = number_passages(ungraded, {})
            given = context.judge.grade_relevance(state["question"], passages)
            grades.update(zip((hit.parent_id for hit in ungraded), given, strict=True))
        step.emit(
            events.RelevanceGraded(
                grades=[
                    passage_grade(hit, grades[hit.parent_id], hit.parent_id in earlier)
                    for hit in hits
                ]
            )
        )
    return {"grades": grades, "relevant": _choose(state["latest"], state, grades)[: context.keep]}


def increment_retry_for_retrieval(state: State, runtime: Run) -> State:
    """Carry what was missing to the query rewriter."""
    retry = state.get("retrieval_retries", 0) + 1
    missing = state.get("missing", "")
    with step_of(runtime, "increment_retry_for_retrieval") as step:
        step.emit(
            events.RetrievalRetryCounted(
                retry=retry, of=runtime.context.max_retries, missing=missing
            )
        )
    return {"retrieval_retries": retry}


def query_rewriter(state: State, runtime: Run) -> State:
    """A query that was not tried yet, or the end of searching."""
    context = runtime.context
    asked = state.get("asked", "")
    if asked and by_itself(asked) and _normal(asked) not in map(_normal, state["tried"]):
        return _by_itself(asked, state, runtime)
    with step_of(runtime, "query_rewriter") as step:
        hits = [state["found"][parent_id] for parent_id in state["latest"]]
        rewrite = context.judge.rewrite(
            state["question"],
            state["tried"],
            state.get("missing", ""),
            number_passages(hits, state["grades"]),
        )
        query = rewrite.query
        if query is not None and _normal(query) in {_normal(tried) for tried in state["tried"]}:
            query = None
        step.emit(
            events.QueryRewritten(
                query=query, thought=rewrite.thought, error=rewrite.error, tried=state["tried"]
            )
        )
    asked = "statement" if context.shape.verdict else "question"
    dead_end = "" if query else f"no other way to put the {asked} to the search was found"
    return {"query": query, "dead_end": dead_end}


def _by_itself(asked: str, state: State, runtime: Run) -> State:
    """Search for what the person wrote, without what the conversation had added to it.

    Where the conversation had changed what was asked, and not only what was searched for, nothing
    that was graded holds for it.
    """
    with step_of(runtime, "query_rewriter") as step:
        step.emit(
            events.QueryRewritten(
                query=asked,
                thought="Without the words that the conversation had added.",
                tried=state["tried"],
                by_itself=True,
            )
        )
    update: State = {"query": asked, "dead_end": "", "asked": ""}
    if asked != state["question"]:
        update |= {"question": asked, "grades": {}, "written_from": [], "missing": ""}
    return update


def _choose(latest: list[str], state: State, grades: dict[str, RelevanceGrade]) -> list[str]:
    """Relevant passages of all searches, the latest first; those without a grade come last."""
    order = [*latest, *(item for item in state["found"] if item not in latest)]
    yes = [item for item in order if item in grades and grades[item].relevant]
    unknown = [item for item in order if item in grades and grades[item].relevant is None]
    return [*yes, *unknown]


def _normal(query: str) -> str:
    return " ".join(query.casefold().split()).strip(" ?!.")
