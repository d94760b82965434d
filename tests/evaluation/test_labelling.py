"""Labels: one per question and passage, made into qrels, carried out and in again."""

import contextlib
import io
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine

from selfrag.errors import UserError
from selfrag.evaluation.beir import read_beir
from selfrag.evaluation.files import is_zip
from selfrag.evaluation.label_files import of_trec, of_zip
from selfrag.evaluation.labelling import Labelling
from selfrag.evaluation.uploaded import Sets
from selfrag.index.payload import CONTENT, METADATA
from selfrag.records.labels import Labels, Relevance, question_id
from selfrag.records.schema import metadata
from selfrag.retrieval.query import is_blank
from selfrag.retrieval.result import Hit, Mode
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


def query(text: str) -> bytes:
    line = '{"_id": "q0", "text": "?"}\n{"_id": "q1", "text": ' + text + "}"
    return zipped(queries=line, qrels__test=HEAD + "q1\td1\t1")


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
        (query("null"), "line 2"),
        (query('""'), "Line 2"),
        (query('"   "'), "Line 2"),
        (query(r'"a\u0000b"'), "line 2"),
        (query(r'"\ud800"'), "Line 2"),
        (query('"' + "a" * 5_000_000 + '"'), "Line 2.*5,000,000"),
        (query("[" * 100_000), "Line 2"),
        (query('"?"')[:-40], "damaged"),
    ],
    ids=range(18),
)
def test_file_that_is_no_labels_is_refused_in_a_sentence(
    rag: SelfRag, content: bytes, said: str
) -> None:
    with pytest.raises(UserError, match=said):
        rag.labels.take(content)


class Index:
    """An index that holds these passages."""

    def __init__(self, here: dict[str, dict]) -> None:
        self._here = here

    def passages(self, ids: Sequence[str]) -> dict[str, dict]:
        return {key: self._here[key] for key in ids if key in self._here}


ODD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        ODD.filter(lambda text: not is_blank(text)),
        st.sampled_from(Relevance),
        min_size=1,
        max_size=4,
    )
)
@example({"before\u2028after\x85end": Relevance.RELEVANT, "a\rb\x0bc\x1cd": Relevance.PARTLY})
def test_labels_of_any_question_go_out_and_come_back(asked: dict[str, Relevance]) -> None:
    chunk = "0b0f3c3e-0000-4000-8000-000000000001"
    payload = {CONTENT: "A passage\u2028of two", METADATA: {"document": "a\x85.pdf", "page": 1}}
    here = {chunk: payload}
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    labelling = Labelling(Labels(engine), lambda: Index(here))
    hit = Hit(1, chunk, "d", "a", 1, "b", (), "p", "b")
    for question, relevance in asked.items():
        labelling.put(question, hit, relevance)
    before = labelling.as_set()
    out, grades = labelling.beir(), {question: labelling.of(question) for question in asked}
    for question in asked:
        labelling.forget(question)
    assert labelling.take(out).taken == len({question_id(question) for question in asked})
    assert {question: labelling.of(question) for question in asked} == grades
    assert labelling.as_set().qrels == before.qrels


def test_zip_with_a_file_without_a_name_is_refused_in_a_sentence(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("s/corpus.jsonl", "{}")
        made.writestr("nameless", "x")
    content = out.getvalue().replace(b"nameless", b"\0ameless")  # a name ends at its first zero
    with pytest.raises(UserError, match="is no zip that can be opened"):
        Sets(tmp_path).add(content, "set.zip")


@settings(max_examples=100, deadline=None)
@given(st.data(), st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]))
def test_damaged_zip_is_refused_in_a_sentence_or_still_read(data: st.DataObject, how: int) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as made:
        made.writestr("s/corpus.jsonl", '{"_id": "d1", "text": "Tides, tides and tides"}\n')
        made.writestr("s/queries.jsonl", '{"_id": "q1", "text": "What tides are there?"}\n')
        made.writestr("s/qrels/test.tsv", HEAD + "q1\td1\t1\n")
    content = bytearray(out.getvalue())
    places = st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)
    for place in data.draw(places):
        content[place] = data.draw(st.integers(0, 255))
    with contextlib.suppress(UserError):
        of_zip(bytes(content)) if is_zip(bytes(content)) else of_trec(bytes(content))
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(UserError):
        Sets(Path(folder)).add(bytes(content), "set.zip")
