"""Manifest and runs in the database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from selfrag.errors import StorageFull, UserError
from selfrag.pages import Heading, Page, PageKind
from selfrag.records.database import open_database
from selfrag.records.documents import DocumentRecord, Documents, State
from selfrag.records.runs import RunRecord, Runs
from selfrag.records.schema import metadata


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    return Documents(open_database(None, tmp_path))


def record(number: int, **values) -> DocumentRecord:
    defaults = {
        "id": f"id{number}",
        "sha256": f"{number:064x}",
        "name": f"file {number}.pdf",
        "bytes": 10,
        "state": State.READY,
        "added_at": float(number),
    }
    return DocumentRecord(**{**defaults, **values})


def test_document_comes_back_as_it_was_written(documents: Documents):
    written = record(
        1,
        pages={"text": 3, "scanned": 1},
        notes=("a remark",),
        outline=(Heading("Start", 1, 0),),
        language="pt",
    )
    assert documents.add(written)
    assert documents.get("id1") == written
    assert documents.by_hash(written.sha256) == written
    assert written.page_count == 4


def test_same_content_is_not_added_twice(documents: Documents):
    assert documents.add(record(1))
    assert not documents.add(record(1, id="other", name="other.pdf"))
    assert [found.id for found in documents.all()] == ["id1"]


def test_states_are_filtered_and_updated(documents: Documents):
    documents.add(record(1))
    documents.add(record(2, state=State.READING))
    documents.update("id1", state=State.FAILED.value, error="why")
    assert [found.id for found in documents.all(State.READING, State.QUEUED)] == ["id2"]
    failed = documents.get("id1")
    assert failed is not None
    assert (failed.state, failed.error) == (State.FAILED, "why")


def test_languages_of_ready_documents_most_frequent_first(documents: Documents):
    for number, language in enumerate(["en", "pt", "pt", None], start=1):
        documents.add(record(number, language=language))
    documents.add(record(9, language="fr", state=State.FAILED))
    assert documents.languages() == ["pt", "en"]


def test_pages_are_replaced_and_go_with_their_document(documents: Documents):
    documents.add(record(1))
    first = Page(1, PageKind.TEXT, "one", ((0, 3),), 595.0, 842.0, "i")
    documents.put_pages("id1", [first, Page(2, PageKind.SCANNED)])
    documents.put_pages("id1", [first])
    assert documents.pages("id1") == [first]
    assert documents.page("id1", 2) is None
    documents.remove("id1")
    assert documents.pages("id1") == []


def test_run_comes_back_with_its_log(tmp_path: Path):
    runs = Runs(open_database(None, tmp_path))
    begun = RunRecord("r1", "Why?", "running", 1.0, None, [{"step": "run_started"}])
    runs.begin(begun)
    assert runs.running() == [begun]
    ended = RunRecord("r1", "Why?", "answered", 1.0, 0.5, [*begun.events, {"step": "x"}])
    assert runs.finish(ended)
    assert runs.get("r1") == ended
    assert runs.running() == []
    assert runs.get("r2") is None
    assert not runs.finish(RunRecord("r2", "How?", "failed", 2.0, None, []))
    runs.begin(RunRecord("r2", "How?", "running", 2.0, None, []))
    assert [found.id for found in runs.latest()] == ["r2", "r1"]


def test_database_that_cannot_be_opened_is_told_in_a_sentence(tmp_path: Path):
    with pytest.raises(UserError, match="DATABASE_URL"):
        open_database(f"sqlite:///{(tmp_path / 'no' / 'such' / 'x.db').as_posix()}", tmp_path)
    with pytest.raises(UserError, match="DATABASE_URL"):
        open_database("nonsense://", tmp_path)


def test_records_of_an_earlier_version_are_opened_and_keep_what_they_hold(tmp_path: Path):
    """Columns and indexes that have come since are added; the rows stay as they were."""
    database = tmp_path / "records.db"
    open_database(None, tmp_path).dispose()
    with closing(sqlite3.connect(database)) as old:
        old.executescript(
            """
            DROP INDEX documents_by_name;
            ALTER TABLE documents DROP COLUMN ocr;
            ALTER TABLE documents DROP COLUMN sizes;
            INSERT INTO documents (id, sha256, name, bytes, pages, state, notes, outline,
                                   children, parents, added_at)
            VALUES ('a', 'a', 'old.pdf', 7, '{"text": 2}', 'ready', '[]', '[]', 3, 1, 5.0);
            """
        )
    opened = Documents(open_database(None, tmp_path))
    (found,) = opened.all()
    assert (found.name, found.pages) == ("old.pdf", {"text": 2})
    assert (found.ocr, found.sizes) == (False, None)
    opened.update("a", ocr=True, sizes={"size": 300, "overlap": 50, "parent": 900})
    again = Documents(open_database(None, tmp_path)).get("a")
    assert again is not None
    assert (again.ocr, again.sizes) == (True, {"size": 300, "overlap": 50, "parent": 900})
    with closing(sqlite3.connect(database)) as now:
        names = {row[0] for row in now.execute("SELECT name FROM sqlite_master WHERE type='index'")}
    assert "documents_by_name" in names


def test_every_column_can_be_added_to_rows_of_an_earlier_version():
    """A new column without NULL and without a default could not be: see the schema."""
    first = {
        "documents": "id sha256 name bytes pages children parents state notes outline added_at",
        "pages": "document_id number kind text body width height",
        "runs": "id question status started_at events",
    }
    for name, columns in first.items():
        for column in metadata.tables[name].columns:
            fits = column.nullable or column.server_default is not None
            assert fits or column.name in columns.split(), f"{name}.{column.name}"


def test_full_database_is_told_in_a_sentence(tmp_path: Path):
    engine = open_database(None, tmp_path)

    @event.listens_for(engine, "checkout")
    def _no_room(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count=1")  # it may not grow any more

    with pytest.raises(StorageFull, match="free some space"):
        Documents(engine).add(record(1, title="x" * 1_000_000))


def test_database_that_another_program_holds_is_told_in_a_sentence(tmp_path: Path):
    engine = open_database(None, tmp_path)

    @event.listens_for(engine, "checkout")
    def _at_once(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA busy_timeout=0")

    with closing(sqlite3.connect(tmp_path / "records.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UserError, match="held by another program"):
            Documents(engine).add(record(1))
    assert Documents(engine).add(record(1))


def test_mistake_in_a_query_is_no_fault_of_the_surroundings(tmp_path: Path):
    with open_database(None, tmp_path).connect() as connection, pytest.raises(OperationalError):
        connection.execute(text("SELECT nothing FROM nowhere"))
