"""How a run ended: the attempt that is delivered, its status, and its citations.

The best attempt is delivered (by support, then usefulness), not the last, and never as if it
had passed where it did not:

    no attempt                                          -> abstained
    documents were searched and the best is not backed  -> unsupported (also where it could not
                                                           be checked)
    it only says that the passages do not tell          -> abstained
    the best misses the question (usefulness 1 or 2)    -> abstained
    otherwise                                           -> answered
"""

import re
from collections.abc import Callable
from dataclasses import asdict

from selfrag.reflection.context import parse_citations
from selfrag.reflection.events import Citation, ClaimGrade, RunFinished, Status
from selfrag.reflection.grades import Claim, Support
from selfrag.reflection.roles import Passage
from selfrag.reflection.state import Attempt, State
from selfrag.retrieval.result import Hit

_MARK = re.compile(r"\[Doc (\d+)\]")
MISSES = 2  #: usefulness up to which an answer counts as missing the question

#: (hit, quote) -> page of the quote and its printed label
Locate = Callable[[Hit, str], tuple[int, str | None]]


def conclude(state: State, locate: Locate) -> RunFinished:
    """The last event of a run that came to its end by itself."""
    attempts = state.get("attempts", [])
    retries = state.get("retries", 0) + state.get("retrieval_retries", 0)
    if not attempts:
        return RunFinished(
            status="abstained",
            answer=_not_found(state),
            support=Support.NOT_APPLICABLE,
            useful=None,
            retries=retries,
            reason=state.get("dead_end") or "nothing that was found is relevant to the question",
        )
    best = max(attempts, key=lambda attempt: attempt.rank)
    status, reason = _judge(best, searched=state["decision"].retrieve)
    if status == "abstained":
        return RunFinished(
            status=status,
            answer=_not_found(state),
            support=best.support.label if best.support else Support.UNKNOWN,
            useful=False,
            retries=retries,
            attempt=best.number,
            reason=reason,
        )
    answer, citations, removed = cite(best, locate)
    claims = best.support.claims if best.support else ()
    return RunFinished(
        status=status,
        answer=answer,
        support=best.support.label if best.support else Support.UNKNOWN,
        useful=best.usefulness.useful if best.usefulness else None,
        retries=retries,
        citations=citations,
        claims=[ClaimGrade(**asdict(claim)) for claim in claims],
        attempt=best.number,
        reason=reason,
        removed_citations=removed,
    )


def cite(attempt: Attempt, locate: Locate) -> tuple[str, list[Citation], int]:
    """The answer with marks ``[1]``, ``[2]`` in order of appearance, what they point to, and how
    many marks named no passage and were removed."""
    parsed = parse_citations(attempt.answer, attempt.passages)
    by_number = {passage.number: passage for passage in attempt.passages}
    claims = attempt.support.claims if attempt.support else ()
    citations = []
    shown_as = {number: shown for shown, number in enumerate(parsed.numbers, start=1)}
    for number, shown in shown_as.items():
        passage = by_number[number]
        quote = _quote(passage, claims)
        page, label = locate(passage.hit, quote)
        citations.append(
            Citation(
                number=shown,
                chunk_id=passage.hit.chunk_id,
                document_id=passage.hit.document_id,
                document=passage.hit.document,
                page=page,
                label=label,
                quote=quote,
            )
        )
    answer = _MARK.sub(lambda mark: f"[{shown_as[int(mark[1])]}]", parsed.answer)
    return answer, citations, parsed.removed


def _judge(best: Attempt, *, searched: bool) -> tuple[Status, str]:
    support, usefulness = best.support, best.usefulness
    if searched and (support is None or support.label is Support.UNKNOWN):
        why = support.error if support and support.error else "no grade was given"
        return "unsupported", f"whether the documents back the answer could not be checked: {why}"
    if searched and support and support.label is Support.NOT:
        return "unsupported", "the documents do not back this answer"
    if searched and support and support.label is Support.NOT_APPLICABLE:
        return "abstained", "what was found does not tell"
    if searched and usefulness and usefulness.useful is False and (usefulness.score or 0) <= MISSES:
        return "abstained", usefulness.thought or "what was found does not answer the question"
    if support and support.label is Support.PARTIALLY:
        return "answered", "part of the answer is not backed by the documents"
    return "answered", ""


def _quote(passage: Passage, claims: tuple[Claim, ...]) -> str:
    """The words of the passage that back the answer; the child that was found where none are."""
    for claim in claims:
        if claim.document == passage.number and claim.quote:
            return claim.quote
    return passage.hit.text


def _not_found(state: State) -> str:
    tried = state.get("tried", [])
    searched = "; ".join(f"“{query}”" for query in tried)
    return f"Your documents do not seem to answer this. Searched for: {searched}."
