"""Held-out figures of the local judge, and the probabilities behind them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfrag.evaluation.calibration_claims import Claims, fit_claims
from selfrag.evaluation.calibration_fit import area_under_curve, calibration_error, fit_logistic
from selfrag.evaluation.calibration_questions import Fitted, Prepared, evidence_of
from selfrag.evaluation.reliability import Held
from selfrag.models.answerability import answerable_features, relevance_features
from selfrag.models.features import LEXICAL
from selfrag.models.packaged import Encoder


def report_questions(
    items: Sequence[Prepared], fit: Fitted, encoder: Encoder
) -> tuple[dict[str, Any], list[Held]]:
    """The figures of one set under a fit that never saw its family.

    Answered and abstained are the decision as a run takes it: where no passage is relevant,
    nothing is answered.
    """
    first, two, removed, answerable = [], [], [], []
    simple_first, simple_two = [], []
    relevant: list[float] = []
    holds: list[bool] = []
    wholes = []
    kept: list[bool] = []
    for item in items:
        evidence = evidence_of(item, fit.preselect, fit.rank, encoder)
        if not item.case.removed:
            order = [evidence.chosen[i] for i in evidence.best_first()]
            first.append(bool(item.gold[order[:1]].any()))
            two.append(bool(item.gold[order[:2]].any()))
            simple = _simple_order(item, encoder)
            simple_first.append(bool(item.gold[simple[:1]].any()))
            simple_two.append(bool(item.gold[simple[:2]].any()))
        wholes.append(answerable_features(evidence, fit.relevant))
        of_each = fit.relevant.probability(relevance_features(evidence))
        kept.append(bool((of_each >= fit.relevant_from).any()))
        removed.append(item.case.removed)
        answerable.append(item.case.answerable)
        relevant.extend(of_each)
        holds.extend(bool(a) for a in item.case.answers)
    gone, truth = np.array(removed), np.array(answerable)
    p = fit.answerable.probability(np.array(wholes))
    own = _cross_validated(np.array(wholes), ~gone, [item.case.id for item in items])
    decided = p * np.array(kept)
    r, h = np.array(relevant), np.array(holds)
    said = r >= fit.relevant_from
    name = items[0].case.dataset
    figures = {
        "questions": len(first),
        "first": float(np.mean(first)),
        "first_two": float(np.mean(two)),
        "simple_first": float(np.mean(simple_first)),
        "simple_first_two": float(np.mean(simple_two)),
        "answerable_auc": area_under_curve(p, ~gone),
        "answerable_accuracy": float(((decided >= fit.useful_from) == ~gone).mean()),
        "answerable_auc_by_question": area_under_curve(own, ~gone),
        "answerable_accuracy_by_question": float(((own >= 0.5) == ~gone).mean()),
        "answerable_ece_by_question": calibration_error(own, ~gone),
        "answered_of_answerable": float((decided >= fit.useful_from)[truth].mean()),
        "abstained_of_removed": float((decided < fit.useful_from)[gone].mean()),
        "answerable_ece": calibration_error(p, truth),
        "relevance_precision": float((said & h).sum() / max(said.sum(), 1)),
        "relevance_recall": float((said & h).sum() / max(h.sum(), 1)),
        "relevance_auc": area_under_curve(r, h),
        "relevance_ece": calibration_error(r, h),
    }
    return figures, [Held("relevant", name, r, h), Held("answers", name, p, truth)]


def _simple_order(item: Prepared, encoder: Encoder) -> list[int]:
    """All sentences by half cosine and half coverage: the recipe to beat, in the same setup."""
    if not item.candidates:
        return []
    texts = [c.sentence.text for c in item.candidates]
    vectors = encoder.vectors([item.case.question, *texts])
    mixed = 0.5 * (vectors[1:] @ vectors[0]) + 0.5 * item.by_words[:, LEXICAL.index("coverage")]
    order: list[int] = np.argsort(-mixed, kind="stable").tolist()
    return order


def _cross_validated(
    features: NDArray[np.float64], truth: NDArray[np.bool_], ids: Sequence[str], folds: int = 5
) -> NDArray[np.float64]:
    """Probabilities from the set's other questions: what fitting to one's own documents gives."""
    number = {key: place for place, key in enumerate(dict.fromkeys(ids))}
    fold = np.array([number[key] for key in ids]) % folds
    found = np.zeros(len(truth))
    for left in range(folds):
        seen = fold != left
        model = fit_logistic(features[seen], truth[seen], np.ones(int(seen.sum())))
        found[~seen] = model.probability(features[~seen])
    return found


def report_claims(
    sets: Sequence[Claims], folds: int = 5
) -> tuple[dict[str, dict[str, Any]], list[Held]]:
    """Five folds by cited text, both sets in each fit: the model that is shipped, held out."""
    found = {s.name: {"full": np.zeros(len(s.full)), "some": np.zeros(len(s.full))} for s in sets}
    for fold in range(folds):
        seen = [_part(s, s.group % folds != fold) for s in sets]
        for label in ("full", "some"):
            model = fit_claims(seen, label)
            for s in sets:
                left = s.group % folds == fold
                found[s.name][label][left] = model.probability(s.features[left])
    report: dict[str, dict[str, Any]] = {}
    held = []
    for s in sets:
        p = found[s.name]["full"]
        said = p >= 0.5
        held.append(Held("backed", s.name, p, s.full))
        report[s.name] = {
            "claims": len(p),
            "full_auc": area_under_curve(p, s.full),
            "full_accuracy": float((said == s.full).mean()),
            "full_precision": float(s.full[said].mean()),
            "full_recall": float(said[s.full].mean()),
            "full_ece": calibration_error(p, s.full),
            "always_accuracy": float(s.full.mean()),
            "never_accuracy": float(1 - s.full.mean()),
            "some_auc": area_under_curve(found[s.name]["some"], s.some),
        }
    return report, held


def _part(s: Claims, rows: NDArray[np.bool_]) -> Claims:
    return Claims(s.name, s.features[rows], s.full[rows], s.some[rows], s.group[rows])
