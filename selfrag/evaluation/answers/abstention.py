"""Abstaining, crossed with whether the evidence was retrieved.

                        answered            abstained
    evidence retrieved  right to answer     over-cautious
    none retrieved      over-confident      right to abstain

Evidence counts as retrieved where a search of the run found at least one gold passage. A question
that the documents cannot answer has no evidence to be retrieved. Where it is not known which
passages are gold, the two rows cannot be told apart: such answers are counted beside the table and
enter no figure but ``coverage``.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """One answer.

    Attributes:
        abstained: it gave none, or only said that the documents do not tell.
        evidence: whether a gold passage was retrieved; None where that is not known.
        answerable: whether the documents hold the answer; None where that is not known.
    """

    abstained: bool
    evidence: bool | None
    answerable: bool | None = None


@dataclass(frozen=True, slots=True)
class Abstention:
    """The four cells of a strategy, and the answers that fall into none.

    Attributes:
        right, cautious: with evidence: answered, abstained.
        confident, declined: without evidence: answered, abstained.
        unknown_answered, unknown_abstained: it is not known whether evidence was retrieved.
        unanswerable, unanswerable_answered: answers to questions that the documents cannot
            answer, and how many of those did not abstain.
    """

    right: int = 0
    cautious: int = 0
    confident: int = 0
    declined: int = 0
    unknown_answered: int = 0
    unknown_abstained: int = 0
    unanswerable: int = 0
    unanswerable_answered: int = 0

    @property
    def unknown(self) -> int:
        """Answers that are in no cell."""
        return self.unknown_answered + self.unknown_abstained

    @property
    def known(self) -> int:
        """Answers in the four cells."""
        return self.right + self.cautious + self.confident + self.declined

    @property
    def precision(self) -> float | None:
        """Of the times that it abstained, those without evidence; None where it never did."""
        return _share(self.declined, self.declined + self.cautious)

    @property
    def recall(self) -> float | None:
        """Of the times that there was no evidence, those in which it abstained."""
        return _share(self.declined, self.declined + self.confident)

    @property
    def over_cautious(self) -> float | None:
        """Of the times that there was evidence, those in which it abstained all the same."""
        return _share(self.cautious, self.cautious + self.right)

    @property
    def over_confident(self) -> float | None:
        """Of the times that there was no evidence, those in which it answered all the same."""
        return _share(self.confident, self.confident + self.declined)

    @property
    def unanswerable_over_confident(self) -> float | None:
        """The same, of questions that the documents cannot answer whatever is retrieved."""
        return _share(self.unanswerable_answered, self.unanswerable)

    @property
    def coverage(self) -> float | None:
        """Of all answers, those in which it did not abstain."""
        answered = self.right + self.confident + self.unknown_answered
        return _share(answered, self.known + self.unknown)


def abstention(cases: Iterable[Case]) -> Abstention:
    """Count.

    >>> seen = [Case(False, True), Case(True, True), Case(True, False), Case(True, False)]
    >>> found = abstention(seen)
    >>> (found.precision, found.recall, found.over_cautious, found.over_confident)
    (0.6666666666666666, 1.0, 0.5, 0.0)
    """
    names = {
        (False, True): "right",
        (True, True): "cautious",
        (False, False): "confident",
        (True, False): "declined",
        (False, None): "unknown_answered",
        (True, None): "unknown_abstained",
    }
    counted = dict.fromkeys(Abstention.__dataclass_fields__, 0)
    for case in cases:
        # What cannot be answered has no evidence, whatever a search brings.
        evidence = False if case.answerable is False else case.evidence
        counted[names[case.abstained, evidence]] += 1
        if case.answerable is False:
            counted["unanswerable"] += 1
            counted["unanswerable_answered"] += not case.abstained
    return Abstention(**counted)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
