"""A study: measured by ir-measures, told in words, written and read back."""

import html
import json

import ir_measures
import numpy as np
import pytest

from selfrag.evaluation.study import MEASURES, Searched, Study, make_study
from selfrag.evaluation.study_text import LETTERS, as_html, tables
from selfrag.evaluation.verdict import verdict

RANDOM = np.random.default_rng(7)
DOCUMENTS = [f"d{i}" for i in range(60)]
QRELS = {
    f"q{q}": {f"d{d}": int(RANDOM.integers(0, 3)) for d in RANDOM.choice(60, 8, replace=False)}
    | {f"d{q}": 2}
    for q in range(25)
}
QUESTIONS = {query: f"question {query}" for query in QRELS}


def shuffled(seed: int) -> dict[str, Searched]:
    random = np.random.default_rng(seed)
    return {
        query: Searched(tuple(random.permutation(DOCUMENTS)[:40].tolist()), 0.001 * (n + 1))
        for n, query in enumerate(QRELS)
    }


def ideal() -> dict[str, Searched]:
    return {
        query: Searched(tuple(sorted(grades, key=lambda d: -grades[d])), 0.002)
        for query, grades in QRELS.items()
    }


@pytest.fixture(scope="module")
def study() -> Study:
    found = {"bm25": shuffled(1), "dense": shuffled(2), "hybrid": ideal()}
    labels = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in QRELS}
    return make_study("generated", QUESTIONS, QRELS, found, labels=labels)


@pytest.mark.parametrize("name", MEASURES)
def test_measures_are_those_of_ir_measures(study: Study, name: str) -> None:
    found = shuffled(1)
    run = {
        query: {document: 1000.0 - place for place, document in enumerate(each.ranking)}
        for query, each in found.items()
    }
    measure = ir_measures.parse_measure(name)
    expected = ir_measures.calc_aggregate([measure], QRELS, run)[measure]
    assert study.figures["bm25"].means[name].mean == pytest.approx(expected, abs=1e-9)


def test_latency_is_median_and_percentile(study: Study) -> None:
    times = [0.001 * (n + 1) for n in range(25)]
    assert study.figures["bm25"].median == pytest.approx(np.median(times))
    assert study.figures["bm25"].p95 == pytest.approx(np.percentile(times, 95))


def test_strata_are_means_over_their_questions(study: Study) -> None:
    values = study.figures["dense"].values["nDCG@10"]
    even = [value for query, value in values.items() if int(query[1:]) % 2 == 0]
    assert study.strata["even"]["dense"].mean == pytest.approx(np.mean(even))
    assert study.strata["even"]["dense"].count == len(even) == 13


def test_study_comes_back_as_it_was_written(study: Study) -> None:
    assert Study.from_json(json.loads(json.dumps(study.to_json()))) == study


def test_verdict_names_the_better_one_and_what_is_chance(study: Study) -> None:
    said = verdict(study)
    assert said[0].startswith("hybrid finds more than")
    assert "95 % interval" in said[0] and "p < 0.001" in said[0]
    chance = make_study("c", QUESTIONS, QRELS, {"bm25": shuffled(1), "dense": shuffled(2)})
    (only,) = verdict(chance)
    assert "No significant difference between" in only and "25 questions can show" in only
    assert "more question" in only


def few(number: int) -> dict[str, dict[str, int]]:
    return {query: QRELS[query] for query in list(QRELS)[:number]}


@pytest.mark.parametrize(
    ("number", "said"), [(0, "No question has a relevant passage"), (1, "not enough for a test")]
)
def test_too_few_questions_are_told(number: int, said: str) -> None:
    made = make_study("few", QUESTIONS, few(number), {"bm25": shuffled(1), "dense": shuffled(2)})
    assert said in verdict(made)[0]


def test_all_ties_are_told() -> None:
    made = make_study("ties", QUESTIONS, QRELS, {"bm25": shuffled(1), "dense": shuffled(1)})
    assert "nothing to test" in verdict(made)[0]
    assert made.differing("bm25", "dense") == []


def test_questions_that_differ_most_come_first(study: Study) -> None:
    rows = study.differing("hybrid", "bm25", 5)
    gaps = [abs(a - b) for _, a, b in rows]
    assert len(rows) == 5 and gaps == sorted(gaps, reverse=True)


def test_letters_are_explained_where_there_are_any(study: Study) -> None:
    assert html.escape(LETTERS) in as_html(study)
    equal = make_study("equal", QUESTIONS, QRELS, {"bm25": ideal(), "dense": ideal()})
    assert html.escape(LETTERS) not in as_html(equal)


def test_stages_that_could_not_run_have_a_column_only_where_there_are_any(study: Study) -> None:
    def heads(of: Study) -> list[str]:
        return next(heads for title, heads, _ in tables(of) if title.startswith("Interval"))

    assert "stages that could not run" not in heads(study)
    reason = {"rerank": "there is no reranker"}
    without = {
        query: Searched(each.ranking, each.seconds, reason) for query, each in ideal().items()
    }
    some = make_study("some", QUESTIONS, QRELS, {"bm25": ideal(), "full": without})
    assert heads(some)[-1] == "stages that could not run"
