"""Retrieval sets: read, refused with a sentence, indexed and measured by the product's funnel."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from selfrag.errors import UserError
from selfrag.evaluation.beir import read_beir
from selfrag.evaluation.experiment import Cutting, experiment
from selfrag.evaluation.metrics import means, per_query
from selfrag.evaluation.modes import measure, table
from selfrag.evaluation.paired import compare
from selfrag.retrieval.result import Mode

DOCUMENTS = {
    "d1": "The glacier melts faster every summer.",
    "d2": "Farmers in the valley depend on its water.",
    "d3": "A new dam was proposed by the council.",
    "d4": "Critics say that the dam would flood two villages.",
}
QUERIES = {"q1": "melting glacier", "q2": "dam that floods villages", "q3": "nobody judged this"}


class HashedWords:
    """Vectors that are alike where texts share words; counts what it embeds."""

    name, dimension, languages = "hashed", 32, None

    def __init__(self) -> None:
        self.embedded = 0

    def embed_documents(self, texts, *, progress=None, cancel=None):
        self.embedded += len(texts)
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        made = np.full(self.dimension, 1e-3)
        for word in text.lower().strip(".?").split():
            made[sum(word.encode()) % self.dimension] += 1
        return (made / np.linalg.norm(made)).tolist()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "set"
    (made / "qrels").mkdir(parents=True)
    write(made / "corpus.jsonl", [{"_id": k, "title": "", "text": t} for k, t in DOCUMENTS.items()])
    write(made / "queries.jsonl", [{"_id": k, "text": t} for k, t in QUERIES.items()])
    (made / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t1\n")
    return made


def write(path: Path, rows: list[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_unjudged_query_is_left_out_and_counted(folder: Path) -> None:
    data = read_beir(folder)
    assert set(data.queries) == {"q1", "q2"}
    assert data.unjudged == 1
    assert data.documents["d1"] == DOCUMENTS["d1"]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("qrels/test.tsv", None, r"test\.tsv is not there"),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", "judges nothing"),
        ("qrels/test.tsv", "q1\td1\t1\nq1 d2 1\n", "Line 2"),
        ("qrels/test.tsv", "q1\td99\t1\n", "1 document that is not there, such as 'd99'"),
        ("qrels/test.tsv", f"q1\td1\t{10**30}\n", "Line 1 .* whole numbers up to 1,000,000"),
        ("qrels/test.tsv", "q99\td1\t1\n", "1 query that is not there, such as 'q99'"),
        ("corpus.jsonl", '{"_id": "d1"}\n{"_id": "d1"}\n', "'d1' more than once"),
        ("queries.jsonl", '{"text": "?"}\n', "Line 1"),
        ("queries.jsonl", "[1]\n", "Line 1"),
    ],
)
def test_damaged_set_is_refused_with_the_place(
    folder: Path, file: str, text: str | None, said: str
) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(UserError, match=said):
        read_beir(folder)


def test_file_in_another_encoding_is_named(folder: Path) -> None:
    (folder / "queries.jsonl").write_bytes('{"_id": "q1", "text": "água"}'.encode("latin-1"))
    with pytest.raises(UserError, match="UTF-8"):
        read_beir(folder)


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_what_is_no_file_is_told_and_not_opened(folder: Path, file: str) -> None:
    (folder / file).unlink()
    (folder / file).mkdir()
    with pytest.raises(UserError, match="is no file: put the file"):
        read_beir(folder)
    if hasattr(os, "mkfifo"):
        (folder / file).rmdir()
        os.mkfifo(folder / file)
        with pytest.raises(UserError, match="is no file: put the file"):
            read_beir(folder)


@pytest.mark.skipif(os.name == "nt", reason="links need a right of their own there")
def test_link_that_leads_to_itself_cannot_be_read(folder: Path) -> None:
    (folder / "corpus.jsonl").unlink()
    (folder / "corpus.jsonl").symlink_to("corpus.jsonl")
    with pytest.raises(UserError, match=r"corpus\.jsonl cannot be read \("):
        read_beir(folder)


def test_query_for_which_nothing_was_found_counts_as_zero() -> None:
    found: dict[str, list[str]] = {"a": ["3", "1"]}
    for rankings in (found, found | {"b": []}):
        values = per_query(
            {"a": {"1": 1}, "b": {"2": 1}}, rankings, ["RR@10", "R@100", "Judged@10"]
        )
        assert values["Judged@10"] == {"a": 0.5, "b": 0.0}
        del values["Judged@10"]
        assert values == {"RR@10": {"a": 0.5, "b": 0.0}, "R@100": {"a": 1.0, "b": 0.0}}
    nothing = per_query({"b": {"2": 1}}, {"b": []}, ["nDCG@10", "Judged@10"])
    assert nothing == {"nDCG@10": {"b": 0.0}, "Judged@10": {"b": 0.0}}
    assert means({"RR@10": {}}) == {"RR@10": None}


def test_difference_agrees_with_scipy_and_swaps_sign_with_its_sides() -> None:
    random = np.random.default_rng(1)
    a = {str(i): float(v) for i, v in enumerate(random.random(60))}
    b = {key: float(np.clip(v + random.normal(0.05, 0.1), 0, 1)) for key, v in a.items()}
    found, back = compare(a, b), compare(b, a)
    reference = stats.ttest_rel([a[k] for k in sorted(a)], [b[k] for k in sorted(a)])
    assert found.p_t == pytest.approx(reference.pvalue, abs=1e-9)
    assert (found.low, found.high) == pytest.approx(tuple(reference.confidence_interval(0.95)))
    assert found.p_randomisation == pytest.approx(reference.pvalue, abs=0.02)
    assert (found.wins, found.losses) == (back.losses, back.wins)
    assert found.mean == pytest.approx(-back.mean)


def test_no_difference_and_a_single_query_have_no_significance() -> None:
    assert compare({"a": 1.0, "b": 0.0}, {"a": 1.0, "b": 0.0}).p_randomisation == 1.0
    single = compare({"a": 1.0}, {"a": 0.0, "b": 1.0})
    assert (single.queries, single.mean, single.p_t) == (1, 1.0, None)
    with pytest.raises(ValueError):
        compare({"a": 1.0}, {"b": 1.0})


def test_every_mode_is_measured_through_the_funnel(folder: Path) -> None:
    with experiment(read_beir(folder), HashedWords()) as opened:
        figures = measure(opened)
        assert [each.mode for each in figures] == list(Mode)
        assert means(figures[0].values)["RR@10"] == 1.0
        assert {each.mode for each in figures if each.skipped} == {Mode.HYBRID_RERANK}
        assert "hybrid_mmr" in table(figures)
        ranked = opened.ranking(opened.search("the dam", Mode.HYBRID, k=1))
        assert sorted(ranked) == sorted(DOCUMENTS)


def test_documents_are_cut_as_pdfs_are_and_found_once(folder: Path) -> None:
    long = " ".join(f"Sentence number {n} tells of the old harbour." for n in range(60))
    write(folder / "corpus.jsonl", [{"_id": k, "text": long + t} for k, t in DOCUMENTS.items()])
    with experiment(read_beir(folder), HashedWords(), cutting=Cutting(chunked=True)) as opened:
        assert opened.children > 4 * len(DOCUMENTS)
        ranked = opened.ranking(opened.search("harbour", Mode.HYBRID))
        assert len(ranked) == len(set(ranked))


def test_vectors_are_kept_for_the_next_time(folder: Path, tmp_path: Path) -> None:
    model = HashedWords()
    for _ in range(2):
        with experiment(read_beir(folder), model, cache_dir=tmp_path / "kept"):
            pass
    assert model.embedded == len(DOCUMENTS)
    next((tmp_path / "kept").glob("*.npy")).write_bytes(b"damaged")
    with experiment(read_beir(folder), model, cache_dir=tmp_path / "kept") as opened:
        assert opened.search("glacier", Mode.DENSE).hits


def test_judged_query_that_cannot_be_measured_is_left_out_and_named(folder: Path) -> None:
    rows = {"q1": " ", "q2": QUERIES["q2"], "q3": "x" * 9_000, "q4": "nothing is relevant"}
    write(folder / "queries.jsonl", [{"_id": k, "text": t} for k, t in rows.items()])
    (folder / "qrels" / "test.tsv").write_text("q1\td1\t1\nq2\td4\t1\nq3\td2\t1\nq4\td3\t0\n")
    data = read_beir(folder)
    assert data.queries.keys() == data.qrels.keys() == {"q2"}
    assert [(each.id, each.why.split(",")[0]) for each in data.left_out] == [
        ("q1", "no text"),
        ("q3", "9"),
        ("q4", "no document that is judged relevant"),
    ]
    assert data.unjudged == 0
