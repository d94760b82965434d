"""The nodes of the graph. Each does one step and emits the events that tell of it.

A node never raises for a grade that could not be had; what it raises (a fatal ``ModelError``,
``Stopped``) ends the run.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Any

from langgraph.runtime import Runtime

from selfrag.reflection import events
from selfrag.reflection.grades import (
    RelevanceGrade,
    Support,
    SupportGrade,
)
from selfrag.reflection.roles import Feedback
from selfrag.reflection.state import Attempt, RunContext, State, number_passages, passages_of
from selfrag.retrieval.result import Hit, Retrieval

Run = Runtime[RunContext]


@dataclass(slots=True)
class _Step:
    """Stamps the events of one step with its time, its length and what it cost."""

    runtime: Run
    began: float
    before: Any

    def emit(self, event: Any) -> None:
        context = self.runtime.context
        now = context.elapsed()
        self.runtime.stream_writer(
            event.model_copy(
                update={
                    "at_s": round(now, 4),
                    "seconds": round(now - self.began, 4),
                    "usage": _difference(context.usage(), self.before),
                }
            )
        )


@contextmanager
def _step(runtime: Run, node: str) -> Iterator[_Step]:
    context = runtime.context
    context.check()
    began = context.elapsed()
    runtime.stream_writer(events.StepStarted(node=node, at_s=round(began, 4)))
    yield _Step(runtime, began, context.usage())
    context.check()


def retrieval_decision(state: State, runtime: Run) -> State:
    """Does the question need the documents? The first search runs while that is decided."""
    context = runtime.context
    with _step(runtime, "retrieval_decision") as step:
        if context.judge.is_language_model:
            context.search_ahead(state["question"])
        decision = context.judge.decide_retrieval(state["question"])
        step.emit(
            events.RetrievalDecided(
                retrieve=decision.retrieve, thought=decision.thought, error=decision.error
            )
        )
    return {"decision": decision, "query": state["question"]}


def retrieve(state: State, runtime: Run) -> State:
    """Search with the current query; what earlier searches found is kept beside it."""
    query = state["query"] or state["question"]
    with _step(runtime, "retrieve") as step:
        retrieval = runtime.context.searched(query)
        found = dict(state.get("found", {}))
        new = [hit for hit in retrieval.hits if hit.parent_id not in found]
        found.update({hit.parent_id: hit for hit in new})
        step.emit(_retrieved(retrieval, len(new)))
    return {
        "found": found,
        "latest": [hit.parent_id for hit in retrieval.hits],
        "tried": [*state.get("tried", []), query],
    }


def relevance_grader(state: State, runtime: Run) -> State:
    """Grade what has not been graded yet, and choose what the writer will be given."""
    context = runtime.context
    grades = dict(state.get("grades", {}))
    with _step(runtime, "relevance_grader") as step:
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
                    _passage_grade(hit, grades[hit.parent_id], hit.parent_id in earlier)
                    for hit in hits
                ]
            )
        )
    return {"grades": grades, "relevant": _choose(state["latest"], state, grades)[: context.keep]}


def generator(state: State, runtime: Run) -> State:
    """Write an answer from the relevant passages, or from none where none were looked for."""
    context = runtime.context
    passages = passages_of(state, context.keep)
    feedback = state.get("feedback")
    attempts = state.get("attempts", [])
    number = len(attempts) + 1
    with _step(runtime, "generator") as step:
        pieces: list[str] = []
        stream = context.writer.write(state["question"], passages, feedback)
        try:
            for piece in stream:
                context.check()
                pieces.append(piece)
                runtime.stream_writer(
                    events.AnswerDelta(attempt=number, text=piece, at_s=round(context.elapsed(), 4))
                )
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
        answer = "".join(pieces).strip()
        step.emit(
            events.Generated(
                attempt=number,
                answer=answer,
                mended=list(feedback.unsupported) if feedback else [],
                context=[
                    events.ContextPassage(
                        number=passage.number,
                        chunk_id=passage.hit.chunk_id,
                        document_id=passage.hit.document_id,
                        document=passage.hit.document,
                        page=passage.hit.page,
                        relevance=round(passage.relevance, 4),
                        text=passage.text,
                    )
                    for passage in passages
                ],
            )
        )
    return {
        "attempts": [*attempts, Attempt(number, answer, passages)],
        "written_from": [*state.get("written_from", []), tuple(state.get("relevant", []))],
        "feedback": None,
    }


def support_grader(state: State, runtime: Run) -> State:
    """Is every claim backed? Usefulness is asked at the same time and told by the next node."""
    context = runtime.context
    attempt = state["attempts"][-1]
    question, answer, passages = state["question"], attempt.answer, attempt.passages
    with _step(runtime, "support_grader") as step:
        judge = context.judge
        usefulness: Callable[[], Any] = lambda: judge.grade_usefulness(question, answer, passages)  # noqa: E731
        if not state["decision"].retrieve:
            support = SupportGrade(Support.NOT_APPLICABLE, "answered without the documents")
            useful = usefulness()
        elif judge.is_language_model:
            with ThreadPoolExecutor(max_workers=1) as beside:
                pending = beside.submit(usefulness)
                support = judge.grade_support(question, answer, passages)
                useful = pending.result()
        else:
            support = judge.grade_support(question, answer, passages)
            useful = usefulness()
        step.emit(
            events.SupportGraded(
                attempt=attempt.number,
                label=support.label,
                thought=support.thought,
                probability=support.probability,
                error=support.error,
                claims=[events.ClaimGrade(**asdict(claim)) for claim in support.claims],
            )
        )
    graded = replace(attempt, support=support, usefulness=useful)
    return {"attempts": [*state["attempts"][:-1], graded]}


def usefulness_grader(state: State, runtime: Run) -> State:
    """Does the answer answer the question?"""
    attempt = state["attempts"][-1]
    with _step(runtime, "usefulness_grader") as step:
        grade = attempt.usefulness
        if grade is None:
            grade = runtime.context.judge.grade_usefulness(
                state["question"], attempt.answer, attempt.passages
            )
        step.emit(events.UsefulnessGraded(attempt=attempt.number, **asdict(grade)))
    graded = replace(attempt, usefulness=grade)
    return {"attempts": [*state["attempts"][:-1], graded], "missing": grade.missing}


def increment_retry(state: State, runtime: Run) -> State:
    """Carry the claims that were not backed to the next attempt."""
    attempt = state["attempts"][-1]
    unsupported = attempt.support.unsupported if attempt.support else ()
    retry = state.get("retries", 0) + 1
    with _step(runtime, "increment_retry") as step:
        step.emit(
            events.RetryCounted(
                retry=retry, of=runtime.context.max_retries, unsupported=list(unsupported)
            )
        )
    return {
        "retries": retry,
        "feedback": Feedback(attempt.answer, unsupported or (attempt.answer,)),
    }


def increment_retry_for_retrieval(state: State, runtime: Run) -> State:
    """Carry what was missing to the query rewriter."""
    retry = state.get("retrieval_retries", 0) + 1
    missing = state.get("missing", "")
    with _step(runtime, "increment_retry_for_retrieval") as step:
        step.emit(
            events.RetrievalRetryCounted(
                retry=retry, of=runtime.context.max_retries, missing=missing
            )
        )
    return {"retrieval_retries": retry}


def query_rewriter(state: State, runtime: Run) -> State:
    """A query that was not tried yet, or the end of searching."""
    context = runtime.context
    with _step(runtime, "query_rewriter") as step:
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
    dead_end = "" if query else "no other way to put the question to the search was found"
    return {"query": query, "dead_end": dead_end}


def _choose(latest: list[str], state: State, grades: dict[str, RelevanceGrade]) -> list[str]:
    """Relevant passages of all searches, the latest first; those without a grade come last."""
    order = [*latest, *(item for item in state["found"] if item not in latest)]
    yes = [item for item in order if item in grades and grades[item].relevant]
    unknown = [item for item in order if item in grades and grades[item].relevant is None]
    return [*yes, *unknown]


def _passage_grade(hit: Hit, grade: RelevanceGrade, earlier: bool) -> events.PassageGrade:
    return events.PassageGrade(
        chunk_id=hit.chunk_id,
        document=hit.document,
        page=hit.page,
        earlier=earlier,
        **asdict(grade),
    )


def _retrieved(retrieval: Retrieval, new: int) -> events.Retrieved:
    widest = next(
        (retrieval.lists[name] for name in ("fusion", "dense", "bm25") if name in retrieval.lists),
        (),
    )
    return events.Retrieved(
        query=retrieval.query,
        mode=retrieval.mode.value,
        hits=[
            events.FoundPassage(
                rank=hit.rank,
                chunk_id=hit.chunk_id,
                parent_id=hit.parent_id,
                document_id=hit.document_id,
                document=hit.document,
                page=hit.page,
                text=hit.text,
                heading=hit.heading,
                scores={name: asdict(score) for name, score in hit.scores.items()},
            )
            for hit in retrieval.hits
        ],
        stages=[asdict(stage) for stage in retrieval.stages],
        new=new,
        candidates=len(widest),
        documents=len({hit.document_id for hit in retrieval.hits}),
    )


def _difference(after: Any, before: Any) -> events.StepUsage | None:
    if after.llm_calls == before.llm_calls:
        return None
    return events.StepUsage(
        llm_calls=after.llm_calls - before.llm_calls,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        estimated=after.estimated,
    )


def _normal(query: str) -> str:
    return " ".join(query.casefold().split()).strip(" ?!.")
