"""A run explained to someone who has never heard of retrieval: what each step is for, what came of
it, and whether that is good.

`selfrag.reflection.story` tells what happened; this says what it means.
"""

from selfrag.reflection import events
from selfrag.reflection.events import Event
from selfrag.reflection.grades import Support, answers_partly
from selfrag.reflection.story import Tone

#: What a step is for, in a sentence.
PURPOSE = {
    "question_rewritten": "The search knows nothing of the conversation, so the question is "
    "made to stand by itself.",
    "self_critique": "One look at the whole answer: does it stand as it is?",
    "claim_verdict": "A statement is held against the documents: what speaks for it, what against?",
    "retrieval_decision": "A greeting needs no documents; a question about facts does.",
    "retrieve": "Two searches, by words and by meaning, are merged and narrowed down.",
    "relevance_grader": "Only passages that help with the question are given to the writer.",
    "generator": "Where passages were found, the answer is written from them alone.",
    "support_grader": "Each claim of the answer is looked up in the passages it was written from.",
    "usefulness_grader": "A true answer can still miss the question; this is checked apart.",
    "query_rewriter": "The search is tried with other words, aimed at what was missing.",
    "increment_retry": "What has no backing is not passed on as if it had.",
    "increment_retry_for_retrieval": "What was found did not do, so the search goes on.",
}

_SUPPORT_TONES: dict[Support, Tone] = {
    Support.FULLY: "good",
    Support.PARTIALLY: "fair",
    Support.NOT: "bad",
    Support.UNKNOWN: "fair",
}
_SUPPORT = {
    Support.FULLY: "Nothing in the answer goes beyond what stands there, and each number leads to "
    "the page.",
    Support.PARTIALLY: "What goes further than the passages is marked as such.",
    Support.NOT: "The answer says something that does not stand there, so it is not to be relied "
    "on.",
    Support.UNKNOWN: "Whether it holds is not known, so it is given as not checked.",
    Support.NOT_APPLICABLE: "Without passages there is nothing to hold the answer against.",
}


def tone(event: Event) -> Tone | None:
    """What a step's verdict means for the answer: good, fair or bad; None where it has none."""
    match event:
        case events.RelevanceGraded():
            relevant = [grade.relevant for grade in event.grades]
            return "good" if True in relevant else "fair" if None in relevant else "bad"
        case events.SupportGraded():
            return _SUPPORT_TONES.get(event.label)
        case events.UsefulnessGraded(useful=None):
            return "fair" if event.error else None
        case events.UsefulnessGraded(useful=False):
            return "fair" if answers_partly(event.score) else "bad"
        case events.UsefulnessGraded():
            return "fair" if event.perhaps else "good"
        case events.Retrieved(hits=[]):
            return "bad"
        case events.QueryRewritten(query=None) | events.RetrievalDecided(unclear=True):
            return "fair"
    return "fair" if event.error else None


def meaning(event: Event, *, language_model: bool = True) -> str:
    """One sentence on what came of a step; empty where there is nothing to say.

    Args:
        language_model: whether the writer of the run is one.
    """
    match event:
        case events.QuestionRewritten(changed=True):
            return "From here on, this is the question that is worked with."
        case events.QuestionRewritten():
            return "It is worked with as it was asked."
        case events.RetrievalDecided(unclear=True):
            return "Told of the wrong document, it would be of no use."
        case events.RetrievalDecided(retrieve=True):
            return "So nothing is answered from memory: your documents are searched first."
        case events.RetrievalDecided():
            return "So nothing is looked up, and your documents can't vouch for the answer."
        case events.Retrieved(hits=[]):
            return "With these words there is nothing to answer from."
        case events.Retrieved():
            return "These are candidates only: whether they help is judged next."
        case events.RelevanceGraded():
            return _relevance(event)
        case events.QueryRewritten(query=None):
            return "The same words would find the same passages, so the search ends here."
        case events.QueryRewritten(by_itself=True):
            return "What the conversation had added may have led the search away."
        case events.QueryRewritten():
            return "Other words find other passages."
        case events.Generated(context=[]):
            return "No document stands behind it."
        case events.Generated() if not language_model:
            return "It consists of sentences as they stand in your documents; no model wrote it."
        case events.Generated():
            return "The writer was given these passages and nothing else."
        case events.SupportGraded():
            return _SUPPORT[event.label]
        case events.UsefulnessGraded(useful=True, claim=True):
            return "Whether it speaks for the statement or against it is another question."
        case events.UsefulnessGraded(useful=False, claim=True):
            return "What it says may be true, but it is of something else."
        case events.UsefulnessGraded(perhaps=True):
            return "It may be what was asked for: that is for you to see."
        case events.UsefulnessGraded(useful=True):
            return "It is what was asked for."
        case events.UsefulnessGraded(useful=False) if answers_partly(event.score):
            return "What it says may be true, but something that was asked for is missing."
        case events.UsefulnessGraded(useful=False):
            return "What it says may be true, but it is not what was asked for."
        case events.UsefulnessGraded(error=None):
            return "The local judge compares answers with passages; this one needed none."
        case events.UsefulnessGraded():
            return "Whether it is what was asked for is not known."
        case events.SelfCritiqued(passed=False):
            return "The writer is told what is wrong with it."
        case events.SelfCritiqued():
            return "Its claims are not looked up one by one."
        case events.ClaimVerdict():
            return "The sentences that decided it are shown with their pages."
        case events.RetryCounted():
            return "The writer is told what was wrong and writes anew."
        case events.RetrievalRetryCounted():
            return "The search is told what is missing."
    return ""


def _relevance(event: events.RelevanceGraded) -> str:
    relevant = [grade.relevant for grade in event.grades]
    if not relevant:
        return "There was nothing to judge."
    if True not in relevant and None not in relevant:
        return "An answer made from passages that do not help would be a guess, so none is written."
    if True not in relevant:
        return "They could not be judged, so what is written from them is checked all the more."
    if False in relevant:
        return "The others are put aside, so that they can't lead the answer astray."
    return "All of them may be used."
