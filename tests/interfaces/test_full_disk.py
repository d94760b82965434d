"""A disk without room: a sentence in place of a traceback, and a way out of it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from selfrag.diagnosis import disagreements
from selfrag.documents.results import IngestResult, Progress
from selfrag.records.documents import State
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf
from tests.support.shell import Shell
from tests.support.small_disk import empty, fill, needs_mount, small_disk

pytestmark = [needs_mount, pytest.mark.usefixtures("own")]

Serve = Callable[..., tuple[SelfRag, httpx.Client]]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """What this library lives on; it is closed before its disk goes."""
    with small_disk(tmp_path / "disk", 400) as folder:
        yield folder


def upload(api: httpx.Client, pdf: Path) -> httpx.Response:
    return api.post("/api/documents", files={"file": (pdf.name, pdf.read_bytes())})


def test_full_disk_is_told_and_deleting_goes_on_once_there_is_room(
    disk: Path, serve: Serve, tmp_path: Path
):
    rag, api = serve(storage_dir=disk)
    (record,) = rag.documents()
    fill(disk)
    refused = upload(api, make_pdf(tmp_path / "new.pdf", ["Another text about something else."]))
    assert refused.status_code == 507
    assert "free some space" in refused.json()["detail"]
    assert rag.retrieve("days of paid leave").hits[0].document_id == record.id

    half = api.delete(f"/api/documents/{record.id}")
    assert half.status_code == 507
    assert "then delete it again" in half.json()["detail"]
    assert not rag.library.file(record.id).exists()
    assert rag.document(record.id).state is State.REMOVING

    empty(disk)
    assert api.delete(f"/api/documents/{record.id}").status_code == 200
    assert rag.documents() == []
    assert rag.index.documents() == {}
    assert list((disk / "files").iterdir()) == []


def test_what_a_full_disk_kept_from_going_goes_at_the_next_start(
    disk: Path, open_rag: Callable[..., SelfRag], tmp_path: Path
):
    with open_rag(storage_dir=disk) as rag:
        taken = rag.library.ingest(make_pdf(tmp_path / "a.pdf", ["A text that is there."]))
        record = rag.document(taken.document_id or "")
        rag.library._holdings.empty(record.id)  # a crash before the row could say so
        assert rag.document(record.id).state is State.READY
    with open_rag(storage_dir=disk) as rag:
        assert rag.documents() == []
        assert rag.index.documents() == {}
        assert list((disk / "files").iterdir()) == []


def test_document_that_the_full_disk_left_unfinished_is_taken_in_when_added_again(
    disk: Path, open_rag: Callable[..., SelfRag], tmp_path: Path
):
    with open_rag(storage_dir=disk) as rag:
        rag.library.ingest(make_pdf(tmp_path / "first.pdf", ["So that the index is there."]))
        pdf = make_pdf(tmp_path / "a.pdf", ["A text of its own on each page."] * 3)

        def fills(progress: Progress) -> None:
            if progress.state is State.EMBEDDING and not (disk / "filling").exists():
                fill(disk)

        result = rag.library.ingest(pdf, report=fills)
        assert result.status == "failed"
        assert "is full" in (result.error or "")
        assert rag.library.get(result.document_id or "").state is State.EMBEDDING
        empty(disk)
        again = rag.library.admit(pdf)
        assert not isinstance(again, IngestResult), "it is taken up"
        twice = rag.library.admit(pdf)
        assert isinstance(twice, IngestResult), "and waits for its turn now"
        assert twice.status == "unchanged"
        assert rag.library.resume(again.id).status == "ready"
        assert disagreements(rag) == []


def test_commands_on_a_full_disk_end_with_a_sentence(
    disk: Path, open_rag: Callable[..., SelfRag], tmp_path: Path
):
    with open_rag(storage_dir=disk) as rag:
        rag.library.ingest(make_pdf(tmp_path / "a.pdf", ["A text that is there."]))
    fill(disk)
    shell = Shell(tmp_path)
    for words in (["documents"], ["ask", "What is there?"], ["ingest", str(tmp_path)]):
        done = shell.run(*words, STORAGE_DIR=str(disk))
        assert done.returncode == 1, (words, done.stderr)
        assert "Traceback" not in done.stderr
        assert "full" in done.stderr
        assert "ree some space" in done.stderr
