"""Fit the local judge's coefficients and report held-out figures.

    python -m selfrag.evaluation.calibrate DATA_DIR [--vectors FILE.npz] [--report-only]
        [--picture FILE.html]

``DATA_DIR`` holds ``beir/NAME`` folders with answer spans and ``qa/*.jsonl``. Sets that share
texts or questions in some language are one family. Every reported figure comes from a fit that
saw nothing of the set's family (claims: five folds by cited text); the coefficients that are
written come from the same fit over all families.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfrag.evaluation.calibration_claims import Claims, fit_claims, read_claims
from selfrag.evaluation.calibration_data import Case, cases, spans_by_overlap, spans_of_answers
from selfrag.evaluation.calibration_fit import best_threshold
from selfrag.evaluation.calibration_questions import (
    Fitted,
    fit_questions,
    prepare,
    some_passages,
)
from selfrag.evaluation.calibration_report import report_claims, report_questions
from selfrag.evaluation.reliability import Held
from selfrag.evaluation.reliability_picture import picture
from selfrag.models.answerability import ANSWERABLE, RELEVANT
from selfrag.models.backing import BACKED
from selfrag.models.calibration import COEFFICIENTS
from selfrag.models.features import DENSE, LEXICAL
from selfrag.models.packaged import DIMENSION, Encoder, PackagedEmbeddings

SETS = (  # folder, family, every n-th question
    ("xquad-en", "xquad", 1),
    ("xquad-es", "xquad", 2),
    ("faquad-pt", "faquad", 1),
    ("pira-en", "pira", 1),
    ("pira-pt", "pira", 1),
    ("covidqa", "covidqa", 3),
)


class Remembered:
    """The encoder with a memory on disk, so that a second calibration takes a minute."""

    def __init__(self, encoder: Encoder, file: Path | None) -> None:
        self._encoder, self._file = encoder, file
        self._known: dict[str, NDArray[np.float32]] = {}
        if file and file.exists():
            with np.load(file, allow_pickle=False) as stored:
                self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.vectors(new), strict=True))
        found = [self._known[text] for text in texts]
        return np.array(found, dtype=np.float32).reshape(len(texts), DIMENSION)

    def save(self) -> None:
        if self._file:
            # Texts end in no NUL characters, which a fixed-width array would lose.
            np.savez(
                self._file,
                texts=np.array(list(self._known)),
                vectors=np.array(list(self._known.values())),
            )


def read_cases(data: Path, encoder: Encoder) -> list[Case]:
    """Both cases of every question of every set that is there."""
    found: list[Case] = []
    for name, family, every in SETS:
        folder = data / "beir" / name
        if (folder / "answers.jsonl").exists():
            spans = spans_of_answers(folder)
        else:
            spans = spans_by_overlap(folder, data / "qa" / "pira.jsonl", name[-2:])
        found.extend(cases(folder, spans, encoder, family, every))
        _say(f"{name}: {len(spans)} questions")
    return found


def coefficients(fit: Fitted, claims: Sequence[Claims], figures: dict[str, Any]) -> dict[str, Any]:
    """The content of the file beside ``selfrag/models/calibration.py``."""
    full, some = fit_claims(claims, "full"), fit_claims(claims, "some")
    features = np.vstack([s.features for s in claims])
    weight = np.concatenate([np.full(len(s.full), len(s.full) ** -0.5) for s in claims])
    wholly = np.concatenate([s.full for s in claims])
    partly = np.concatenate([s.some for s in claims])
    return {
        "models": {
            "preselect": fit.preselect.stored(LEXICAL),
            "rank": fit.rank.stored((*LEXICAL, *DENSE)),
            "relevant": fit.relevant.stored(RELEVANT),
            "answerable": fit.answerable.stored(ANSWERABLE),
            "backed": some.stored(BACKED),
            "fully_backed": full.stored(BACKED),
        },
        "thresholds": {
            "relevant": fit.relevant_from,
            "useful": fit.useful_from,
            "backed": best_threshold(some.probability(features), partly, weight, beta=0.5),
            # "Fully" must be earned: a wrong yes is worse than a wrong "partially".
            "fully_backed": best_threshold(full.probability(features), wholly, weight, beta=0.5),
        },
        "held_out": figures,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="selfrag.evaluation.calibrate", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with beir/ and qa/")
    parser.add_argument("--vectors", type=Path, help="keep sentence vectors in this .npz file")
    parser.add_argument("--report-only", action="store_true", help="write no coefficients")
    parser.add_argument("--picture", type=Path, help="draw the reliability of its probabilities")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as models:
        encoder = Remembered(PackagedEmbeddings(Path(models)), chosen.vectors)
        found = read_cases(chosen.data, encoder)
        whole = [prepare(case) for case in found]
        items = [*whole, *(prepare(some_passages(case), partial=True) for case in found)]
        claims = [
            read_claims(chosen.data / "qa" / name, encoder)
            for name in ("scifact_claims.jsonl", "wice_claim_test.jsonl")
        ]
        figures: dict[str, Any] = {}
        held: list[Held] = []
        for family in sorted({case.family for case in found}):
            fit = fit_questions([i for i in items if i.case.family != family], encoder)
            for name in sorted({case.dataset for case in found if case.family == family}):
                mine = [i for i in whole if i.case.dataset == name]
                figures[name], seen = report_questions(mine, fit, encoder)
                held.extend(seen)
        of_claims, seen = report_claims(claims)
        figures.update(of_claims)
        held.extend(seen)
        figures = {name: {k: round(v, 3) for k, v in row.items()} for name, row in figures.items()}
        sys.stdout.write(json.dumps(figures, indent=1) + "\n")
        if chosen.picture:
            picture(held).write_html(chosen.picture, include_plotlyjs=True)
        if not chosen.report_only:
            stored = coefficients(fit_questions(items, encoder), claims, figures)
            COEFFICIENTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
            _say(f"written: {COEFFICIENTS}")
        encoder.save()
    return 0


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
