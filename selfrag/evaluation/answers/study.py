"""A study of answers: what every strategy gave in every round, counted and tested.

The unit is the question: rounds of one question are no independent observations, so a question's
value is the mean over its rounds, and means, intervals and tests are over questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, median
from typing import Any, Self

import numpy as np

from selfrag.evaluation.answers.abstention import Abstention, abstention
from selfrag.evaluation.answers.choice import ORACLE
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.rows import Row
from selfrag.evaluation.paired import Difference
from selfrag.evaluation.significance import Mean, Pair, mean_interval, pairs_in_common
from selfrag.models.usage import Usage


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """One system on all questions and rounds.

    Attributes:
        means: measure -> mean over questions, with interval.
        values: measure -> question id -> mean over its rounds, where it is defined.
        by_round: measure -> mean of each round, None where no answer of it has a value.
        undefined: measure -> answers without a value.
        why: measure -> reason -> answers.
        answers: how many there are; ``answered``, ``unsupported``, ``abstained``, ``stopped``
            and ``failed`` are how they ended.
        median, p95: seconds of an answer; None without any.
    """

    means: dict[str, Mean]
    values: dict[str, dict[str, float]]
    by_round: dict[str, list[float | None]]
    undefined: dict[str, int]
    why: dict[str, dict[str, int]]
    answers: int
    answered: int
    unsupported: int
    abstained: int
    stopped: int
    failed: int
    median: float | None
    p95: float | None


@dataclass(frozen=True, slots=True)
class Failure:
    """An answer or a grade that could not be had; ``what`` is ``answer`` or the measure."""

    question: str
    system: str
    round: int
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerStudy:
    """All systems on all questions.

    Attributes:
        name: of the set.
        writer, judge: who wrote, and who graded.
        rounds: how often each question was to be answered.
        questions: id -> text.
        measures: what was measured, in the order in which it is shown.
        figures: system -> its figures; a system is a strategy, with ", oracle" behind it where it
            was given the gold passages.
        pairs: measure -> every two strategies, and each against itself with the oracle, tested on
            the questions that both have a value for; corrected for their number within the
            measure.
        abstention: system -> its four cells.
        failures: what could not be had, with its question.
        unavailable: measure -> why this judge cannot give it at all.
        warnings: what makes grades doubtful, in sentences.
        notes: what has to be known to read it, in sentences.
        stopped: why it ended before all was asked; None where it did not.
        grading: calls, input and output tokens of the judge of this study, and US dollars.
        rows: every answer.
    """

    name: str
    writer: str
    judge: str
    rounds: int
    questions: dict[str, str]
    measures: tuple[str, ...]
    figures: dict[str, AnswerFigures]
    pairs: dict[str, tuple[Pair, ...]]
    abstention: dict[str, Abstention]
    failures: tuple[Failure, ...] = ()
    unavailable: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    grading: dict[str, float | None] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()

    @property
    def measured_anything(self) -> bool:
        """Whether any answer came about."""
        return any(row.status not in ("failed", "stopped") for row in self.rows)

    @property
    def undefined(self) -> int:
        """Values that are undefined, over all systems and measures."""
        return sum(sum(each.undefined.values()) for each in self.figures.values())

    def ranked(self, measure: str) -> list[str]:
        """Systems that have the measure, the best first."""
        sign = -1 if MEASURES[measure].higher is not False else 1
        known = {
            name: mean
            for name, each in self.figures.items()
            if (mean := each.means[measure].mean) is not None
        }
        return sorted(known, key=lambda name: sign * known[name])

    def __str__(self) -> str:
        from selfrag.evaluation.answers.text import as_text

        return as_text(self)

    def to_json(self) -> dict[str, Any]:
        """Everything but the texts of the passages, for files and programs."""
        rows = [row.to_json() for row in self.rows]
        return {**asdict(self), "rows": rows, "undefined": self.undefined}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        plain = {key: value for key, value in data.items() if key != "undefined"}
        return cls(
            **{
                **plain,
                "measures": tuple(data["measures"]),
                "figures": {
                    name: AnswerFigures(
                        **{
                            **row,
                            "means": {key: Mean(**mean) for key, mean in row["means"].items()},
                        }
                    )
                    for name, row in data["figures"].items()
                },
                "pairs": {
                    measure: tuple(
                        Pair(**{**row, "difference": Difference(**row["difference"])})
                        for row in rows
                    )
                    for measure, rows in data["pairs"].items()
                },
                "abstention": {name: Abstention(**row) for name, row in data["abstention"].items()},
                "failures": tuple(Failure(**row) for row in data["failures"]),
                "warnings": tuple(data["warnings"]),
                "notes": tuple(data["notes"]),
                "rows": tuple(Row.from_json(row) for row in data["rows"]),
            }
        )


def make_study(
    name: str,
    rows: Sequence[Row],
    *,
    systems: Sequence[str],
    rounds: int,
    questions: Mapping[str, str],
    measures: Sequence[str],
    writer: str,
    judge: str,
    unavailable: Mapping[str, str] | None = None,
    warnings: Sequence[str] = (),
    notes: Sequence[str] = (),
    stopped: str | None = None,
) -> AnswerStudy:
    """Count and test."""
    by_system = {each: [row for row in rows if row.system == each] for each in systems}
    figures = {each: _figures(found, measures, rounds) for each, found in by_system.items()}
    spent = sum((row.grading for row in rows), Usage())
    return AnswerStudy(
        name=name,
        writer=writer,
        judge=judge,
        rounds=rounds,
        questions=dict(questions),
        measures=tuple(measures),
        figures=figures,
        pairs={
            measure: tuple(
                pairs_in_common(
                    {each: row.values[measure] for each, row in figures.items()},
                    _comparable,
                    share=MEASURES[measure].share,
                )
            )
            for measure in measures
        },
        abstention={
            each: abstention(row.case for row in found if row.case is not None)
            for each, found in by_system.items()
        },
        failures=tuple(failure for row in rows for failure in _failures(row)),
        unavailable=dict(unavailable or {}),
        warnings=tuple(warnings),
        notes=tuple(notes),
        stopped=stopped,
        grading={
            "calls": spent.llm_calls,
            "input_tokens": spent.input_tokens,
            "output_tokens": spent.output_tokens,
            "cost_usd": spent.cost_usd,
        },
        rows=tuple(rows),
    )


def _comparable(a: str, b: str) -> bool:
    """Two strategies, or one with and without the oracle: more pairs would only cost power."""
    plain = [name.removesuffix(ORACLE) for name in (a, b)]
    return plain == [a, b] or plain[0] == plain[1]


def _figures(rows: Sequence[Row], measures: Sequence[str], rounds: int) -> AnswerFigures:
    values: dict[str, dict[str, float]] = {}
    by_round: dict[str, list[float | None]] = {}
    why: dict[str, dict[str, int]] = {}
    for measure in measures:
        of_question: dict[str, list[float]] = {}
        of_round: dict[int, list[float]] = {number: [] for number in range(1, rounds + 1)}
        why[measure] = {}
        for row in rows:
            if measure not in row.measures:
                continue
            value = row.measures[measure]
            if value is None:
                reason = row.reasons[measure]
                why[measure][reason] = why[measure].get(reason, 0) + 1
                continue
            of_question.setdefault(row.question_id, []).append(value)
            of_round[row.round].append(value)
        values[measure] = {key: fmean(found) for key, found in of_question.items()}
        by_round[measure] = [fmean(found) if found else None for found in of_round.values()]
    seconds = [row.seconds for row in rows if row.status not in ("failed", "stopped")]
    ends = [row.status for row in rows]
    return AnswerFigures(
        means={
            measure: mean_interval(list(found.values()), share=MEASURES[measure].share)
            for measure, found in values.items()
        },
        values=values,
        by_round=by_round,
        undefined={measure: sum(found.values()) for measure, found in why.items()},
        why=why,
        answers=len(rows),
        answered=ends.count("answered"),
        unsupported=ends.count("unsupported"),
        abstained=ends.count("abstained"),
        stopped=ends.count("stopped"),
        failed=ends.count("failed"),
        median=median(seconds) if seconds else None,
        p95=float(np.percentile(seconds, 95)) if seconds else None,
    )


def _failures(row: Row) -> list[Failure]:
    at = (row.question, row.system, row.round)
    if row.status in ("failed", "stopped"):
        return [Failure(*at, "answer", row.reason)]
    return [Failure(*at, measure, row.reasons[measure]) for measure in row.not_had]
