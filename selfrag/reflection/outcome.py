"""How a run ended: the attempt that is delivered and its status.

The best attempt is delivered (by support, then usefulness), not the last, and never as if it
had passed where it did not:

    no attempt, or unclear which document is meant      -> abstained
    documents were searched and the best is not backed  -> unsupported (also where it could not
                                                           be checked)
    it only says that the passages do not tell          -> abstained
    the best misses the question (usefulness 1 or 2)    -> abstained
    otherwise                                           -> answered (with a reason where it is not
                                                           sure that the question is)

The strategies `plain` and `critique` check no claim: their answers are delivered as not checked,
and a critique that was not passed, and not mended either, makes one unsupported. A verdict that
was had on a statement is an answer, unless it is that there is not enough evidence.
"""

from dataclasses import asdict

from selfrag.reflection.citing import Locate, cite
from selfrag.reflection.events import ClaimGrade, RunFinished, Status
from selfrag.reflection.grades import MISSES, Support, UsefulnessGrade, Verdict
from selfrag.reflection.record import evidence_of
from selfrag.reflection.state import Attempt, State, passages_of
from selfrag.reflection.strategy import USUAL, Shape, Strategy
from selfrag.wording import count


def conclude(state: State, locate: Locate, shape: Shape = USUAL) -> RunFinished:
    """The last event of a run that came to its end by itself, its retries left to the log."""
    return _with_verdict(_conclude(state, locate, shape), state)


def _conclude(state: State, locate: Locate, shape: Shape) -> RunFinished:
    attempts = state.get("attempts", [])
    if state.get("unclear"):
        return RunFinished(
            status="abstained",
            answer=state["dead_end"],
            support=Support.NOT_APPLICABLE,
            useful=None,
            retries=0,
            reason=state["decision"].thought,
            unclear=True,
        )
    if not attempts:
        return RunFinished(
            status="abstained",
            answer=_not_found(state, shape),
            support=Support.NOT_APPLICABLE,
            useful=None,
            retries=0,
            reason=state.get("dead_end")
            or f"nothing that was found is relevant to the {_kind(shape)}",
        )
    best = max(attempts, key=lambda attempt: attempt.rank)
    searched = state["decision"].retrieve
    if shape.strategy is Strategy.SELFRAG:
        status, reason = _judge(best, state, shape, searched=searched)
    else:
        status, reason = _unchecked(attempts, shape.strategy)
    support = best.support.label if best.support else Support.UNKNOWN
    if best.support is None and not searched:
        support = Support.NOT_APPLICABLE
    if status == "abstained":
        return RunFinished(
            status=status,
            answer=_not_found(state, shape),
            support=support,
            useful=False,
            retries=0,
            attempt=best.number,
            reason=reason,
        )
    answer, citations, removed = cite(best, locate)
    claims = best.support.claims if best.support else ()
    return RunFinished(
        status=status,
        answer=answer,
        support=support,
        useful=best.usefulness.useful if best.usefulness else None,
        retries=0,
        citations=citations,
        claims=[ClaimGrade(**asdict(claim)) for claim in claims],
        attempt=best.number,
        reason=reason,
        removed_citations=removed,
    )


def _with_verdict(end: RunFinished, state: State) -> RunFinished:
    """The end of a run on a statement, with its verdict and the sentences for and against."""
    grade = state.get("verdict")
    if grade is None or grade.verdict is None:
        return end
    passages = passages_of(state, len(state.get("relevant", [])))
    told: dict[str, object] = {
        "verdict": grade.verdict,
        "evidence": evidence_of(grade, passages),
    }
    told_of = grade.verdict is not Verdict.NOT_ENOUGH or (grade.evidence and grade.thought)
    if told_of and end.status == "abstained" and end.attempt:
        # The verdict was had where the written answer was not: it is what was asked for.
        told |= {"status": "answered", "answer": grade.thought}
    elif grade.thought and end.status == "answered" and end.support is not Support.PARTIALLY:
        # What is to be told of a statement is why it holds or not, not what was written of it.
        told["reason"] = grade.thought
    return end.model_copy(update=told)


def _unchecked(attempts: list[Attempt], strategy: Strategy) -> tuple[Status, str]:
    first = attempts[0].critique
    if strategy is Strategy.PLAIN or first is None:
        return "answered", "this strategy checks nothing"
    if len(attempts) > 1:
        return "answered", "written again after one critique, and not checked after that"
    if first.passed is None:
        return "answered", f"the critique could not be had: {first.error or 'no reply'}"
    if not first.passed:
        return "unsupported", first.thought or "it did not pass the critique"
    return "answered", "it passed one critique; its claims were not checked one by one"


def _judge(best: Attempt, state: State, shape: Shape, *, searched: bool) -> tuple[Status, str]:
    support, usefulness = best.support, best.usefulness
    if searched and (support is None or support.label is Support.UNKNOWN):
        why = support.error if support and support.error else "no grade was given"
        return "unsupported", f"whether the documents back the answer could not be checked: {why}"
    if searched and support and support.label is Support.NOT:
        return "unsupported", "the documents do not back this answer"
    if searched and support and support.label is Support.NOT_APPLICABLE:
        return "abstained", "what was found does not tell"
    if searched and usefulness and usefulness.useful is False and (usefulness.score or 0) <= MISSES:
        return "abstained", _missed(usefulness, state, shape)
    if support and support.label is Support.PARTIALLY:
        return "answered", "part of the answer is not backed by the documents"
    if searched and usefulness and usefulness.useful is False:
        return "answered", f"{_lacking(usefulness)}; {_no_more(state)}"
    if searched and usefulness and usefulness.useful is None:
        why = usefulness.error or "no grade was given"
        return "answered", f"whether it answers the question could not be checked: {why}"
    if usefulness and usefulness.perhaps:
        return "answered", usefulness.thought
    return "answered", ""


def _lacking(usefulness: UsefulnessGrade) -> str:
    return usefulness.thought.strip().rstrip(".") or "something that was asked for is missing"


def _missed(usefulness: UsefulnessGrade, state: State, shape: Shape) -> str:
    does = "speak of" if shape.verdict else "answer"
    why = usefulness.thought.strip() or f"what was found does not {does} the {_kind(shape)}"
    return f"{why.rstrip('.')}; {_no_more(state)}" if state.get("dead_end") else why


def _no_more(state: State) -> str:
    """Why the search did not go on for the rest of the answer."""
    if state.get("dead_end"):
        return "another search could change nothing"
    further = state.get("retrieval_retries", 0)
    if not further:
        return "no retry of the search is allowed"
    return f"{count(further, 'further search', 'further searches')} found nothing better"


def _not_found(state: State, shape: Shape) -> str:
    tried = state.get("tried", [])
    searched = "; ".join(f"“{query}”" for query in tried)
    does = "speak of" if shape.verdict else "answer"
    return f"Your documents do not seem to {does} this. Searched for: {searched}."


def _kind(shape: Shape) -> str:
    """What was asked."""
    return "statement" if shape.verdict else "question"
