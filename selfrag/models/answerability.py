"""Does a passage hold the answer, and do the passages together answer? As numbers.

The names are the contract between the calibration and the judge. Both models are fitted on
questions with their passages and on the same questions with the answer's passage removed.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from selfrag.models.calibration import Linear
from selfrag.models.evidence import Evidence
from selfrag.models.features import DENSE, LEXICAL

RELEVANT = (
    "score",  # of its best sentence
    "cosine",  # of its sentence nearest to the question
    "passage",  # share of the question's weight in its words
    "coverage",  # the same in one sentence
    "near",  # counting words with the same beginning
    "named",  # share of the question's names and numbers
    "rarest",  # a sentence has the weightiest word
    "pairs",  # neighbouring question words that are neighbours there
    "around",  # covered by its best sentence and those beside it
    "fits",
    "misfits",
    "rank",
    "lead",  # score over that of the best other passage
    "lead_cosine",
    "lead_passage",
)
ANSWERABLE = (
    "score",  # of the sentence that answers best
    "second",  # of the next best
    "cosine",
    "cosine_best",
    "coverage",
    "coverage_best",
    "around",
    "near",
    "passage",
    "passage_best",
    "named",
    "named_around",
    "rarest",
    "rarest_best",
    "pairs",
    "fits",
    "misfits",
    "coverage_second",
    "asked",  # log of the number of words that the question has
    "rank",
    "together",  # the two best stand in one passage
    "relevance",  # log-odds that the passages hold the answer, the best three
    "relevance_second",
    "relevance_third",
    "lead",  # score of the best passage over the next
    "lead_cosine",
    "lead_passage",
    "missing",  # share of the question's weight in no passage at all
    "undecided",  # entropy of the scores, nats
    "decided",  # share of the best sentence in them
    "cosine_others",  # of the average passage, less that of the best
    "covering",  # share of passages with more than half of the question's weight
)
SURE = 9.2  #: log-odds beyond which a probability tells nothing more
COLUMN = {name: place for place, name in enumerate((*LEXICAL, *DENSE))}


def relevance_features(evidence: Evidence) -> NDArray[np.float64]:
    """Shape ``(passages, len(RELEVANT))``."""
    rows = np.zeros((len(evidence.passages), len(RELEVANT)))
    if not evidence.candidates:
        return rows
    of_all = np.array([c.passage for c in evidence.candidates])
    of_chosen = of_all[list(evidence.chosen)]
    words, chosen = evidence.by_words, evidence.features
    cosines = chosen[:, COLUMN["cosine"]]
    for passage in range(len(rows)):
        mine, embedded = of_all == passage, of_chosen == passage
        # A passage without an embedded sentence is no better than the worst that was.
        score, cosine, best = evidence.scores.min() - 0.5, cosines.min(), np.zeros(len(COLUMN))
        if embedded.any():
            score, cosine = evidence.scores[embedded].max(), cosines[embedded].max()
            best = chosen[embedded][evidence.scores[embedded].argmax()]
        top = words[mine].max(axis=0) if mine.any() else np.zeros(len(LEXICAL))
        both = words[mine][:, COLUMN["coverage"]] + words[mine][:, COLUMN["near"]]
        rows[passage, :12] = (
            score,
            cosine,
            top[COLUMN["passage"]],
            top[COLUMN["coverage"]],
            both.max(initial=0.0),
            top[COLUMN["named_around"]],
            top[COLUMN["rarest"]],
            top[COLUMN["pairs"]],
            best[COLUMN["coverage"]] + best[COLUMN["around"]],
            best[COLUMN["fits"]],
            best[COLUMN["misfits"]],
            1 / (1 + passage),
        )
    for passage in range(len(rows)):
        others = np.delete(rows[:, :3], passage, axis=0)
        if len(others):
            rows[passage, 12:] = rows[passage, :3] - others.max(axis=0)
    return rows


def answerable_features(
    evidence: Evidence, relevant: Linear, answering: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """Shape ``(len(ANSWERABLE),)``.

    Args:
        relevant: the model of a single passage, over ``RELEVANT``.
        answering: rows of ``evidence.chosen`` that the answer rests on, the best first;
            None takes those that score best.
    """
    order = list(evidence.best_first() if answering is None else answering)
    if not order:
        return np.zeros(len(ANSWERABLE))
    x, words = evidence.features, evidence.by_words
    first, second = order[0], order[min(1, len(order) - 1)]
    top, next_ = x[first], x[second]
    passage_of = [evidence.candidates[i].passage for i in evidence.chosen]
    return np.array(
        [
            evidence.scores[first],
            evidence.scores[second],
            top[COLUMN["cosine"]],
            x[order, COLUMN["cosine"]].max(),
            top[COLUMN["coverage"]],
            words[:, COLUMN["coverage"]].max(),
            top[COLUMN["coverage"]] + top[COLUMN["around"]],
            top[COLUMN["near"]],
            top[COLUMN["passage"]],
            words[:, COLUMN["passage"]].max(),
            top[COLUMN["named"]],
            top[COLUMN["named_around"]],
            top[COLUMN["rarest"]],
            words[:, COLUMN["rarest"]].max(),
            top[COLUMN["pairs"]],
            top[COLUMN["fits"]],
            top[COLUMN["misfits"]],
            next_[COLUMN["coverage"]],
            math.log1p(len(evidence.asked.words)),
            top[COLUMN["rank"]],
            passage_of[first] == passage_of[second],
            *_of_passages(evidence, relevant),
        ]
    )


def _of_passages(evidence: Evidence, relevant: Linear) -> list[float]:
    """How the passages compare with each other: a question without an answer has no clear best."""
    rows = relevance_features(evidence)
    odds = np.full(3, -SURE)
    best = np.sort(np.clip(relevant.score(rows), -SURE, SURE))[::-1][:3]
    odds[: len(best)] = best
    score, cosine, covered = np.sort(rows[:, :3], axis=0)[::-1].T
    in_any = {word.key for candidate in evidence.candidates for word in candidate.words}
    absent = [word.key not in in_any for word in evidence.asked.words]
    share = np.exp(evidence.scores - evidence.scores.max())
    share /= share.sum()
    return [
        *odds,
        _lead(score),
        _lead(cosine),
        _lead(covered),
        float(evidence.asked.weights @ absent) if absent else 0.0,
        float(-(share * np.log(share + 1e-12)).sum()),
        float(share.max()),
        float(cosine.mean() - cosine[0]),
        float((covered > 0.5).mean()),
    ]


def _lead(best_first: NDArray[np.float64]) -> float:
    return float(best_first[0] - best_first[1]) if len(best_first) > 1 else 0.0
