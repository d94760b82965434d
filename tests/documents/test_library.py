"""Documents on their way in and out: identity, refusals, interruptions, and nothing left behind."""

import shutil
import threading
from pathlib import Path

import pytest

from selfrag.diagnosis import disagreements
from selfrag.documents.finding import find_pdfs
from selfrag.documents.holdings import Holdings
from selfrag.documents.names import clean_name
from selfrag.documents.results import IngestResult, Progress
from selfrag.documents.worker_process import _without_secrets
from selfrag.errors import UserError
from selfrag.index.store import PARENTS
from selfrag.records.documents import DocumentRecord, State
from selfrag.service import SelfRag
from tests.support.pdf_factory import Empty, Scan, make_pdf

LEAVE = "Employees may take twenty five days of paid leave in every calendar year."
ROYALTY = "The patent royalty amounts to five percent of the net sales of each quarter."


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    return make_pdf(tmp_path / "handbook.pdf", [LEAVE, ROYALTY], title="Handbook")


def contents(rag: SelfRag) -> tuple[list[str], dict[str, int], list[str]]:
    """Ids in the manifest, children in the index, and files: what must always agree."""
    files = sorted(path.stem for path in rag.library.file("x").parent.iterdir())
    return sorted(record.id for record in rag.documents()), rag.index.documents(), files


def test_question_about_a_document_that_is_not_there_is_refused(rag: SelfRag, pdf: Path):
    rag.library.ingest(pdf)
    with pytest.raises(UserError, match="no document elsewhere"):
        rag.start("Anything?", documents=["elsewhere"])
    with pytest.raises(UserError, match="no document elsewhere"):
        rag.retrieve("Anything?", documents=["elsewhere"])


def test_document_is_ready_with_its_pages_and_chunks(rag: SelfRag, pdf: Path):
    result = rag.library.ingest(pdf)
    assert (result.status, result.pages) == ("ready", 2)
    record = rag.document(result.document_id or "")
    assert record.state is State.READY
    assert record.pages == {"text": 2}
    assert (record.title, record.language) == ("Handbook", "en")
    assert rag.index.documents() == {record.id: result.chunks}
    assert [page.number for page in rag.pages(record.id)] == [1, 2]
    assert contents(rag) == ([record.id], {record.id: result.chunks}, [record.id])


def test_second_ingest_of_same_file_changes_nothing(rag: SelfRag, pdf: Path):
    first = rag.library.ingest(pdf)
    before = contents(rag)
    second = rag.library.ingest(pdf)
    assert (second.status, second.document_id) == ("unchanged", first.document_id)
    assert (second.pages, second.chunks) == (first.pages, first.chunks)
    assert contents(rag) == before


def test_same_file_under_another_name_is_recognised_and_said_so(rag: SelfRag, pdf: Path):
    first = rag.library.ingest(pdf)
    other = Path(shutil.copy(pdf, pdf.with_name("copy.pdf")))
    second = rag.library.ingest(other)
    assert (second.status, second.document_id) == ("duplicate", first.document_id)
    assert "handbook.pdf" in second.notes[0]
    assert len(rag.documents()) == 1


def test_same_file_gives_the_same_chunk_ids_again(rag: SelfRag, pdf: Path):
    def ids() -> list[str]:
        document_id = rag.library.ingest(pdf).document_id or ""
        return [chunk["metadata"]["chunk_id"] for chunk in rag.index.children(document_id)]

    first = ids()
    rag.delete(rag.documents()[0].id)
    assert ids() == first


def test_changed_file_replaces_the_old_one_once_its_chunks_are_in(rag: SelfRag, pdf: Path):
    old = rag.library.ingest(pdf)
    make_pdf(pdf, [LEAVE.replace("twenty five", "thirty")])
    new = rag.library.ingest(pdf)
    assert new.status == "ready"
    assert new.document_id != old.document_id
    assert [record.id for record in rag.documents()] == [new.document_id]
    assert set(rag.index.documents()) == {new.document_id}


def test_changed_file_that_cannot_be_read_leaves_the_old_one_in_place(rag: SelfRag, pdf: Path):
    old = rag.library.ingest(pdf)
    pdf.write_bytes(b"not a PDF any more")
    assert rag.library.ingest(pdf).status == "failed"
    assert [record.id for record in rag.ready()] == [old.document_id]


def test_files_of_one_name_from_two_folders_are_two_documents(rag: SelfRag, tmp_path: Path):
    for folder, text in (("a", LEAVE), ("b", ROYALTY)):
        (tmp_path / folder).mkdir()
        make_pdf(tmp_path / folder / "report.pdf", [text])
    results = list(rag.ingest([tmp_path / "a", tmp_path / "b"]))
    assert [result.status for result in results] == ["ready", "ready"]
    assert len(rag.ready()) == 2


def test_two_uploads_of_one_name_are_both_kept_where_they_are_different_documents(
    rag: SelfRag, tmp_path: Path
):
    for folder, text in (("a", LEAVE), ("b", ROYALTY)):
        (tmp_path / folder).mkdir()
        path = make_pdf(tmp_path / folder / "report.pdf", [text])
        result = rag.library.ingest(path)
    assert result.document == "report (2).pdf"
    assert "report.pdf" in result.notes[0]
    assert sorted(record.name for record in rag.ready()) == ["report (2).pdf", "report.pdf"]
    hit = rag.retrieve("patent royalty").hits[0]
    assert hit.document == "report (2).pdf"


def test_document_that_is_deleted_while_it_is_read_leaves_nothing(rag: SelfRag, tmp_path: Path):
    path = make_pdf(rag.incoming / "long.pdf", [f"{LEAVE} Page {n}." for n in range(200)])
    rag.submit(path, "long.pdf")
    (record,) = rag.documents()
    rag.delete(record.id)
    assert rag.jobs.wait(60)
    assert contents(rag) == ([], {}, [])


def test_name_that_is_no_text_is_shown_all_the_same(rag: SelfRag, pdf: Path):
    result = rag.library.ingest(pdf, name="caf\udce9.pdf")
    assert (result.status, result.document) == ("ready", "caf?.pdf")


def test_reader_finds_no_key_in_its_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@db/x")
    assert not any("secret" in value for value in _without_secrets().values())


def test_delete_leaves_nothing(rag: SelfRag, pdf: Path):
    kept = rag.library.ingest(make_pdf(pdf.with_name("kept.pdf"), [ROYALTY + " Kept."]))
    gone = rag.library.ingest(pdf)
    rag.delete(gone.document_id or "")
    assert contents(rag) == (
        [kept.document_id],
        {kept.document_id: kept.chunks},
        [kept.document_id],
    )
    assert rag.pages(gone.document_id or "") == []
    assert rag.index.count() == rag.index.count(kept.document_id)
    with pytest.raises(UserError, match="no document"):
        rag.delete(gone.document_id or "")


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.pdf", b"", "0 bytes"),
        ("page.pdf", b"<!DOCTYPE html><html><body>Not found</body></html>", "HTML"),
        ("noise.pdf", bytes(range(256)) * 20, "PDF"),
    ],
)
def test_file_that_is_no_pdf_is_refused_and_nothing_is_kept(
    rag: SelfRag, tmp_path: Path, name: str, data: bytes, said: str
):
    path = tmp_path / name
    path.write_bytes(data)
    result = rag.library.ingest(path)
    assert (result.status, result.document_id) == ("failed", None)
    assert said in (result.error or "")
    assert contents(rag) == ([], {}, [])


def test_protected_file_is_kept_until_its_password_is_given(rag: SelfRag, tmp_path: Path):
    path = make_pdf(tmp_path / "secret.pdf", [LEAVE], password="open sesame")
    failed = rag.library.ingest(path)
    assert failed.status == "failed"
    assert "password" in (failed.error or "")
    assert rag.index.documents() == {}
    assert rag.library.resume(failed.document_id or "", password="wrong").status == "failed"
    assert rag.library.resume(failed.document_id or "", password="open sesame").status == "ready"
    assert "open sesame" not in "".join(str(record) for record in rag.documents())
    assert rag.page_image(failed.document_id or "", 1).startswith(b"\x89PNG")


def test_scan_is_never_an_empty_document(rag: SelfRag, tmp_path: Path):
    result = rag.library.ingest(make_pdf(tmp_path / "scan.pdf", [Scan(), Scan()]))
    assert result.status == "failed"
    assert "text" in (result.error or "")
    assert rag.index.documents() == {}
    assert rag.document(result.document_id or "").pages == {"scanned": 2}


def test_pages_that_cannot_be_found_are_remarked_on(rag: SelfRag, tmp_path: Path):
    result = rag.library.ingest(make_pdf(tmp_path / "mixed.pdf", [LEAVE, Scan(), Empty(), ROYALTY]))
    assert result.status == "ready"
    assert any("1 of 4 pages" in note for note in result.notes)
    assert rag.document(result.document_id or "").pages == {"text": 2, "scanned": 1, "empty": 1}


def test_rest_of_an_upload_goes_on_after_a_bad_file(rag: SelfRag, tmp_path: Path, pdf: Path):
    (tmp_path / "a-broken.pdf").write_bytes(b"%PDF-1.7 broken off")
    results = list(rag.ingest([tmp_path]))
    assert [result.status for result in results] == ["failed", "ready"]


def test_cancelled_file_leaves_nothing(rag: SelfRag, pdf: Path):
    cancel = threading.Event()
    result = rag.library.ingest(pdf, report=lambda _: cancel.set(), cancel=cancel)
    assert result.status == "cancelled"
    assert contents(rag) == ([], {}, [])


def test_fault_of_a_model_keeps_the_file_for_another_try(rag: SelfRag, pdf: Path, monkeypatch):
    def broken(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(rag.embeddings, "vectors", broken)
        failed = rag.library.ingest(pdf)
    assert failed.status == "failed"
    assert rag.index.documents() == {}
    assert rag.library.ingest(pdf).status == "ready"


@pytest.mark.parametrize("state", [State.QUEUED, State.READING, State.EMBEDDING, State.INDEXING])
def test_what_a_crash_left_unfinished_is_finished_at_the_next_start(
    open_rag, pdf: Path, state: State
):
    first = open_rag()
    result = first.library.ingest(pdf)
    first._documents.update(result.document_id, state=state.value)
    first.close()
    second = open_rag()
    assert second.index.documents() == {}
    second.warm_up()
    assert second.jobs.wait(60)
    assert [record.state for record in second.documents()] == [State.READY]
    assert second.index.documents() == {result.document_id: result.chunks}


def test_document_that_cannot_be_read_again_stays_as_it_was(rag: SelfRag, pdf: Path):
    result = rag.library.ingest(pdf)
    document_id = result.document_id or ""
    rag.library.file(document_id).write_bytes(b"damaged on the disk")
    again = rag.library.resume(document_id)
    assert (again.status, again.document_id) == ("failed", document_id)
    assert "not a PDF" in (again.error or "")
    assert rag.document(document_id).state is State.READY
    assert rag.index.documents() == {document_id: result.chunks}
    assert rag.retrieve("patent royalty").hits


def test_highlight_is_left_out_where_the_page_reads_otherwise_than_before(rag: SelfRag, pdf: Path):
    document_id = rag.library.ingest(pdf).document_id or ""
    (before,) = rag.places(document_id, 1, [(0, 9)])
    assert before
    make_pdf(rag.library.file(document_id), ["Other words stand here now."])
    assert rag.places(document_id, 1, [(0, 9)]) == [[]]


def test_document_whose_chunks_were_lost_is_read_again_at_the_next_start(open_rag, pdf: Path):
    first = open_rag()
    result = first.library.ingest(pdf)
    first.index.delete(result.document_id)
    first.close()
    second = open_rag()
    assert [found.status for found in second.finish()] == ["ready"]
    assert second.index.documents() == {result.document_id: result.chunks}


def test_copy_that_was_lost_comes_back_with_the_file(rag: SelfRag, pdf: Path):
    document_id = rag.library.ingest(pdf).document_id or ""
    rag.library.file(document_id).unlink()
    assert any("copy of handbook.pdf is gone" in problem for problem in disagreements(rag))
    assert rag.library.ingest(pdf).status == "unchanged"
    assert disagreements(rag) == []


def test_removal_that_was_interrupted_is_finished_at_the_next_start(open_rag, pdf: Path):
    first = open_rag()
    result = first.library.ingest(pdf)
    first._documents.update(result.document_id, state=State.REMOVING.value)
    assert any("unfinished" in problem for problem in disagreements(first))
    first.close()
    assert contents(open_rag()) == ([], {}, [])


def test_new_version_stays_where_the_old_ones_removal_was_interrupted(
    open_rag, pdf: Path, monkeypatch
):
    first = open_rag()
    first.library.ingest(pdf)
    make_pdf(pdf, [LEAVE.replace("twenty five", "thirty")])

    def killed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Holdings, "drop", killed)
    with pytest.raises(KeyboardInterrupt):
        first.library.ingest(pdf)
    monkeypatch.undo()
    first.close()
    second = open_rag()
    assert second.unfinished == []
    (record,) = second.ready()
    assert contents(second) == ([record.id], {record.id: record.children}, [record.id])
    assert "thirty" in second.pages(record.id)[0].text


def test_new_version_is_in_although_the_old_one_could_not_be_removed(
    rag: SelfRag, pdf: Path, monkeypatch
):
    old = rag.library.ingest(pdf)
    make_pdf(pdf, [LEAVE.replace("twenty five", "thirty")])

    def unreachable(*_):
        raise UserError("The Qdrant server does not answer.")

    monkeypatch.setattr(Holdings, "drop", unreachable)
    result = rag.library.ingest(pdf)
    assert result.status == "ready"
    assert "next start" in result.notes[-1]
    assert [record.id for record in rag.ready()] == [result.document_id]
    monkeypatch.undo()
    assert rag.library.recover() == []
    assert old.document_id not in contents(rag)[0]


def test_parents_that_were_lost_are_made_again(open_rag, pdf: Path):
    first = open_rag()
    document_id = first.library.ingest(pdf).document_id
    parents = [parent.id for parent in first.chunks(document_id)[0]]
    first._client.delete(PARENTS, parents)
    assert any("0 parents in the index, not" in problem for problem in disagreements(first))
    first.close()
    second = open_rag()
    assert [found.status for found in second.finish()] == ["ready"]
    assert len(second.chunks(document_id)[0]) == len(parents)
    assert disagreements(second) == []


def test_document_is_deleted_while_another_is_read(rag: SelfRag, pdf: Path, tmp_path: Path):
    short = rag.library.ingest(pdf).document_id or ""
    deleted = threading.Event()

    def delete_the_other(progress: Progress) -> None:
        if progress.state is State.EMBEDDING and not deleted.is_set():
            thread = threading.Thread(target=lambda: (rag.delete(short), deleted.set()))
            thread.start()
            assert deleted.wait(30), "deleting waits for a document that it has no part in"

    other = make_pdf(tmp_path / "other.pdf", [ROYALTY + " Another."])
    result = rag.library.ingest(other, report=delete_the_other)
    assert deleted.is_set()
    assert contents(rag)[0] == [result.document_id]


def test_job_of_a_document_that_was_deleted_while_it_waited_says_so(rag: SelfRag, pdf: Path):
    document_id = rag.library.ingest(pdf).document_id or ""
    held = threading.Event()
    rag.jobs.submit("first", lambda *_: held.wait(30) and IngestResult("first", None, "ready"))
    job = rag.submit_again(document_id)
    rag.delete(document_id)
    held.set()
    assert rag.jobs.wait(30)
    (result,) = (view.result for view in rag.jobs.views() if view.id == job)
    assert result is not None and "no document" in (result.error or "")


def test_start_clears_away_what_belongs_to_no_document(open_rag, pdf: Path):
    first = open_rag()
    result = first.library.ingest(pdf)
    first._documents.remove(result.document_id)
    first.library.file("left").with_suffix(".part").write_bytes(b"half")
    first.close()
    assert contents(open_rag()) == ([], {}, [])


def test_row_without_a_file_is_removed_at_the_next_start(open_rag, pdf: Path):
    first = open_rag()
    first._documents.add(
        DocumentRecord(id="1" * 16, sha256="1" * 64, name="x", bytes=1, state=State.READING)
    )
    first.close()
    assert open_rag().documents() == []


def test_close_in_the_middle_of_ingestion_keeps_what_was_queued(open_rag, tmp_path: Path):
    first = open_rag()
    for number in range(3):
        make_pdf(path := first.incoming / f"{number}.pdf", [f"{LEAVE} Number {number}."])
        first.submit(path, f"{number}.pdf")
    first.close()
    second = open_rag()
    second.warm_up()
    assert second.jobs.wait(60)
    assert sorted(record.name for record in second.ready()) == ["0.pdf", "1.pdf", "2.pdf"]


def test_other_sizes_are_refused_and_reset_rebuilds_from_the_librarys_copies(open_rag, pdf: Path):
    first = open_rag()
    first.library.ingest(pdf)
    first.close()
    pdf.unlink()
    with pytest.raises(UserError, match=r"chunk size was 600 and is now 300.*--reset"):
        open_rag(chunk_size=300, chunk_overlap=50)
    rebuilt = open_rag(chunk_size=300, chunk_overlap=50, reset=True)
    assert [result.status for result in rebuilt.ingest([])] == ["ready"]
    assert len(rebuilt.ready()) == 1


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd.pdf", "passwd.pdf"),
        ("C:\\temp\\a.pdf", "a.pdf"),
        ("two\nlines.pdf", "two lines.pdf"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
        ("a.b" + "x" * 300, "a.b" + "x" * 197),
        ("報告.pdf", "報告.pdf"),
        ("\x00", "document.pdf"),
    ],
)
def test_names_are_shown_on_one_line_without_folders(given: str, shown: str):
    assert clean_name(given) == shown


def test_folder_is_walked_for_pdfs_only(tmp_path: Path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    for name in ("b.pdf", "sub/A.PDF", ".hidden/c.pdf", "notes.txt"):
        (tmp_path / name).write_bytes(b"x")
    assert [path.name for path in find_pdfs([tmp_path])] == ["b.pdf", "A.PDF"]
    assert find_pdfs([tmp_path / "notes.txt", tmp_path / "notes.txt"]) == [tmp_path / "notes.txt"]


def test_missing_path_and_folder_without_pdfs_are_refused(tmp_path: Path):
    with pytest.raises(UserError, match="is not there"):
        find_pdfs([tmp_path / "nowhere.pdf"])
    with pytest.raises(UserError, match="no PDF in"):
        find_pdfs([tmp_path])
