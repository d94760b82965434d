"""Labels: one per question and passage, made into qrels, carried out and in again."""

import io
import zipfile
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.evaluation.beir import read_beir
from selfrag.records.labels import Relevance, question_id
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."
QUAY = "Dogs are not allowed on the quay of Saint Malo in summer. In winter they are welcome."
QUESTION = "What is the tidal range?"


@pytest.fixture
def harbour(rag: SelfRag, tmp_path: Path) -> SelfRag:
    (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES, QUAY])])
    assert result.error is None
    return rag


def label(rag: SelfRag, question: str, *values: Relevance | None, owner: str | None = None):
    hits = rag.retrieve(question, Mode.BM25, k=5).hits or rag.retrieve(question, Mode.DENSE).hits
    for hit, value in zip(hits, values, strict=False):
        rag.labels.put(question, hit, value, owner)
    return hits


def test_label_is_changed_and_taken_back(harbour: SelfRag) -> None:
    (hit, *_) = label(harbour, QUESTION, Relevance.NOT)
    harbour.labels.put(" what is the TIDAL range? ", hit, Relevance.RELEVANT)
    assert harbour.labels.of(QUESTION) == {hit.chunk_id: Relevance.RELEVANT}
    assert harbour.labels.counts() == (1, 1)
    harbour.labels.put(QUESTION, hit, None)
    assert harbour.labels.counts() == (0, 0)


def test_labels_of_one_person_are_nobody_elses(harbour: SelfRag) -> None:
    label(harbour, QUESTION, Relevance.RELEVANT, owner="a")
    assert harbour.labels.counts("a") == (1, 1)
    assert harbour.labels.counts() == harbour.labels.counts("b") == (0, 0)


def test_labels_are_a_set_without_questions_that_judge_nothing_relevant(harbour: SelfRag) -> None:
    hits = label(harbour, QUESTION, Relevance.PARTLY)
    label(harbour, "Are dogs allowed?", Relevance.NOT)
    made = harbour.labels.as_set()
    key = question_id(QUESTION)
    assert made.queries == {key: QUESTION}
    assert made.qrels == {key: {hits[0].chunk_id: 1}}
    assert (made.labels, made.without, made.gone) == (1, 1, 0)


def test_labels_of_a_deleted_document_are_counted_apart(harbour: SelfRag) -> None:
    label(harbour, QUESTION, Relevance.RELEVANT)
    harbour.delete(harbour.documents()[0].id)
    made = harbour.labels.as_set()
    assert (made.queries, made.gone) == ({}, 1)


def test_beir_folder_goes_out_and_comes_back(harbour: SelfRag, tmp_path: Path) -> None:
    label(harbour, QUESTION, Relevance.RELEVANT)
    label(harbour, "Are dogs allowed?", Relevance.PARTLY)
    before = harbour.labels.as_set()
    content = harbour.labels.beir()
    with zipfile.ZipFile(io.BytesIO(content)) as zipped:
        zipped.extractall(tmp_path)
    data = read_beir(tmp_path / "labels")
    assert data.qrels == before.qrels
    for question in data.queries.values():
        harbour.labels.forget(question)
    assert harbour.labels.counts() == (0, 0)
    assert harbour.labels.take(content).taken == 2
    assert harbour.labels.as_set() == before


def test_trec_qrels_change_labels_of_known_questions(harbour: SelfRag) -> None:
    hits = label(harbour, QUESTION, Relevance.RELEVANT)
    line = harbour.labels.trec()
    assert line == f"{question_id(QUESTION)} 0 {hits[0].chunk_id} 2\n"
    found = harbour.labels.take((line[:-2] + f"0\n{question_id(QUESTION)} 0 nobody 1\n").encode())
    assert (found.taken, found.unknown) == (1, 1)
    assert harbour.labels.of(QUESTION) == {hits[0].chunk_id: Relevance.NOT}


def zipped(**files: bytes | str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        for name, text in files.items():
            made.writestr(name.replace("__", "/") + (".tsv" if "qrels" in name else ".jsonl"), text)
    return out.getvalue()


HEAD = "query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "judges nothing"),
        (b"q1 d1 1\n", "Line 1"),
        (b"q1 0 d1 high\n", "whole number"),
        (b"q1 0 d1 1\n", "None of the question ids"),
        ("q1 0 água 1".encode("latin-1"), "not UTF-8"),
        (zipped(corpus=""), "no queries.jsonl"),
        (zipped(queries="{}", qrels__test=HEAD + "q1\td1\t1\n"), "_id and text"),
        (zipped(queries='{"_id": "q1", "text": "?"}', qrels__test=HEAD), "judges nothing"),
        (zipped(queries='{"_id": "q1", "text": "?"}', qrels__test=HEAD + "q2\td1\t1"), "'q2'"),
        (
            zipped(queries='{"_id": "q1", "text": "?"}', qrels__test=HEAD + "q1\td1\t1"),
            "None of the labelled passages",
        ),
    ],
)
def test_file_that_is_no_labels_is_refused_in_a_sentence(
    rag: SelfRag, content: bytes, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        rag.labels.take(content)
