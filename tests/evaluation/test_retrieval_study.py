"""Retrieval measured on a set: kept, resumed, cancelled, replayed; what changed is named."""

import csv
import io
import json
import shutil
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.evaluation.beir import read_beir
from selfrag.evaluation.changes import changed
from selfrag.evaluation.experiment import experiment
from selfrag.evaluation.history import History, record_of
from selfrag.evaluation.retrieval_study import Cancelled, Task, measure
from selfrag.evaluation.strata import read_labels
from selfrag.evaluation.study_text import as_csv, as_html, tables
from selfrag.models.rerankers import NoReranker
from selfrag.records.database import open_database
from selfrag.records.results import Results
from selfrag.retrieval.funnel import FunnelSettings
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from tests.evaluation.test_retrieval_sets import DOCUMENTS, HashedWords, write

QUERIES = {
    "q1": "melting glacier",
    "q2": "dam that floods villages",
    "q3": "water for farmers",
    "q4": "=council proposes a dam",
}
OTHERS = [("q5", " "), ("q6", "nobody judged this")]
VARIANTS = tuple(Variant.parse(name) for name in ("bm25", "dense", "hybrid", "hybrid_rerank"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    (made / "qrels").mkdir(parents=True)
    write(made / "corpus.jsonl", [{"_id": k, "text": t} for k, t in DOCUMENTS.items()])
    rows = [
        {"_id": key, "text": text, "label": "ice" if key == "q1" else "water"}
        for key, text in QUERIES.items()
    ]
    write(made / "queries.jsonl", rows)
    pairs = zip(QUERIES, ("d1", "d4", "d2", "d3"), strict=True)
    (made / "qrels" / "test.tsv").write_text("".join(f"{q}\t{d}\t1\n" for q, d in pairs))
    return made


class Models:
    """Counts how often models are asked for."""

    def __init__(self) -> None:
        self.opened = 0

    def __call__(self):
        self.opened += 1
        return HashedWords(), NoReranker()


@pytest.fixture
def task(folder: Path, tmp_path: Path) -> Task:
    return Task(
        data=read_beir(folder),
        variants=VARIANTS,
        models={"embedding model": "hashed"},
        open_models=Models(),
        folder=tmp_path / "kept",
        labels=read_labels(folder),
    )


def test_study_measures_what_the_funnel_finds(task: Task) -> None:
    made = measure(task)
    study = made.study
    assert not made.again
    assert list(study.figures) == [str(variant) for variant in VARIANTS]
    assert len(study.pairs) == 6
    assert {name: row["bm25"].count for name, row in study.strata.items()} == {"ice": 1, "water": 3}
    assert study.figures["hybrid_rerank"].skipped.keys() == {"rerank"}
    assert any(note.startswith("hybrid_rerank: rerank was skipped") for note in study.notes)
    with experiment(task.data, HashedWords()) as opened:
        ranked = {q: opened.ranking(opened.search(t, Mode.BM25)) for q, t in QUERIES.items()}
    first = [ranked[q].index(next(iter(task.data.qrels[q]))) == 0 for q in QUERIES]
    values = study.figures["bm25"].values["RR@10"]
    assert [values[query] == 1.0 for query in QUERIES] == first


def test_the_same_again_opens_no_model(task: Task) -> None:
    first = measure(task)
    second = measure(task)
    assert second.again and second.study == first.study
    assert task.open_models.opened == 1


def test_kept_study_of_a_folder_with_the_same_contents_goes_by_the_name_of_this_one(
    task: Task, folder: Path, tmp_path: Path
) -> None:
    first = measure(task)
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    with (other / "queries.jsonl").open("a") as file:
        file.writelines(json.dumps({"_id": key, "text": text}) + "\n" for key, text in OTHERS)
    with (other / "qrels" / "test.tsv").open("a") as file:
        file.write("q5\td1\t1\n")
    second = measure(replace(task, data=read_beir(other)))
    assert second.again and second.signature == first.signature
    assert second.study.figures == first.study.figures
    assert (first.study.name, second.study.name) == ("set", "other")
    assert [each.id for each in second.study.left_out] == ["q5"]
    assert second.study.notes[1] == "1 question without qrels was left out."
    engine = open_database(None, tmp_path)
    history = History(Results(engine))
    for made in (first, second):
        record = record_of(made.study, made.made_of, made.signature, task.wanted)
        history.keep(record, made.study.to_json())
    assert [(row.name, row.undefined) for row in history.all()] == [("set", 0), ("other", 1)]
    engine.dispose()
    third = measure(task)
    assert third.again and third.study == first.study


def test_fusion_is_replayed_with_the_parameters_that_searching_has(task: Task) -> None:
    study = measure(task).study
    weight = str(task.settings.dense_weight)
    hybrid = study.figures["hybrid"].means["nDCG@10"].mean
    assert study.sensitivity["dense_weight"][weight] == pytest.approx(hybrid)
    rrf = measure(replace(task, variants=(Variant(Mode.HYBRID, fusion="rrf"),))).study
    found = rrf.figures["hybrid:fusion=rrf"].means["nDCG@10"].mean
    assert study.sensitivity["rrf_k"]["60"] == pytest.approx(found)


def test_cancelled_study_goes_on_where_it_was(task: Task) -> None:
    cancel = threading.Event()
    searched = []

    def progress(what: str, done: int, total: int) -> None:
        searched.append((what, done, total))
        if what.startswith("searching, dense") and done == 6:
            cancel.set()

    with pytest.raises(Cancelled, match="is kept"):
        measure(task, progress=progress, cancel=cancel)
    assert [len(task.kept.searched(name)) for name in ("bm25", "dense")] == [4, 3]
    before = task.kept.searched("bm25")
    made = measure(task)
    assert task.kept.searched("bm25") == before
    assert len(made.study.questions) == 4
    assert all(0 <= done <= total for _, done, total in searched)


def test_line_that_was_not_finished_is_searched_again(task: Task) -> None:
    measure(task)
    path = min(task.folder.rglob("*.jsonl"))
    text = path.read_text()
    path.write_text(text[: len(text) - 20])
    for result in task.folder.rglob("result-*.json"):
        result.unlink()
    assert len(measure(task).study.questions) == 4
    assert task.open_models.opened == 2


def test_other_settings_have_another_signature(task: Task) -> None:
    first = measure(task)
    made = measure(replace(task, settings=FunnelSettings(dense_weight=0.3)))
    assert made.signature != first.signature and not made.again
    assert changed(first.made_of, made.made_of) == ["dense weight: 0.4 before, 0.3 now"]


def test_fresh_searches_again(task: Task) -> None:
    measure(task)
    assert not measure(task, fresh=True).again


@pytest.mark.parametrize("variants", [(), (VARIANTS[0], VARIANTS[0])])
def test_no_mode_and_one_twice_are_refused(task: Task, variants) -> None:
    with pytest.raises(UserError):
        measure(replace(task, variants=variants))


def test_tables_csv_and_page_hold_the_numbers(task: Task) -> None:
    study = measure(task).study
    title, heads, rows = tables(study)[0]
    assert (title, heads[:2], len(rows)) == ("set", ["mode", "nDCG@10"], 4)
    read = list(csv.DictReader(io.StringIO(as_csv(study))))
    assert len(read) == 16
    assert float(read[0]["nDCG@10"]) == pytest.approx(study.figures["bm25"].values["nDCG@10"]["q1"])
    assert {row["question"] for row in read if row["question_id"] == "q4"} == {
        "'=council proposes a dam"
    }
    page = as_html(replace(study, name="<script>"))
    assert "<script>" not in page and "&lt;script&gt;" in page and "http" not in page


def test_labels_of_scifact_are_read(tmp_path: Path) -> None:
    evidence = {"7": [{"label": "SUPPORT"}], "8": [{"label": "CONTRADICT"}, {"label": "SUPPORT"}]}
    rows = [
        {"_id": "1", "text": "?", "metadata": {"7": [{"sentences": [1], "label": "SUPPORT"}]}},
        {"_id": "2", "text": "?", "metadata": evidence},
        {"_id": "3", "text": "?", "metadata": {}},
        {"_id": "4", "text": "?"},
    ]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert read_labels(tmp_path) == {"1": "SUPPORT", "2": "CONTRADICT and SUPPORT"}
    assert read_labels(tmp_path / "nowhere") == {}


def test_labels_are_read_line_by_line_and_a_line_is_what_a_line_feed_ends(tmp_path: Path) -> None:
    pad = "word " * 2_000
    with (tmp_path / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number in range(400):
            row = {"_id": str(number), "text": f"Why{chr(0x2028)}so? {pad}", "label": "REFUTED"}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    tracemalloc.start()
    try:
        assert read_labels(tmp_path) == {str(number): "REFUTED" for number in range(400)}
        assert tracemalloc.get_traced_memory()[1] < 1_000_000, "of 4 MB"
    finally:
        tracemalloc.stop()
