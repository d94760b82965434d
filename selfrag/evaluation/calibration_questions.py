"""The fit over questions: sentences ranked, passages told relevant, answers told from none.

Each model is fitted on the outputs of the one before it. A family is a group of sets that share
texts or questions in some language.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from selfrag.evaluation.calibration_data import Case
from selfrag.evaluation.calibration_fit import best_threshold, fit_logistic, fit_ranking
from selfrag.models.answerability import answerable_features, relevance_features
from selfrag.models.calibration import Linear
from selfrag.models.evidence import Evidence, candidates_of, embed, preselect
from selfrag.models.features import Asked, Candidate, language_of, lexical
from selfrag.models.features import take_apart as _take_apart
from selfrag.models.packaged import Encoder


@dataclass(frozen=True, slots=True)
class Prepared:
    """A case with what doesn't depend on a fit. ``gold``: sentences that hold the answer."""

    case: Case
    asked: Asked
    candidates: tuple[Candidate, ...]
    by_words: NDArray[np.float64]
    gold: NDArray[np.bool_]
    partial: bool  #: fewer passages than were retrieved: only fitted on, never reported


@dataclass(frozen=True, slots=True)
class Fitted:
    """The four models of one fit over questions, and the thresholds chosen on its own data."""

    preselect: Linear
    rank: Linear
    relevant: Linear
    answerable: Linear
    relevant_from: float
    useful_from: float


def prepare(case: Case, partial: bool = False) -> Prepared:
    language = language_of(case.question, case.passages)
    candidates = candidates_of(case.passages, language)
    asked = _take_apart(case.question, candidates, language)
    gold = np.array([_holds_answer(case, c) for c in candidates], dtype=bool)
    return Prepared(case, asked, candidates, lexical(asked, candidates), gold, partial)


def some_passages(case: Case) -> Case:
    """The case with one to three of its passages: what the judge sees behind a filter."""
    rng = random.Random(f"{case.dataset} {case.id} {case.removed}")
    return _with(
        case,
        sorted(rng.sample(range(len(case.passages)), min(len(case.passages), rng.randint(1, 3)))),
    )


def _with(case: Case, kept: Sequence[int]) -> Case:
    return replace(
        case,
        passages=tuple(case.passages[i] for i in kept),
        answers=tuple(case.answers[i] for i in kept),
    )


def _holds_answer(case: Case, candidate: Candidate) -> bool:
    sentence = candidate.sentence
    return any(
        min(end, sentence.end) - max(start, sentence.start)
        > 0.5 * min(end - start, sentence.end - sentence.start)
        for start, end in case.answers[candidate.passage]
    )


def evidence_of(item: Prepared, before: Linear, rank: Linear | None, encoder: Encoder) -> Evidence:
    word_scores = before.score(item.by_words)
    chosen = preselect(word_scores)
    features = embed(item.asked, item.candidates, item.by_words, word_scores, chosen, encoder)
    scores = rank.score(features) if rank else np.zeros(len(chosen))
    return Evidence(
        item.asked,
        item.case.passages,
        item.candidates,
        item.by_words,
        word_scores,
        chosen,
        features,
        scores,
    )


def fit_questions(items: Sequence[Prepared], encoder: Encoder) -> Fitted:
    """Each model on the outputs of the one before; families weigh by the root of their size."""
    before, rank = _fit_order([i for i in items if i.gold.any() and not i.partial], encoder)
    evidences = [evidence_of(item, before, rank, encoder) for item in items]
    weights = _weights_of(items)
    passages = np.vstack([relevance_features(e) for e in evidences])
    holds = np.array([bool(a) for item in items for a in item.case.answers])
    each = np.repeat(weights, [len(item.case.passages) for item in items])
    relevant = fit_logistic(passages, holds, each)
    # A passage wrongly kept costs little, one wrongly dropped costs the answer.
    relevant_from = best_threshold(relevant.probability(passages), holds, each, beta=2)
    wholes = np.array([answerable_features(e, relevant) for e in evidences])
    truth = np.array([item.case.answerable for item in items])
    balanced = _balanced(weights, truth)
    answerable = fit_logistic(wholes, truth, balanced)
    # For the decision as it is taken: where no passage is relevant, nothing is answered.
    useful = answerable.probability(wholes) * _any_relevant(
        evidences, relevant.probability(passages) >= relevant_from
    )
    useful_from = best_threshold(useful, truth, balanced, beta=1)
    return Fitted(before, rank, relevant, answerable, relevant_from, useful_from)


def _any_relevant(evidences: Sequence[Evidence], said: NDArray[np.bool_]) -> NDArray[np.bool_]:
    ends = np.cumsum([len(e.passages) for e in evidences])
    return np.array([part.any() for part in np.split(said, ends[:-1])])


def _fit_order(ranked: Sequence[Prepared], encoder: Encoder) -> tuple[Linear, Linear]:
    """The two orders of sentences: by words alone, then by words and meaning."""
    before = fit_ranking(
        [i.by_words for i in ranked], [i.gold for i in ranked], _weights_of(ranked)
    )
    lists, golds, kept = [], [], []
    for item in ranked:
        evidence = evidence_of(item, before, None, encoder)
        gold = item.gold[list(evidence.chosen)]
        if gold.any():
            lists.append(evidence.features)
            golds.append(gold)
            kept.append(item)
    return before, fit_ranking(lists, golds, _weights_of(kept))


def _balanced(weights: NDArray[np.float64], truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    """As many with an answer as without: how often people ask in vain is not known."""
    return weights * np.where(truth, weights[~truth].sum(), weights[truth].sum())


def _weights_of(items: Sequence[Prepared]) -> NDArray[np.float64]:
    sizes = Counter(item.case.family for item in items)
    return np.array([sizes[item.case.family] ** -0.5 for item in items])
