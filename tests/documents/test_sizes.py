"""One document with chunk sizes of its own and the OCR it was asked for: kept through it all."""

from pathlib import Path

import pytest

from selfrag.documents.sizes import MOST, MOST_PARENT, ChunkSizes
from selfrag.errors import UserError
from selfrag.records.documents import State
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

SENTENCE = "Employees may take twenty five days of paid leave in year {n} after they began. "
OWN = ChunkSizes(200, 40, 500)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    return make_pdf(tmp_path / "leave.pdf", ["".join(SENTENCE.format(n=n) for n in range(30))])


def longest(rag: SelfRag, document_id: str) -> int:
    return max(len(child.text) for child in rag.chunks(document_id)[1])


def test_document_is_cut_in_its_own_sizes_and_the_others_are_not(
    rag: SelfRag, pdf: Path, tmp_path: Path
):
    document_id = rag.library.ingest(pdf).document_id or ""
    other = rag.library.ingest(make_pdf(tmp_path / "b.pdf", [SENTENCE * 25])).document_id or ""
    before = len(rag.chunks(document_id)[1]), longest(rag, other)
    assert rag.library.resume(document_id, sizes=OWN).status == "ready"
    assert longest(rag, document_id) <= 200
    assert len(rag.chunks(document_id)[1]) > before[0]
    assert longest(rag, other) == before[1] > 200
    assert rag.document(document_id).sizes == OWN.to_json()
    assert rag.document(other).sizes is None


def test_own_sizes_are_kept_by_reading_again_by_a_crash_and_by_a_reset(open_rag, pdf: Path):
    first = open_rag()
    document_id = first.library.ingest(pdf).document_id or ""
    first.library.resume(document_id, sizes=OWN)
    assert first.library.resume(document_id).status == "ready"
    assert longest(first, document_id) <= 200
    first._documents.update(document_id, state=State.EMBEDDING.value)
    first.close()
    second = open_rag()
    assert [result.status for result in second.finish()] == ["ready"]
    assert longest(second, document_id) <= 200
    second.close()
    third = open_rag(chunk_size=900, parent_chunk_size=1800, reset=True)
    assert [result.status for result in third.finish()] == ["ready"]
    assert longest(third, document_id) <= 200
    assert third.document(document_id).sizes == OWN.to_json()


def test_sizes_of_the_library_are_no_sizes_of_its_own(rag: SelfRag, pdf: Path):
    document_id = rag.library.ingest(pdf).document_id or ""
    rag.library.resume(document_id, sizes=OWN)
    rag.library.resume(document_id, sizes=rag.library.sizes)
    assert rag.document(document_id).sizes is None
    assert longest(rag, document_id) > 200


def test_failure_leaves_the_sizes_as_they_were(rag: SelfRag, pdf: Path):
    result = rag.library.ingest(pdf)
    document_id = result.document_id or ""
    rag.library.file(document_id).write_bytes(b"damaged on the disk")
    assert rag.library.resume(document_id, ocr=True, sizes=OWN).status == "failed"
    record = rag.document(document_id)
    assert (record.state, record.sizes, record.ocr) == (State.READY, None, False)
    assert len(rag.chunks(document_id)[1]) == result.chunks


def test_sizes_asked_of_a_waiting_document_outlive_the_application(open_rag, pdf: Path):
    first = open_rag()
    record = first.library.admit(pdf)
    first.library.want(record.id, ocr=True, sizes=OWN)
    first.close()
    second = open_rag()
    waiting = second.document(record.id)
    assert (waiting.ocr, waiting.sizes) == (True, OWN.to_json())
    assert [result.status for result in second.finish()] == ["ready"]
    assert longest(second, record.id) <= 200


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        (ChunkSizes(10, 0, 500), "choose from 50"),
        (ChunkSizes(MOST + 1, 0, MOST_PARENT), "cannot be made"),
        (ChunkSizes(300, 300, 500), "choose from 0 to 299"),
        (ChunkSizes(300, -1, 500), "choose from 0 to 299"),
        (ChunkSizes(300, 50, 299), "choose from 300"),
        (ChunkSizes(300, 50, MOST_PARENT + 1), f"to {MOST_PARENT:,}"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_with_what_does(
    rag: SelfRag, pdf: Path, sizes: ChunkSizes, said: str
):
    document_id = rag.library.ingest(pdf).document_id or ""
    with pytest.raises(UserError, match=said):
        rag.submit_again(document_id, sizes=sizes)
    assert rag.document(document_id).state is State.READY


def test_chunks_longer_than_the_model_reads_are_told(rag: SelfRag, tmp_path: Path):
    path = make_pdf(tmp_path / "long.pdf", [SENTENCE * 40])
    document_id = rag.library.ingest(path).document_id or ""
    assert not any("256 tokens" in note for note in rag.document(document_id).notes)
    result = rag.library.resume(document_id, sizes=ChunkSizes(2000, 200, 4000))
    (note,) = (note for note in result.notes if "256 tokens" in note)
    assert note.startswith(("1 of", "2 of"))
    assert "smaller chunks" in note
    assert note in rag.document(document_id).notes
