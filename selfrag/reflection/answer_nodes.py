"""The nodes that write an answer and check it. Each does one step and emits its events.

As in `selfrag.reflection.search_nodes`, a grade that could not be had is a value, not an error.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from langchain_core.runnables.config import ContextThreadPoolExecutor

from selfrag.reflection import events
from selfrag.reflection.cleaning import as_written
from selfrag.reflection.grades import (
    Support,
    SupportGrade,
    UsefulnessGrade,
    Verdict,
    VerdictGrade,
)
from selfrag.reflection.record import evidence_of
from selfrag.reflection.roles import Feedback
from selfrag.reflection.state import Attempt, State, passages_of
from selfrag.reflection.step import Run, step_of

MAX_ANSWER = 20_000  #: characters; a model that does not come to an end is cut off there
MAX_WRITING = 600.0  #: seconds of one attempt


def generator(state: State, runtime: Run) -> State:
    """Write an answer from the relevant passages, or from none where none were looked for."""
    context = runtime.context
    passages = passages_of(state, context.keep)
    feedback = state.get("feedback")
    attempts = state.get("attempts", [])
    number = len(attempts) + 1
    with step_of(runtime, "generator") as step:
        pieces: list[str] = []
        length = 0
        stream = context.writer.write(state["question"], passages, feedback)
        try:
            for piece in as_written(stream):
                context.check()
                pieces.append(piece)
                length += len(piece)
                runtime.stream_writer(
                    events.AnswerDelta(attempt=number, text=piece, at_s=round(context.elapsed(), 4))
                )
                if length > MAX_ANSWER or context.elapsed() - step.began > MAX_WRITING:
                    pieces.append(" …")
                    break
        finally:
            close = getattr(stream, "close", None)
            if close is not None:
                close()
        answer = "".join(pieces).strip()
        step.emit(
            events.Generated(
                attempt=number,
                answer=answer,
                mended=_told(feedback),
                prompt=context.writer.prompt(state["question"], passages, feedback),
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
    with step_of(runtime, "support_grader") as step:
        judge = context.judge
        usefulness: Callable[[], Any] = lambda: judge.grade_usefulness(question, answer, passages)  # noqa: E731
        if not state["decision"].retrieve:
            support = SupportGrade(Support.NOT_APPLICABLE, "answered without the documents")
            useful = usefulness()
        elif judge.is_language_model:
            # With the context of this thread: a traced run has the call in its trace.
            with ContextThreadPoolExecutor(max_workers=1) as beside:
                pending = beside.submit(usefulness)
                support = judge.grade_support(question, answer, passages)
                useful = pending.result()
            support = _consistent(support, useful)
        else:
            support = judge.grade_support(question, answer, passages)
            useful = usefulness()
        step.emit(
            events.SupportGraded(
                attempt=attempt.number,
                label=support.label,
                claim=context.shape.verdict,
                thought=support.thought,
                probability=support.probability,
                error=support.error,
                claims=[events.ClaimGrade(**asdict(claim)) for claim in support.claims],
            )
        )
    graded = replace(attempt, support=support, usefulness=useful)
    return {"attempts": [*state["attempts"][:-1], graded]}


def self_critique(state: State, runtime: Run) -> State:
    """Is the answer good as it stands? Asked once, of the strategy `critique`."""
    attempt = state["attempts"][-1]
    with step_of(runtime, "self_critique") as step:
        critique = runtime.context.judge.critique(
            state["question"], attempt.answer, attempt.passages
        )
        step.emit(events.SelfCritiqued(attempt=attempt.number, **asdict(critique)))
    return {"attempts": [*state["attempts"][:-1], replace(attempt, critique=critique)]}


def usefulness_grader(state: State, runtime: Run) -> State:
    """Does the answer answer the question?"""
    attempt = state["attempts"][-1]
    with step_of(runtime, "usefulness_grader") as step:
        grade = attempt.usefulness
        if grade is None:
            grade = runtime.context.judge.grade_usefulness(
                state["question"], attempt.answer, attempt.passages
            )
        step.emit(
            events.UsefulnessGraded(
                attempt=attempt.number, claim=runtime.context.shape.verdict, **asdict(grade)
            )
        )
    graded = replace(attempt, usefulness=grade)
    return {"attempts": [*state["attempts"][:-1], graded], "missing": grade.missing}


def claim_verdict(state: State, runtime: Run) -> State:
    """What the documents say of the statement, for and against."""
    context = runtime.context
    passages = passages_of(state, context.keep)
    with step_of(runtime, "claim_verdict") as step:
        if passages:
            grade = context.judge.grade_claim(state["question"], passages)
        else:
            grade = VerdictGrade(Verdict.NOT_ENOUGH, "Nothing that was found speaks of it.")
        step.emit(
            events.ClaimVerdict(
                verdict=grade.verdict,
                thought=grade.thought,
                probability=grade.probability,
                error=grade.error,
                evidence=evidence_of(grade, passages),
            )
        )
    return {"verdict": grade}


def increment_retry(state: State, runtime: Run) -> State:
    """Carry the claims that were not backed, or the critique, to the next attempt."""
    attempt = state["attempts"][-1]
    retry = state.get("retries", 0) + 1
    if attempt.critique is not None:
        feedback = Feedback(attempt.answer, critique=attempt.critique.thought)
    else:
        unsupported = attempt.support.unsupported if attempt.support else ()
        feedback = Feedback(attempt.answer, unsupported or (attempt.answer,))
    with step_of(runtime, "increment_retry") as step:
        step.emit(
            events.RetryCounted(
                retry=retry,
                of=runtime.context.max_retries,
                unsupported=list(feedback.unsupported),
                critique=feedback.critique,
            )
        )
    return {"retries": retry, "feedback": feedback}


def _consistent(support: SupportGrade, useful: UsefulnessGrade) -> SupportGrade:
    """An answer that is said to decline and to be useful does one of them: it was not checked.

    Small models take a short answer for none; with this grade it would be thrown away.
    """
    if support.label is not Support.NOT_APPLICABLE or not useful.useful:
        return support
    error = (
        "the judge contradicts itself: it says that the answer declines, and that it is useful. "
        "A larger JUDGE_MODEL usually does not"
    )
    return replace(support, label=Support.UNKNOWN, error=error)


def _told(feedback: Feedback | None) -> list[str]:
    """What an attempt was told to mend."""
    if feedback is None:
        return []
    return [feedback.critique] if feedback.critique else list(feedback.unsupported)
