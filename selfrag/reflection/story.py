"""A run told in plain words: one sentence for each step, and a verdict on the answer.

The pages, the command line and the terminal client all tell it the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from selfrag.reflection import events, grades
from selfrag.reflection.events import Event, RunFinished
from selfrag.reflection.grades import Support
from selfrag.wording import capitalised

Tone = Literal["good", "fair", "bad"]

#: Stands at every answer that no language model wrote: where there is none, where there is one
#: that is not to write, and where a log of earlier versions doesn't tell.
NO_LANGUAGE_MODEL = "no language model configured: sentences quoted from your documents"
SET_TO_QUOTES = "the answers quote your documents: the writer is set to quotes"
_QUOTES = "the answers quote your documents: no language model writes them"

#: What a node is doing while it runs.
DOING = {
    "question_rewritten": "Reading the question together with the conversation",
    "retrieval_decision": "Deciding whether to look in your documents",
    "retrieve": "Searching your documents",
    "relevance_grader": "Reading what was found",
    "generator": "Writing an answer",
    "support_grader": "Checking every claim against the sources",
    "usefulness_grader": "Checking whether it answers the question",
    "self_critique": "Looking at the answer once more",
    "claim_verdict": "Weighing what speaks for and against the statement",
    "increment_retry": "Preparing another attempt",
    "increment_retry_for_retrieval": "Preparing another search",
    "query_rewriter": "Putting the question in other words",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer is headed: a title, its tone, and a remark on why or what to do."""

    title: str
    tone: Tone
    remark: str = ""


#: What heads the answer to a statement.
_VERDICTS: dict[grades.Verdict, tuple[str, Tone]] = {
    grades.Verdict.SUPPORTED: ("Your documents support this", "good"),
    grades.Verdict.REFUTED: ("Your documents speak against this", "bad"),
    grades.Verdict.NOT_ENOUGH: ("Neither supported nor refuted", "fair"),
}


def counted(number: int, thing: str) -> str:
    """``1 passage``, ``3 passages``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def spent(usage: events.StepUsage) -> str:
    """``3 calls, 1,200 tokens read, 50 written, $0.0012``; an unknown price is said to be one."""
    if not usage.llm_calls:
        return "not asked"
    about = "about " if usage.estimated else ""
    tokens = f"{about}{usage.input_tokens:,} tokens read, {usage.output_tokens:,} written"
    return f"{counted(usage.llm_calls, 'call')}, {tokens}, {price(usage.cost_usd)}"


def price(dollars: float | None) -> str:
    """``$0.0012``, ``$1.25``, ``price not known``."""
    if dollars is None:
        return "price not known"
    if not dollars:
        return "no cost"
    if dollars >= 1:
        return f"${dollars:,.2f}"
    return f"${dollars:.4f}" if dollars >= 0.001 else f"${dollars:.6f}"


def notice(log: Sequence[Event]) -> str | None:
    """What must stand at the answer about how it was written; None where nothing must."""
    started = log[0] if log else None
    if not isinstance(started, events.RunStarted) or started.language_model:
        return None
    said = {True: SET_TO_QUOTES, False: NO_LANGUAGE_MODEL, None: _QUOTES}
    return said[started.model_configured]


def tell(event: Event) -> str | None:
    """One sentence for an event that ends a step; None for the others."""
    match event:
        case events.QuestionRewritten(changed=True):
            return f"Understood as: “{event.question}”"
        case events.QuestionRewritten(error=str()):
            return "Could not relate the question to the conversation, so it is taken as it stands"
        case events.QuestionRewritten():
            return "The question stands by itself"
        case events.RetrievalDecided(error=str()):
            return "Could not decide whether to look, so your documents are searched"
        case events.RetrievalDecided(unclear=True):
            return "Searched nothing yet: it is not clear which document is meant"
        case events.RetrievalDecided(retrieve=True):
            return "Decided to look in your documents"
        case events.RetrievalDecided():
            return "Decided that your documents are not needed"
        case events.Retrieved():
            return _found(event)
        case events.RelevanceGraded():
            return _graded(event)
        case events.QueryRewritten(query=None):
            return "Found no other words to search with"
        case events.QueryRewritten(by_itself=True):
            return f"Searched for the question by itself: “{event.query}”"
        case events.QueryRewritten():
            return f"Searched again for “{event.query}”"
        case events.Generated(context=[]):
            return "Wrote an answer that rests on no documents"
        case events.Generated():
            again = "Wrote the answer again" if event.mended else "Wrote an answer"
            return f"{again} from {counted(len(event.context), 'passage')}"
        case events.SupportGraded():
            return _support(event)
        case events.UsefulnessGraded():
            return _useful(event)
        case events.SelfCritiqued():
            return _critique(event)
        case events.ClaimVerdict():
            return _verdict(event)
        case events.RetryCounted(critique=str(critique)) if critique:
            return f"Writing again, told what is wrong: {critique}"
        case events.RetryCounted():
            what = counted(len(event.unsupported), "claim")
            return f"Trying again, told which {what} had no backing ({event.retry} of {event.of})"
        case events.RetrievalRetryCounted():
            return f"Searching again for what is missing ({event.retry} of {event.of})"
    return None


def verdict(end: RunFinished) -> Verdict:
    """What to put at the head of an answer."""
    match end.status:
        case "abstained" if end.unclear:
            return Verdict("Which document do you mean?", "fair", _sentence(end.reason))
        case "abstained":
            return Verdict("Not found in your documents", "fair", _sentence(end.reason))
        case "failed":
            # The sentence of an error, which may begin with a model's name.
            return Verdict("This could not be answered", "bad", _ended(end.reason))
        case "stopped":
            return Verdict("Stopped", "fair", _sentence(end.reason))
        case "unsupported" if end.support is Support.UNKNOWN:
            # A critique that it did not pass, or a grade that could not be had.
            return Verdict("Answered, but not confirmed", "fair", _sentence(end.reason))
        case "unsupported":
            return Verdict("Not backed by your documents", "bad", _sentence(end.reason))
    if end.verdict is not None:
        return Verdict(*_VERDICTS[end.verdict], _sentence(end.reason))
    if end.support is Support.NOT_APPLICABLE:
        return Verdict("Answered without your documents", "fair")
    if end.support is Support.UNKNOWN:
        return Verdict("Answered, not checked", "fair", _sentence(end.reason))
    if end.support is Support.PARTIALLY:
        return Verdict("Partly grounded", "fair", _sentence(end.reason))
    if end.useful is False:
        return Verdict("Grounded, but only part of an answer", "fair", _sentence(end.reason))
    if end.useful is None:
        return Verdict("Grounded, but not checked as an answer", "fair", _sentence(end.reason))
    if end.reason:  # the judge holds it for likely only
        return Verdict("Grounded, and may be the answer", "fair", _sentence(end.reason))
    return Verdict("Answered and grounded", "good")


def _found(event: events.Retrieved) -> str:
    if not event.hits:
        return "Found nothing"
    passages = counted(len(event.hits), "passage")
    return f"Found {passages} in {counted(event.documents, 'document')}"


def _graded(event: events.RelevanceGraded) -> str:
    total = len(event.grades)
    if not total:
        return "Nothing to read"
    failed = sum(grade.relevant is None for grade in event.grades)
    relevant = sum(grade.relevant is True for grade in event.grades)
    if failed == total:
        return "Could not grade what was found"
    verb = "is" if relevant == 1 else "are"
    text = f"{relevant} of {counted(total, 'passage')} {verb} relevant"
    return f"{text}, {failed} could not be graded" if failed else text


def _support(event: events.SupportGraded) -> str:
    total = len(event.claims)
    backed = sum(claim.support is Support.FULLY for claim in event.claims)
    match event.label:
        case Support.FULLY if event.claim:
            # "The claim" would be read as the statement, which may be refuted by what is written.
            return "What was written is backed by a source"
        case Support.NOT if event.claim:
            return "What was written is not backed by the sources"
        case Support.FULLY if total == 1:
            return "The claim is backed by a source"
        case Support.FULLY:
            return "Every claim is backed by a source"
        case Support.PARTIALLY:
            return f"{backed} of {counted(total, 'claim')} fully backed by a source"
        case Support.NOT:
            return "The claims are not backed by the sources"
        case Support.NOT_APPLICABLE:
            return "There is no claim to check against a document"
    return "Could not check the claims"


def _useful(event: events.UsefulnessGraded) -> str:
    if event.useful is None and event.error is None:
        return "Whether it helps is for you to say: there are no documents to judge it by"
    does, asked = ("speaks of", "statement") if event.claim else ("answers", "question")
    may = ("speak of" if event.claim else "answer") + f" the {asked}"
    if event.useful is None:
        return f"Could not check whether it {does} the {asked}"
    scale = f" ({event.score} of 5)" if event.score is not None else ""
    if event.perhaps:
        return f"It may {may}{scale}"
    if event.useful:
        return f"It {does} the {asked}{scale}"
    if grades.answers_partly(event.score):
        return f"It {does} only a part of the {asked}{scale}"
    return f"It misses the {asked}{scale}"


def _critique(event: events.SelfCritiqued) -> str:
    if event.passed is None:
        return "The answer could not be looked at once more"
    return "The answer stands" if event.passed else "The answer is to be improved"


def _verdict(event: events.ClaimVerdict) -> str:
    if event.verdict is None:
        return "Could not weigh the statement"
    against = sum(item.against for item in event.evidence)
    told = [
        f"{counted(number, 'sentence')} {side}"
        for number, side in ((len(event.evidence) - against, "for"), (against, "against"))
        if number
    ]
    said = {
        grades.Verdict.SUPPORTED: "Supported",
        grades.Verdict.REFUTED: "Refuted",
        grades.Verdict.NOT_ENOUGH: "Not enough evidence",
    }[event.verdict]
    return f"{said}: {', '.join(told)}" if told else said


def side_of(item: events.EvidenceSentence) -> tuple[Tone, str]:
    """On which side of a statement a sentence stands, with its tone."""
    return ("bad", "against") if item.against else ("good", "for")


def _sentence(text: str) -> str:
    text = text.strip()
    if not text:
        return ""
    begins_with_address = "://" in text.partition(" ")[0]
    return _ended(text if begins_with_address else capitalised(text))


def _ended(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".!?" else f"{text}."
