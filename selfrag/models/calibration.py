"""The fitted coefficients behind every local grade: linear models over named features.

The file beside this module is written by ``python -m selfrag.evaluation.calibrate``; nobody
edits it by hand. Names are checked when it is read, so that features and coefficients can't
drift apart unseen.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

COEFFICIENTS = Path(__file__).with_name("local_coefficients.json")


@dataclass(frozen=True, slots=True)
class Linear:
    """``features @ weights + intercept``; a log-odds where it was fitted as a logistic model."""

    weights: NDArray[np.float64]
    intercept: float

    @classmethod
    def read(cls, stored: Mapping[str, Any], names: Sequence[str]) -> "Linear":
        """From ``{"intercept": ..., "weights": {name: ...}}``.

        Raises:
            ValueError: the stored names are not ``names``.
        """
        if list(stored["weights"]) != list(names):
            raise ValueError(f"{COEFFICIENTS.name} was fitted for other features: calibrate again")
        return cls(np.array(list(stored["weights"].values())), float(stored["intercept"]))

    def score(self, features: ArrayLike) -> NDArray[np.float64]:
        """One number for each row."""
        return np.asarray(features, dtype=np.float64) @ self.weights + self.intercept

    def probability(self, features: ArrayLike) -> NDArray[np.float64]:
        """The logistic of ``score``, 0 to 1."""
        return 1 / (1 + np.exp(-np.clip(self.score(features), -30, 30)))

    def stored(self, names: Sequence[str]) -> dict[str, Any]:
        """What ``read`` reads."""
        weights = {name: round(float(w), 5) for name, w in zip(names, self.weights, strict=True)}
        return {"intercept": round(self.intercept, 5), "weights": weights}


@dataclass(frozen=True, slots=True)
class Calibration:
    """Every fitted model, and the probabilities from which a grade is a yes.

    Attributes:
        preselect: ranks sentences by their words alone; the best are embedded.
        rank: ranks the embedded sentences.
        relevant: log-odds that a passage holds the answer.
        answerable: log-odds that the passages, and the sentences chosen, answer.
        backed: log-odds that a sentence backs a claim at least in part.
        fully_backed: log-odds that it backs all of it.
        relevant_from, useful_from, backed_from, fully_backed_from: probabilities, 0 to 1.
    """

    preselect: Linear
    rank: Linear
    relevant: Linear
    answerable: Linear
    backed: Linear
    fully_backed: Linear
    relevant_from: float
    useful_from: float
    backed_from: float
    fully_backed_from: float


@lru_cache
def shipped_calibration() -> Calibration:
    """The coefficients that come with the application."""
    return read_calibration(json.loads(COEFFICIENTS.read_text(encoding="utf-8")))


def read_calibration(stored: Mapping[str, Any]) -> Calibration:
    """From the content of the file.

    Raises:
        ValueError: it was fitted for other features.
    """
    # Imported here: the modules that name the features also read this one.
    from selfrag.models.answerability import ANSWERABLE, RELEVANT
    from selfrag.models.backing import BACKED
    from selfrag.models.features import DENSE, LEXICAL

    models, thresholds = stored["models"], stored["thresholds"]
    return Calibration(
        preselect=Linear.read(models["preselect"], LEXICAL),
        rank=Linear.read(models["rank"], (*LEXICAL, *DENSE)),
        relevant=Linear.read(models["relevant"], RELEVANT),
        answerable=Linear.read(models["answerable"], ANSWERABLE),
        backed=Linear.read(models["backed"], BACKED),
        fully_backed=Linear.read(models["fully_backed"], BACKED),
        relevant_from=thresholds["relevant"],
        useful_from=thresholds["useful"],
        backed_from=thresholds["backed"],
        fully_backed_from=thresholds["fully_backed"],
    )
