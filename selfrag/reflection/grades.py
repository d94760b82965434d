"""What judges return. A grade that could not be had is a value of its own, never a no."""

from dataclasses import dataclass
from enum import StrEnum


class Support(StrEnum):
    """How far an answer, or one claim of it, is backed by the documents."""

    FULLY = "fully_supported"
    PARTIALLY = "partially_supported"
    NOT = "not_supported"
    #: nothing was retrieved, so there is nothing to ground in; or the answer claims nothing, for it
    #: only says that the passages do not tell
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"  #: the grade could not be had


MISSES = 2  #: usefulness up to which an answer counts as missing the question
#: Probability of answering the question from which an answer is headed as one, where the judge
#: gives one. Of 2,180 labelled cases (XQuAD, FaQuAD, Pira; in half of them there is no answer to be
#: found) the local judge gives 724 answers this much or more, and 84% of these are right; of the
#: 338 that it finds good enough with less, 49%.
LIKELY = 0.85


@dataclass(frozen=True, slots=True)
class RetrievalDecision:
    """Whether to look in the documents.

    Attributes:
        retrieve: True to look; also True where the decision could not be had.
        thought: why, in one sentence for the person.
        error: why the decision could not be had, or None.
        probability: that the documents are needed, 0 to 1, where the judge gives one.
    """

    retrieve: bool
    thought: str
    error: str | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class RelevanceGrade:
    """Whether one passage helps to answer the question.

    Attributes:
        relevant: yes or no; None where the grade could not be had.
        thought: why, in one sentence.
        probability: of being relevant, 0 to 1, where the judge gives one.
        error: why the grade could not be had, or None.
    """

    relevant: bool | None
    thought: str = ""
    probability: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer and what backs it.

    Attributes:
        text: the statement as it stands in the answer.
        support: fully, partially or not supported.
        document: 1-based number of the passage in the context that backs it, or None.
        quote: the words of that passage that back it; really there, or None.
        probability: of this label, 0 to 1, where the judge gives one.
    """

    text: str
    support: Support
    document: int | None = None
    quote: str | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class SupportGrade:
    """Whether the answer is backed by the passages, and claim by claim by which.

    ``probability`` is that of the label, 0 to 1, where the judge gives one.
    """

    label: Support
    thought: str = ""
    claims: tuple[Claim, ...] = ()
    probability: float | None = None
    error: str | None = None

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The claims that were not backed."""
        return tuple(claim.text for claim in self.claims if claim.support is Support.NOT)


@dataclass(frozen=True, slots=True)
class UsefulnessGrade:
    """Whether the answer answers the question, on the paper's scale of 1 to 5.

    Attributes:
        useful: True from the threshold in settings; None where there is no grade: ``error``
            says why it could not be had; without an error there was nothing to judge by.
        score: 1 (misses the question) to 5 (complete), or None.
        missing: what the answer lacks, in a few words for the query rewriter.
        probability: of being useful, 0 to 1, where the judge gives one.
        perhaps: it is good enough to be given, but the judge is not sure that it answers.
    """

    useful: bool | None
    score: int | None = None
    thought: str = ""
    missing: str = ""
    error: str | None = None
    probability: float | None = None
    perhaps: bool = False


def answers_partly(score: int | None) -> bool:
    """Whether an answer that is not useful enough still answers a part of the question."""
    return score is not None and score > MISSES


@dataclass(frozen=True, slots=True)
class Critique:
    """One look at an answer as a whole.

    Attributes:
        passed: yes or no; None where it could not be had.
        thought: what is wrong with it or why nothing is, in the language of the question.
        error: why the critique could not be had, or None.
    """

    passed: bool | None
    thought: str = ""
    error: str | None = None


class Verdict(StrEnum):
    """What the documents say of a statement (the labels of FEVER, Thorne et al. 2018)."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    NOT_ENOUGH = "not_enough_evidence"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence for or against a statement.

    Attributes:
        document: 1-based number of the passage in the context.
        quote: words of that passage; really there.
        against: whether it speaks against the statement.
    """

    document: int
    quote: str
    against: bool = False


@dataclass(frozen=True, slots=True)
class VerdictGrade:
    """What the documents say of a statement, and where.

    Attributes:
        verdict: None where it could not be had.
        thought: why, in one sentence.
        probability: of the verdict, 0 to 1, where the judge gives one.
        error: why it could not be had, or None.
    """

    verdict: Verdict | None
    thought: str = ""
    evidence: tuple[Evidence, ...] = ()
    probability: float | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A new query for the next search, or a question made self-contained.

    ``query`` is None where there is none worth trying, or nothing to change. With
    ``search_only`` the search is given it, and what was asked stays as it was.
    """

    query: str | None
    thought: str = ""
    error: str | None = None
    search_only: bool = False
