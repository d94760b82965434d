"""What a chat model is asked to fill in, one schema for each kind of grade.

Fields stand in the order in which they should be thought of: the thought before the verdict.
All are required and none has bounds or unions, which is what every structured output
implementation understands; ``BOUNDS`` are added for a repair only, where most endpoints take
them. Reading is more lenient than the schema: ``Yes.``, ``TRUE`` and
``fully supported`` are what they mean.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator


def _word(value: Any) -> Any:
    """``"Fully supported."`` -> ``"fully_supported"``; other types as they are."""
    if isinstance(value, str):
        return "_".join(value.strip(" .!\"'*`\n").replace("-", " ").casefold().split())
    return value


def _yes_no(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    word = _word(value)
    return {"true": "yes", "false": "no"}.get(word, word) if isinstance(word, str) else word


def _whole_number(value: Any) -> Any:
    """``"4"``, ``4.0`` and None (no document) as whole numbers; other values as they are."""
    if value is None:
        return 0
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _text(value: Any) -> Any:
    return "" if value is None else value


YesNo = Annotated[Literal["yes", "no"], BeforeValidator(_yes_no)]
Text = Annotated[str, BeforeValidator(_text)]
WholeNumber = Annotated[int, BeforeValidator(_whole_number)]
SupportLabel = Annotated[
    Literal["fully_supported", "partially_supported", "not_supported"], BeforeValidator(_word)
]


class Reply(BaseModel):
    """What all replies have in common: the class name is the name of the schema."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    #: Field -> what its schema says besides when a reply is repaired.
    BOUNDS: ClassVar[dict[str, dict[str, Any]]] = {}


class Decision(Reply):
    """Whether to look in the documents."""

    thought: Text
    answer: YesNo


class Relevance(Reply):
    """Whether one document helps to answer the question."""

    thought: Text
    answer: YesNo


class NumberedRelevance(Reply):
    """Whether the document with this number helps to answer the question."""

    document: WholeNumber
    thought: Text
    answer: YesNo


class RelevanceOfAll(Reply):
    """Whether each document helps to answer the question."""

    grades: list[NumberedRelevance]


class ClaimSupport(Reply):
    """One statement of the answer and what backs it; document 0 and no quote for nothing."""

    claim: str
    document: WholeNumber
    quote: Text
    support: SupportLabel


class SupportByClaim(Reply):
    """Whether every statement of the answer is backed."""

    # A small model that left the statements out once does so again, unless it can't.
    BOUNDS: ClassVar[dict[str, dict[str, Any]]] = {"claims": {"minItems": 1}}

    thought: Text
    declines: bool
    claims: list[ClaimSupport]

    @model_validator(mode="after")
    def _has_claims(self) -> "SupportByClaim":
        if not self.claims and not self.declines:
            raise ValueError("claims is empty: give every statement of the answer")
        return self


class Usefulness(Reply):
    """How useful the answer is, 1 to 5, and what it lacks."""

    thought: Text
    score: Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_whole_number)]
    missing: Text


class CritiqueOfAnswer(Reply):
    """Whether the answer is good as it stands."""

    thought: Text
    answer: YesNo


class ClaimEvidence(Reply):
    """A sentence for or against the statement."""

    document: WholeNumber
    quote: Text
    stance: Annotated[Literal["for", "against"], BeforeValidator(_word)]


class VerdictOnClaim(Reply):
    """What the documents say of the statement."""

    thought: Text
    evidence: list[ClaimEvidence]
    verdict: Annotated[
        Literal["supported", "refuted", "not_enough_evidence"], BeforeValidator(_word)
    ]


class CompleteQuestion(Reply):
    """The question made understandable without the conversation before it."""

    thought: Text
    question: Text


class NewQuery(Reply):
    """The next search; an empty query where nothing is left worth trying."""

    thought: Text
    query: Text
