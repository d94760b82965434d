"""A reliability diagram's data: of those said to be 70% sure, how many were right?

Equal-width bins as for the expected calibration error (Guo et al., 2017); the weighted mean
distance of the points from the diagonal is that error.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases whose probability lies between ``low`` and ``high``, 0 to 1.

    Attributes:
        said: their mean probability.
        true: the share that was true.
        count: how many there are; a bin without cases is left out.
    """

    low: float
    high: float
    said: float
    true: float
    count: int


@dataclass(frozen=True, slots=True)
class Held:
    """Probabilities for cases that the fit did not see, and what was true.

    Attributes:
        kind: what was graded: ``relevant``, ``answers`` or ``backed``.
        dataset: the set that the cases are from.
    """

    kind: str
    dataset: str
    probabilities: NDArray[np.float64]
    truth: NDArray[np.bool_]


def reliability(
    probabilities: NDArray[np.float64], truth: NDArray[np.bool_], bins: int = 10
) -> list[Bin]:
    """The bins that hold cases, in ascending order.

    Raises:
        ValueError: the two arrays have different lengths.
    """
    if len(probabilities) != len(truth):
        raise ValueError(f"{len(probabilities)} probabilities and {len(truth)} truths")
    place = np.minimum((probabilities * bins).astype(int), bins - 1)
    return [
        Bin(
            number / bins,
            (number + 1) / bins,
            float(probabilities[place == number].mean()),
            float(truth[place == number].mean()),
            int((place == number).sum()),
        )
        for number in range(bins)
        if (place == number).any()
    ]
