"""One answer with its grades and all that was counted: a line of a round's CSV."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from selfrag.evaluation.answers.abstention import Case
from selfrag.evaluation.answers.answering import Answered
from selfrag.evaluation.answers.choice import System
from selfrag.evaluation.answers.gold import Gold
from selfrag.evaluation.answers.grades import Graded
from selfrag.evaluation.answers.measures import DECIDED, SPENT, VERDICT
from selfrag.evaluation.answers.questions import Question
from selfrag.models.usage import Usage
from selfrag.reflection.grades import Verdict
from selfrag.reflection.strategy import Strategy

_BROKEN = ("failed", "stopped")


@dataclass(frozen=True, slots=True)
class Row:
    """One answer.

    Attributes:
        system: the strategy, with ", oracle" where it was given the gold passages.
        round: 1-based.
        abstained: it gave no answer, or only said that the documents do not tell; None where
            the run did not come to its end.
        evidence: whether a gold passage was retrieved; None where that is not known.
        contexts: document, page and text of the passages that the answer was written from; the
            text is empty where the study was read from a file.
        measures: name -> value, None where it is undefined; what does not concern the question (a
            verdict, without a label) is left out.
        reasons: name -> why it is undefined.
        not_had: measures that are undefined because a grade failed.
        details: measure -> what it was worked out from.
        grading: what grading asked of the judge.
    """

    question_id: str
    question: str
    ground_truth: str
    system: str
    round: int
    status: str
    answer: str
    reason: str
    verdict: str | None
    label: str | None
    answerable: bool | None
    abstained: bool | None
    evidence: bool | None
    seconds: float
    measures: dict[str, float | None]
    reasons: dict[str, str]
    not_had: tuple[str, ...] = ()
    contexts: tuple[tuple[str, int, str], ...] = ()
    details: dict[str, tuple[str, ...]] = field(default_factory=dict)
    estimated: bool = False
    grading: Usage = field(default_factory=Usage)

    @property
    def case(self) -> Case | None:
        """For the four cells; None where the run did not come to its end."""
        if self.abstained is None:
            return None
        return Case(self.abstained, self.evidence, self.answerable)

    def to_json(self) -> dict[str, Any]:
        """Without the texts of the passages, which are in the library."""
        names = [name for name in Row.__dataclass_fields__ if name not in ("grading", "contexts")]
        return {
            **{name: getattr(self, name) for name in names},
            "contexts": [[document, page] for document, page, _ in self.contexts],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        return cls(
            **{
                **data,
                "not_had": tuple(data["not_had"]),
                "contexts": tuple((document, page, "") for document, page in data["contexts"]),
                "details": {name: tuple(said) for name, said in data["details"].items()},
            }
        )


def make_row(
    question: Question,
    system: System,
    number: int,
    gold: Gold,
    answered: Answered,
    graded: Graded | None,
    wanted: tuple[str, ...],
) -> Row:
    """Put together what is known of one answer.

    Args:
        number: the round.
        graded: None where the run broke off: nothing is graded then.
        wanted: every measure of the study.
    """
    broken = answered.status in _BROKEN
    measures: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    not_had = []
    for name, grade in (graded.measures if graded else {}).items():
        measures[name] = grade.value
        if grade.value is None:
            reasons[name] = grade.reason
            if grade.failed:
                not_had.append(name)
    if not broken:
        measures |= _spent(answered)
        if measures["cost_usd"] is None:
            reasons["cost_usd"] = "the price of a model is not known: set MODEL_PRICES"
    if question.label is None:
        wanted = tuple(name for name in wanted if name != VERDICT)  # there is none to be had
    else:
        value, why = _correct(question, system, answered)
        measures[VERDICT] = value
        if value is None:
            reasons[VERDICT] = why
    answerable = True if question.answerable is None and gold.hits else question.answerable
    abstained = None if broken else _abstained(answered, graded)
    if answerable is None:
        wanted = tuple(name for name in wanted if name != DECIDED)
    elif abstained is not None:
        measures[DECIDED] = float(answerable != abstained)
    for name in wanted:
        if measures.get(name) is None:
            measures[name] = None
            reasons.setdefault(name, f"the run {answered.status}" if broken else "not measured")
    return Row(
        question_id=question.id,
        question=question.question,
        ground_truth=question.ground_truth,
        system=str(system),
        round=number,
        status=answered.status,
        answer=answered.answer,
        reason=answered.reason,
        verdict=answered.verdict,
        label=question.label.value if question.label else None,
        answerable=question.answerable,
        abstained=abstained,
        evidence=_evidence(question, gold, answered),
        seconds=answered.seconds,
        measures={name: measures[name] for name in wanted},
        reasons={name: why for name, why in reasons.items() if name in wanted},
        not_had=tuple(not_had),
        contexts=tuple((each.document, each.page, each.text) for each in answered.contexts),
        details={name: g.detail for name, g in graded.measures.items()} if graded else {},
        estimated=answered.estimated,
        grading=graded.usage if graded else Usage(),
    )


def _spent(answered: Answered) -> dict[str, float | None]:
    values: dict[str, float | None] = {
        "seconds": answered.seconds,
        "calls": answered.calls,
        "retries": answered.retries,
        "input_tokens": answered.input_tokens,
        "output_tokens": answered.output_tokens,
        "tokens": answered.input_tokens + answered.output_tokens,
        "cost_usd": answered.cost_usd,
    }
    assert values.keys() == set(SPENT)
    return values


def _abstained(answered: Answered, graded: Graded | None) -> bool:
    """Whether it gave no answer: by its status, or because all that it says is that it cannot."""
    if answered.status == "abstained":
        return True
    return bool(graded and graded.declines)


def _evidence(question: Question, gold: Gold, answered: Answered) -> bool | None:
    if question.answerable is False:
        return False
    return bool(gold.parents & set(answered.found)) if gold.hits else None


def _correct(question: Question, system: System, answered: Answered) -> tuple[float | None, str]:
    """1.0 for the verdict of the label column, 0.0 for another one, of a question with a label.

    A run on a statement that abstained found nothing to go by, which is what "not enough
    evidence" says (the third label of FEVER, Thorne et al. 2018).
    """
    if system.strategy is not Strategy.SELFRAG:
        return None, "this strategy gives no verdict"
    verdict = answered.verdict
    if verdict is None and answered.status == "abstained":
        verdict = Verdict.NOT_ENOUGH.value
    if verdict is None:
        return None, f"no verdict could be had: {answered.reason or answered.status}"
    return float(question.label is not None and verdict == question.label.value), ""
