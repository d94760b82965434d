"""How was this answered? A run in two or three plain sentences, for people who are not technical.

Folded from the log and from nothing else: what was looked for and where, what was put aside, what
had to be done again, who wrote, and whether every claim was backed.
"""

from selfrag.reflection.events import RetryCounted, RunFinished, RunStarted
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.wording import count, listed


def how_answered(view: RunView) -> str:
    """The account of a run that has ended; empty while it goes on."""
    if view.finished is None or view.started is None:
        return ""
    told = [
        _looked(view),
        _wrote(view),
        _checked(view, view.finished),
        _broken(view, view.finished),
    ]
    return " ".join(sentence for sentence in told if sentence)


def _looked(view: RunView) -> str:
    if not view.searches:
        # A run that was cut off with the application keeps its question, not its steps.
        return "Your documents were not searched." if view.nodes else ""
    times = len(view.searches)
    # What is read and graded are parents: another search may find one by another of its chunks.
    hits = [hit for search in view.searches for hit in search.hits]
    found = {hit.parent_id: hit.document_id for hit in hits}
    often = {1: "once", 2: "twice"}.get(times, f"{times} times")
    how = often if times == 1 else f"{often}, each time in other words"
    if not found:
        return f"Your documents were searched {how}, and nothing was found."
    where = f"{count(len(found), 'passage')} in {count(len(set(found.values())), 'document')}"
    return f"Your documents were searched {how}, which brought {where}{_put_aside(view, found)}."


def _put_aside(view: RunView, found: dict[str, str]) -> str:
    hits = (hit for search in view.searches for hit in search.hits)
    dropped = len(
        {
            hit.parent_id
            for hit in hits
            if (grade := view.grades.get(hit.chunk_id)) and grade.relevant is False
        }
    )
    if not dropped:
        return ""
    if dropped == len(found):
        asked = "statement" if view.started and view.started.claim else "question"
        return "; it does not help" if dropped == 1 else f"; none of them helps with the {asked}"
    return f"; {dropped} of them {'was' if dropped == 1 else 'were'} put aside as not to the point"


def _wrote(view: RunView) -> str:
    started, end = view.started, view.finished
    assert started is not None and end is not None
    written = view.generated.get(end.attempt or 0)
    if end.status == "abstained":
        return "So no answer is given, rather than a guess."
    if written is None:
        return ""
    passages = count(len(written.context), "passage")
    if not started.language_model and not written.context:
        return f"The reply says what can be asked; {_no_model(started)}."
    if not started.language_model:
        return f"The answer quotes sentences from {passages}; {_no_model(started)}."
    source = f"from {passages}" if written.context else "without your documents"
    return f"{started.writer} wrote the answer {source}{_again(view)}."


def _no_model(started: RunStarted) -> str:
    did = "wrote it" if started.judge_language_model else "was used"
    return f"no language model {did}"


def _again(view: RunView) -> str:
    retries = [it.because for it in view.stretches if isinstance(it.because, RetryCounted)]
    if not retries:
        return ""
    times = "again" if len(retries) == 1 else f"{len(retries)} times more"
    why = "of a critique" if any(it.critique for it in retries) else "some claim had no backing"
    return f", and {times} because {why}"


def _checked(view: RunView, end: RunFinished) -> str:
    if end.status in ("abstained", "stopped", "failed") or not view.generated:
        return ""
    claims = end.claims
    if not claims:
        if view.searches:
            return "Its claims were not checked one by one."
        return "It rests on no documents, so there is nothing to check."
    judge = view.started.judge if view.started and view.started.judge_language_model else ""
    by = f" by {judge}" if judge else ""
    kinds = [
        (Support.FULLY, "backed"),
        (Support.PARTIALLY, "partly backed"),
        (Support.NOT, "not backed"),
        (Support.UNKNOWN, "not to be decided"),
    ]
    counted = [(sum(claim.support is kind for claim in claims), words) for kind, words in kinds]
    there = [(number, words) for number, words in counted if number]
    total = len(claims)
    if len(there) == 1:
        which = "Its one claim" if total == 1 else f"All {total} claims"
        return f"{which} {'was' if total == 1 else 'were'} checked{by} and found {there[0][1]}."
    parts = listed([f"{number} {words}" for number, words in there])
    return f"Of its {total} claims, checked{by} one by one, {parts}."


def _broken(view: RunView, end: RunFinished) -> str:
    before = "everything was checked" if end.answer else "anything was written"
    if not view.nodes and end.status == "stopped":
        return (
            "It was stopped; none of its steps is kept."
            if end.stopped_by == "cut_off"
            else "It was stopped before anything was written."
        )
    return {
        "stopped": f"Then it was stopped, before {before}.",
        "failed": "Then something went wrong, and it ended.",
    }.get(end.status, "")
