"""Fit the local judge's coefficients and report held-out figures.

    python -m selfrag.evaluation.calibrate DATA_DIR [--vectors FILE.npz] [--report-only]

``DATA_DIR`` holds ``beir/NAME`` folders with answer spans and ``qa/*.jsonl``. Sets that share
texts or questions in some language are one family. Every reported figure comes from a fit that
saw nothing of the set's family (claims: five folds by cited text); the coefficients that are
written come from the same fit over all families.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfrag.evaluation.calibration_claims import Claims, read_claims
from selfrag.evaluation.calibration_data import Case, cases, spans_by_overlap, spans_of_answers
from selfrag.evaluation.calibration_fit import (
    area_under_curve,
    best_threshold,
    calibration_error,
    fit_logistic,
    fit_ranking,
)
from selfrag.models.answerability import (
    ANSWERABLE,
    RELEVANT,
    answerable_features,
    relevance_features,
)
from selfrag.models.backing import BACKED
from selfrag.models.calibration import COEFFICIENTS, Linear
from selfrag.models.evidence import Evidence, candidates_of, embed, preselect
from selfrag.models.features import DENSE, LEXICAL, Asked, Candidate, language_of, lexical
from selfrag.models.features import take_apart as _take_apart
from selfrag.models.packaged import DIMENSION, Encoder, PackagedEmbeddings

SETS = (  # folder, family, every n-th question
    ("xquad-en", "xquad", 1),
    ("xquad-es", "xquad", 2),
    ("faquad-pt", "faquad", 1),
    ("pira-en", "pira", 1),
    ("pira-pt", "pira", 1),
    ("covidqa", "covidqa", 3),
)
CLAIMS_L2 = 3e-2  #: two small sets that differ much: stronger than elsewhere


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


def prepare(case: Case, partial: bool = False) -> Prepared:
    language = language_of(case.question, case.passages)
    candidates = candidates_of(case.passages, language)
    asked = _take_apart(case.question, candidates, language)
    gold = np.array([_holds_answer(case, c) for c in candidates], dtype=bool)
    return Prepared(case, asked, candidates, lexical(asked, candidates), gold, partial)


def some_passages(case: Case) -> Case:
    """The case with one to three of its passages: what the judge sees behind a filter."""
    rng = random.Random(f"{case.dataset} {case.id} {case.removed}")
    kept = sorted(rng.sample(range(len(case.passages)), min(len(case.passages), rng.randint(1, 3))))
    return Case(
        case.family,
        case.dataset,
        case.id,
        case.question,
        tuple(case.passages[i] for i in kept),
        tuple(case.answers[i] for i in kept),
        case.removed,
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
    features = embed(item.case.question, item.candidates, item.by_words, chosen, encoder)
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
    ranked = [item for item in items if item.gold.any() and not item.partial]
    before = fit_ranking(
        [i.by_words for i in ranked], [i.gold for i in ranked], _weights([i.case for i in ranked])
    )
    lists, golds, kept = [], [], []
    for item in ranked:
        evidence = evidence_of(item, before, None, encoder)
        gold = item.gold[list(evidence.chosen)]
        if gold.any():
            lists.append(evidence.features)
            golds.append(gold)
            kept.append(item.case)
    rank = fit_ranking(lists, golds, _weights(kept))
    evidences = [evidence_of(item, before, rank, encoder) for item in items]
    weights = _weights([item.case for item in items])
    passages = np.vstack([relevance_features(e) for e in evidences])
    holds = np.array([bool(a) for item in items for a in item.case.answers])
    each = np.repeat(weights, [len(item.case.passages) for item in items])
    relevant = fit_logistic(passages, holds, each)
    wholes = np.array([answerable_features(e) for e in evidences])
    truth = np.array([item.case.answerable for item in items])
    # As many with an answer as without: how often people ask in vain is not known beforehand.
    balanced = weights * np.where(truth, weights[~truth].sum(), weights[truth].sum())
    answerable = fit_logistic(wholes, truth, balanced)
    return Fitted(
        before,
        rank,
        relevant,
        answerable,
        # A passage wrongly kept costs little, one wrongly dropped costs the answer.
        best_threshold(relevant.probability(passages), holds, each, beta=2),
        # Chosen on the sets fitted on, never on those reported.
        best_threshold(answerable.probability(wholes), truth, balanced, beta=1),
    )


def _weights(items: Sequence[Case]) -> NDArray[np.float64]:
    sizes = Counter(item.family for item in items)
    return np.array([sizes[item.family] ** -0.5 for item in items])


def report_questions(items: Sequence[Prepared], fit: Fitted, encoder: Encoder) -> dict[str, Any]:
    """The figures of one set under a fit that never saw its family."""
    first, two, removed, answerable = [], [], [], []
    simple_first, simple_two = [], []
    relevant: list[float] = []
    holds: list[bool] = []
    wholes = []
    for item in items:
        evidence = evidence_of(item, fit.preselect, fit.rank, encoder)
        if not item.case.removed:
            order = [evidence.chosen[i] for i in evidence.best_first()]
            first.append(bool(item.gold[order[:1]].any()))
            two.append(bool(item.gold[order[:2]].any()))
            simple = _simple_order(item, encoder)
            simple_first.append(bool(item.gold[simple[:1]].any()))
            simple_two.append(bool(item.gold[simple[:2]].any()))
        wholes.append(answerable_features(evidence))
        removed.append(item.case.removed)
        answerable.append(item.case.answerable)
        relevant.extend(fit.relevant.probability(relevance_features(evidence)))
        holds.extend(bool(a) for a in item.case.answers)
    gone, truth = np.array(removed), np.array(answerable)
    p = fit.answerable.probability(np.array(wholes))
    own = _cross_validated(np.array(wholes), ~gone, [item.case.id for item in items])
    r, h = np.array(relevant), np.array(holds)
    said = r >= fit.relevant_from
    return {
        "questions": len(first),
        "first": float(np.mean(first)),
        "first_two": float(np.mean(two)),
        "simple_first": float(np.mean(simple_first)),
        "simple_first_two": float(np.mean(simple_two)),
        "answerable_auc": area_under_curve(p, ~gone),
        "answerable_accuracy": float(((p >= fit.useful_from) == ~gone).mean()),
        "answerable_auc_by_question": area_under_curve(own, ~gone),
        "answerable_accuracy_by_question": float(((own >= 0.5) == ~gone).mean()),
        "answerable_ece_by_question": calibration_error(own, ~gone),
        "answered_of_answerable": float((p >= fit.useful_from)[truth].mean()),
        "abstained_of_removed": float((p < fit.useful_from)[gone].mean()),
        "answerable_ece": calibration_error(p, truth),
        "relevance_precision": float((said & h).sum() / max(said.sum(), 1)),
        "relevance_recall": float((said & h).sum() / max(h.sum(), 1)),
        "relevance_auc": area_under_curve(r, h),
        "relevance_ece": calibration_error(r, h),
    }


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


def fit_claims(sets: Sequence[Claims], label: str) -> Linear:
    truth = np.concatenate([getattr(s, label) for s in sets])
    weight = np.concatenate([np.full(len(s.full), len(s.full) ** -0.5) for s in sets])
    return fit_logistic(np.vstack([s.features for s in sets]), truth, weight, CLAIMS_L2)


def report_claims(sets: Sequence[Claims], folds: int = 5) -> dict[str, dict[str, Any]]:
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
    for s in sets:
        p = found[s.name]["full"]
        said = p >= 0.5
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
    return report


def _part(s: Claims, rows: NDArray[np.bool_]) -> Claims:
    return Claims(s.name, s.features[rows], s.full[rows], s.some[rows], s.group[rows])


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
        for family in sorted({case.family for case in found}):
            fit = fit_questions([i for i in items if i.case.family != family], encoder)
            for name in sorted({case.dataset for case in found if case.family == family}):
                mine = [i for i in whole if i.case.dataset == name]
                figures[name] = report_questions(mine, fit, encoder)
        figures.update(report_claims(claims))
        figures = {name: {k: round(v, 3) for k, v in row.items()} for name, row in figures.items()}
        sys.stdout.write(json.dumps(figures, indent=1) + "\n")
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
