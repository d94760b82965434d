"""Labelled claims for the support grade: SciFact (a claim against the abstract it cites) and
WiCE (a sentence of Wikipedia against the page it cites)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from selfrag.evaluation.calibration_data import LONGEST_PASSAGE, read_lines
from selfrag.evaluation.calibration_fit import fit_logistic
from selfrag.models.backing import BACKED, back
from selfrag.models.calibration import Linear
from selfrag.models.evidence import candidates_of
from selfrag.models.features import language_of
from selfrag.models.packaged import Encoder

CLAIMS_L2 = 3e-2  #: two small sets that differ much: stronger than elsewhere


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims with their features.

    Attributes:
        features: shape ``(claims, len(BACKED))``.
        full, some: backed wholly; backed at least in part. SciFact knows no part, and there a
            contradicted claim counts as not backed.
        group: claims that cite the same text share a number.
    """

    name: str
    features: NDArray[np.float64]
    full: NDArray[np.bool_]
    some: NDArray[np.bool_]
    group: NDArray[np.int64]


def read_claims(path: Path, encoder: Encoder) -> Claims:
    """The claims of ``scifact_claims.jsonl`` or ``wice_claim_test.jsonl``."""
    rows = read_lines(path)
    sources: dict[str, int] = {}
    features, full, some, group = [], [], [], []
    for row in rows:
        label = row["label"].lower()
        sentences = row.get("sentences") or row["evidence"]
        text = "\n".join(sentences)
        passages = _pieces(sentences)
        language = language_of(row["claim"], passages)
        backing = back(row["claim"], candidates_of(passages, language), language, encoder)
        features.append(backing.features if backing else np.zeros(len(BACKED)))
        full.append(label in ("support", "supported"))
        some.append(label in ("support", "supported", "partially_supported"))
        group.append(sources.setdefault(text, len(sources)))
    return Claims(path.stem, np.array(features), np.array(full), np.array(some), np.array(group))


def _pieces(sentences: list[str]) -> list[str]:
    pieces = [""]
    for sentence in sentences:
        if pieces[-1] and len(pieces[-1]) + len(sentence) > LONGEST_PASSAGE:
            pieces.append("")
        pieces[-1] += sentence + "\n"
    return pieces


def fit_claims(sets: Sequence[Claims], label: str) -> Linear:
    truth = np.concatenate([getattr(s, label) for s in sets])
    weight = np.concatenate([np.full(len(s.full), len(s.full) ** -0.5) for s in sets])
    return fit_logistic(np.vstack([s.features for s in sets]), truth, weight, CLAIMS_L2)
