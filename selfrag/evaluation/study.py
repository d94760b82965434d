"""A study: what variants found for the same questions, measured and tested.

Made from rankings alone, so that a set in BEIR layout and a library's own labels are measured in
the same way. A study prints itself in `selfrag.evaluation.study_text`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Self

import numpy as np

from selfrag.evaluation.beir import LeftOut
from selfrag.evaluation.metrics import Values, per_query
from selfrag.evaluation.paired import Difference
from selfrag.evaluation.significance import Mean, Pair, mean_interval, pairs
from selfrag.retrieval.variant import Variant

#: In ir-measures' notation; the first is the one that is tested.
MEASURES = ("nDCG@10", "R@5", "R@20", "R@100", "RR@10", "AP", "P@5", "P@10", "P@20")
JUDGED = "Judged@10"


@dataclass(frozen=True, slots=True)
class Searched:
    """What one search gave.

    Attributes:
        ranking: ids as in the qrels, best first, none twice.
        seconds: the search alone.
        skipped: stage -> why it could not run.
    """

    ranking: tuple[str, ...]
    seconds: float
    skipped: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Figures:
    """One variant on all questions.

    Attributes:
        values: measure -> question id -> value.
        means: measure -> mean with interval.
        judged: share of the first ten that anyone judged, a mean over questions.
        median, p95: seconds of a search.
        skipped: stage -> why it could not run.
    """

    values: Values
    means: dict[str, Mean]
    judged: float | None
    median: float | None
    p95: float | None
    skipped: dict[str, str]


@dataclass(frozen=True, slots=True)
class Study:
    """All variants on all questions.

    Attributes:
        name: of the set.
        questions: id -> text.
        figures: variant -> its figures, in the order in which they were asked for.
        pairs: every two variants on ``measure``, with tests.
        strata: label -> variant -> mean of ``measure`` over the questions with that label.
        sensitivity: parameter -> value -> mean of ``measure`` in hybrid search.
        embedding: seconds to embed a question, the median; None where it was not measured.
        notes: what has to be known to read it, in sentences.
        left_out: questions for which no measure is defined; no mean counts them.
    """

    name: str
    measure: str
    questions: dict[str, str]
    figures: dict[str, Figures]
    pairs: tuple[Pair, ...]
    strata: dict[str, dict[str, Mean]] = field(default_factory=dict)
    sensitivity: dict[str, dict[str, float]] = field(default_factory=dict)
    embedding: float | None = None
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    @property
    def measures(self) -> list[str]:
        """Those that were computed, the tested one first."""
        known = next(iter(self.figures.values())).means if self.figures else {}
        return list(dict.fromkeys((self.measure, *known)))

    def ranked(self) -> list[str]:
        """Variants, the best on ``measure`` first."""
        return sorted(
            self.figures, key=lambda name: -(self.figures[name].means[self.measure].mean or 0)
        )

    def differing(self, a: str, b: str, most: int = 10) -> list[tuple[str, float, float]]:
        """Question id and both values where two variants differ most, the widest first."""
        left = self.figures[a].values[self.measure]
        right = self.figures[b].values[self.measure]
        found = [(key, left[key], right[key]) for key in left if left[key] != right[key]]
        return sorted(found, key=lambda row: -abs(row[1] - row[2]))[:most]

    def to_json(self) -> dict[str, Any]:
        """Everything, for files and programs."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """What ``to_json`` gave."""
        return cls(
            name=data["name"],
            measure=data["measure"],
            questions=dict(data["questions"]),
            figures={
                name: Figures(
                    **{
                        **row,
                        "means": {key: Mean(**mean) for key, mean in row["means"].items()},
                    }
                )
                for name, row in data["figures"].items()
            },
            pairs=tuple(
                Pair(**{**row, "difference": Difference(**row["difference"])})
                for row in data["pairs"]
            ),
            strata={
                label: {name: Mean(**mean) for name, mean in row.items()}
                for label, row in data["strata"].items()
            },
            sensitivity={name: dict(row) for name, row in data["sensitivity"].items()},
            embedding=data["embedding"],
            notes=tuple(data["notes"]),
            left_out=tuple(LeftOut(**row) for row in data["left_out"]),
        )


def make_study(
    name: str,
    questions: Mapping[str, str],
    qrels: Mapping[str, Mapping[str, int]],
    searched: Mapping[str, Mapping[str, Searched]],
    *,
    measure: str = MEASURES[0],
    labels: Mapping[str, str] | None = None,
    sensitivity: Mapping[str, Mapping[str, float]] | None = None,
    embedding: float | None = None,
    notes: Sequence[str] = (),
    left_out: Sequence[LeftOut] = (),
) -> Study:
    """Measure and test.

    Args:
        searched: variant -> question id -> what was found.
        measure: the one that is tested, in ir-measures' notation.
        labels: question id -> the stratum that it belongs to.
        left_out: questions that are in none of the others, and why.
    """
    measures = tuple(dict.fromkeys((measure, *MEASURES)))
    figures = {variant: _figures(qrels, found, measures) for variant, found in searched.items()}
    tested = {variant: each.values[measure] for variant, each in figures.items()}
    strata: dict[str, dict[str, Mean]] = {}
    for label in sorted(set((labels or {}).values())):
        inside = [query for query in qrels if (labels or {}).get(query) == label]
        if inside:
            strata[label] = {
                variant: mean_interval([values[query] for query in inside])
                for variant, values in tested.items()
            }
    return Study(
        name=name,
        measure=measure,
        questions={query: questions[query] for query in qrels},
        figures=figures,
        pairs=tuple(pairs(tested)),
        strata=strata,
        sensitivity={key: dict(row) for key, row in (sensitivity or {}).items()},
        embedding=embedding,
        notes=(*notes, *_skipped(figures)),
        left_out=tuple(left_out),
    )


def _skipped(figures: Mapping[str, Figures]) -> list[str]:
    """A mode that lacks a stage is another mode: who reads its figures has to know."""
    return [
        f"{Variant.parse(variant).label}: {stage} was skipped: {reason}"
        for variant, each in figures.items()
        for stage, reason in each.skipped.items()
    ]


def _figures(
    qrels: Mapping[str, Mapping[str, int]],
    found: Mapping[str, Searched],
    measures: Sequence[str],
) -> Figures:
    rankings = {query: each.ranking for query, each in found.items()}
    values = per_query(qrels, rankings, [*measures, JUDGED])
    judged = values.pop(JUDGED)
    seconds = [each.seconds for each in found.values()]
    skipped: dict[str, str] = {}
    for each in found.values():
        skipped |= each.skipped
    return Figures(
        values=values,
        means={name: mean_interval(list(row.values())) for name, row in values.items()},
        judged=mean_interval(list(judged.values())).mean,
        median=median(seconds) if seconds else None,
        p95=float(np.percentile(seconds, 95)) if seconds else None,
        skipped=skipped,
    )
