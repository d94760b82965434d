"""The grades of one answer: a number, or why there is none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from selfrag.evaluation.answers.questions import Question
from selfrag.models.usage import Usage
from selfrag.reflection.events import ContextPassage


@dataclass(frozen=True, slots=True)
class Grade:
    """A measure of one answer.

    Attributes:
        value: None where it is undefined.
        reason: why it is undefined.
        failed: whether that is because it could not be had; asking again may help then.
        detail: what it was worked out from, such as each statement with its verdict.
    """

    value: float | None
    reason: str = ""
    failed: bool = False
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Graded:
    """All grades of one answer.

    Attributes:
        measures: name -> grade.
        declines: whether the answer only says that it does not know; None where nobody could
            tell.
        usage: what grading asked of language models.
    """

    measures: dict[str, Grade] = field(default_factory=dict)
    declines: bool | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def failed(self) -> bool:
        """Whether some grade could not be had."""
        return any(grade.failed for grade in self.measures.values())

    def to_json(self) -> dict[str, Any]:
        """For a line of a file."""
        return {
            "measures": {
                name: [grade.value, grade.reason, grade.failed, list(grade.detail)]
                for name, grade in self.measures.items()
            },
            "declines": self.declines,
            "usage": [
                self.usage.llm_calls,
                self.usage.input_tokens,
                self.usage.output_tokens,
                self.usage.estimated,
                self.usage.priced,
                self.usage.unpriced,
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        return cls(
            {
                name: Grade(value, reason, failed, tuple(detail))
                for name, (value, reason, failed, detail) in data["measures"].items()
            },
            data["declines"],
            Usage(*data["usage"]),
        )


class Grader(Protocol):
    """Grades answers for a study.

    Attributes:
        name: as shown to the person.
        unavailable: measure -> why this grader cannot give it.
    """

    name: str
    unavailable: Mapping[str, str]

    def grade(self, question: Question, answer: str, contexts: Sequence[ContextPassage]) -> Graded:
        """Every measure that it can give, of one answer.

        Args:
            answer: empty where the run abstained.
            contexts: what the writer was given, in its order.

        Raises:
            ModelError: no later grade can be had either (a refused key).
            Exception: what the guard of its ledger raises.
        """
        ...
