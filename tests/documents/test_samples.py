"""The sample library: in the repository, made from its texts, loaded and removed in one go."""

from pathlib import Path

import pypdfium2 as pdfium
import pytest

from selfrag.documents import samples
from selfrag.documents.samples import sample_files
from selfrag.errors import UserError
from selfrag.service import SelfRag
from tests.support.make_samples import make_all
from tests.support.pdf_factory import make_pdf

_WAIT = 120  # seconds on a busy machine


def text_of(path: Path) -> str:
    return "\f".join(page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(path))


def test_pdfs_are_what_their_texts_make(tmp_path: Path):
    made = make_all(tmp_path)
    assert [file.name for file in made] == [file.name for file in sample_files()]
    for mine, kept in zip(made, sample_files(), strict=True):
        assert text_of(mine) == text_of(kept), f"{kept.name}: run tests.support.make_samples"


def test_samples_are_small_and_have_pages_an_outline_and_a_table():
    for file in sample_files():
        document = pdfium.PdfDocument(file)
        assert 3 <= len(document) <= 8
        assert len(list(document.get_toc())) > 5
        assert file.stat().st_size < 50_000


def test_samples_are_loaded_and_removed_and_leave_the_rest(rag: SelfRag, tmp_path: Path):
    (mine,) = rag.ingest([make_pdf(tmp_path / "mine.pdf", ["The ferry leaves at noon."])])
    assert len(rag.samples.load()) == len(sample_files())
    assert rag.jobs.wait(_WAIT)
    loaded = rag.samples.loaded()
    assert {record.name for record in loaded} == {file.name for file in sample_files()}
    assert {record.language for record in loaded} == {"en", "pt"}
    assert not list(rag.incoming.iterdir())
    rag.samples.load()
    assert rag.jobs.wait(_WAIT)
    assert len(rag.ready()) == len(sample_files()) + 1, "a second time changes nothing"
    rag.samples.remove()
    assert [record.id for record in rag.documents()] == [mine.document_id]
    assert sample_files(), "the files themselves stay"


def test_missing_samples_are_told(rag: SelfRag, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(samples, "FOLDER", tmp_path)
    with pytest.raises(UserError, match="install the application again"):
        rag.samples.load()
