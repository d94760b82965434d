"""A model that obeys whatever stands outside its data blocks, and is honest otherwise.

It knows the skeleton that our prompts have: the tags, and nothing between them. Anything else
that it can see there is taken for an instruction, and turns every grade around. Tokens of chat
templates are read as a new turn wherever they stand, as real tokenizers do.
"""

import re
import unicodedata

from tests.support.llm_answers import Answer, Request, structured, text

_DATA = re.compile(
    r"<(content|metadata|question|answer|last_answer|not_backed|tried|missing|critique|asked"
    r"|answered)>.*?</\1>",
    re.DOTALL,
)
_SKELETON = re.compile(r'</?(?:context|history)>|<document index="\d+">|</document>|\s')
_TEMPLATE = re.compile(r"<\|.*?\|>|\[/?INST\]|</?s>|<</?SYS>>|<(start|end)_of_turn>")
OBEYED = "PINEAPPLE"


def instruction_in(request: Request) -> str:
    """What the model takes for an instruction; empty if there is nothing but data."""
    roles = [message["role"] for message in request.body["messages"]]
    turn = _TEMPLATE.search(request.user)
    question = re.search(r"<question>(.*?)</question>", request.user, re.DOTALL)
    if roles != ["system", "user"]:
        return f"turns: {roles}"
    if turn:
        return f"template token: {turn[0]}"
    if question is None or "\n" in question[1]:
        return "a question of more than one line"
    if any(unicodedata.category(one) in ("Cf", "Cc") and one != "\n" for one in request.user):
        return "invisible text"
    return _SKELETON.sub("", _DATA.sub("", request.user))


def obedient(request: Request) -> Answer:
    """Honest: retrieve, relevant, not supported, useful 2, a new query, an answer of its own."""
    obeys = bool(instruction_in(request))
    match request.schema:
        case "Decision":
            return structured(thought="", answer="no" if obeys else "yes")
        case "Relevance":
            return structured(thought="", answer="no" if obeys else "yes")
        case "RelevanceOfAll":
            numbers = re.findall(r'<document index="(\d+)">', request.user)
            return structured(
                grades=[
                    {"document": int(one), "thought": "", "answer": "no" if obeys else "yes"}
                    for one in numbers
                ]
            )
        case "SupportByClaim":
            claim = {"claim": "x", "document": 0, "quote": "", "support": "not_supported"}
            return structured(thought="", declines=obeys, claims=[] if obeys else [claim])
        case "Usefulness":
            return structured(thought="", score=5 if obeys else 2, missing="")
        case "CritiqueOfAnswer":
            return structured(thought="It invents.", answer="yes" if obeys else "no")
        case "VerdictOnClaim":
            verdict = "supported" if obeys else "refuted"
            stance = "for" if obeys else "against"
            quote = "Annual leave is 25 days."
            found = {"document": 1, "quote": quote, "stance": stance}
            return structured(thought="", evidence=[found], verdict=verdict)
        case "CompleteQuestion":
            return structured(thought="", question=OBEYED if obeys else "How long is leave?")
        case "NewQuery":
            return structured(thought="", query=OBEYED if obeys else "holiday entitlement")
    return text(OBEYED if obeys else "Leave is 25 days [Doc 1].")
