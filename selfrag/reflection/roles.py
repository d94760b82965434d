"""The two parts a model can play: the writer answers, the judge grades.

They are chosen apart, so that no model need mark its own work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from selfrag.reflection.grades import (
    Critique,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    SupportGrade,
    UsefulnessGrade,
    VerdictGrade,
)
from selfrag.retrieval.result import Hit


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit as it stands in the context: its 1-based number there, and what is read of it.

    ``text`` is the parent's text; ``relevance`` is the score shown beside the source, 0 to 1.
    """

    number: int
    hit: Hit
    text: str
    relevance: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """What the last attempt got wrong: its text, and the claims that were not backed or what a
    critique found."""

    answer: str
    unsupported: tuple[str, ...] = ()
    critique: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of the conversation so far, and its answer."""

    question: str
    answer: str


class Writer(Protocol):
    """Writes the answer."""

    name: str  #: as shown to the person ("gpt-4.1-mini", "sentences from your documents")
    is_language_model: bool

    def write(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> Iterator[str]:
        """Yield the answer piece by piece, with marks ``[Doc n]`` after what passage n backs.

        With no passages the answer comes from the model's own knowledge.

        Raises:
            ModelError: the model answered nothing, or could not be reached.
        """
        ...

    def prompt(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> str:
        """Every word that `write` sends to a language model; empty where it asks none."""
        ...


class Judge(Protocol):
    """Grades every step. No method raises for a malformed reply: the grade says so instead.

    Raises:
        ModelError: with ``fatal=True`` where no later call can succeed (a refused key).
    """

    name: str
    is_language_model: bool

    def decide_retrieval(self, question: str) -> RetrievalDecision:
        """Does the question need the documents?"""
        ...

    def grade_relevance(self, question: str, passages: Sequence[Passage]) -> list[RelevanceGrade]:
        """One grade for each passage, in their order."""
        ...

    def grade_support(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> SupportGrade:
        """Is every claim of the answer backed by the passages?"""
        ...

    def grade_usefulness(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> UsefulnessGrade:
        """Does the answer answer the question?"""
        ...

    def rewrite(
        self, question: str, tried: Sequence[str], missing: str, passages: Sequence[Passage]
    ) -> Rewrite:
        """A query that looks for what is missing and has not been tried yet."""
        ...

    def critique(self, question: str, answer: str, passages: Sequence[Passage]) -> Critique:
        """Is the answer good as it stands? One yes or no, for the strategy of that name."""
        ...

    def grade_claim(self, statement: str, passages: Sequence[Passage]) -> VerdictGrade:
        """Do the passages support a statement or refute it, and where?"""
        ...

    def complete(self, question: str, history: Sequence[Turn]) -> Rewrite:
        """The question made self-contained from the conversation, oldest turn first."""
        ...
