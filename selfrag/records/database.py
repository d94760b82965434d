"""Opening the records: SQLite by default, any SQLAlchemy URL where one is set.

Tables that an earlier version made get the columns and indexes that have come since. Nothing is
ever dropped or changed, so an earlier version still opens them afterwards.
"""

import shutil
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    ExceptionContext,
    create_engine,
    event,
    inspect,
    text,
)
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from selfrag.errors import NO_ROOM, StorageFull, UserError
from selfrag.records.schema import metadata

#: What SQLite's result codes begin with where the surroundings are at fault and not the program.
_SURROUNDINGS = ("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")
_SQLITE_OPENS_WITH = 2**16  #: bytes, for the index of its write-ahead log
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_POSTGRES_FULL = "53100"  #: SQLSTATE disk_full


def open_database(url: str | None, storage_dir: Path) -> Engine:
    """Connect, and make the tables, columns and indexes that are missing.

    Whatever is done with the engine afterwards raises UserError, and StorageFull among them,
    where the database is full, held by another program or out of reach.

    Raises:
        UserError: the database cannot be opened; says which and what to check.
    """
    where = url or f"sqlite:///{(storage_dir / 'records.db').resolve().as_posix()}"
    try:
        # Parameters hold the text of documents, which has no place in a log.
        engine = create_engine(where, hide_parameters=True)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        metadata.create_all(engine)
        with engine.begin() as connection:
            _add_what_came_since(connection)
    except (SQLAlchemyError, ImportError) as error:
        if not url and shutil.disk_usage(storage_dir).free < _SQLITE_OPENS_WITH:
            raise StorageFull(NO_ROOM) from error
        shown = "DATABASE_URL" if url else str(storage_dir / "records.db")
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise UserError(
            f"The records in {shown} cannot be opened ({reason}). Check that the place exists, "
            "can be written and is not full, or name another with DATABASE_URL or STORAGE_DIR."
        ) from error
    event.listen(engine, "handle_error", _say)
    return engine


def _say(context: ExceptionContext) -> None:
    """Turn what the person can put right into a sentence; anything else stays as it is."""
    if not isinstance(context.sqlalchemy_exception, OperationalError):
        return
    original = context.original_exception
    reason = str(original).splitlines()[0] if str(original) else type(original).__name__
    code = getattr(original, "sqlite_errorname", "")
    if code == "SQLITE_FULL" or getattr(original, "sqlstate", None) == _POSTGRES_FULL:
        raise StorageFull(NO_ROOM) from original
    if code.startswith(_BUSY):
        raise UserError(
            "The records are held by another program, such as a backup: try again in a moment."
        ) from original
    if code.startswith(_SURROUNDINGS) or context.is_disconnect:
        raise UserError(
            f"The records cannot be read or written ({reason}). Check that the disk is not full, "
            "and that the database is there and can be written, then try again."
        ) from original


def _add_what_came_since(connection: Connection) -> None:
    found = inspect(connection)
    quote = connection.dialect.identifier_preparer
    for table in metadata.tables.values():
        there = {column["name"] for column in found.get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                written = CreateColumn(column).compile(dialect=connection.dialect)
                connection.execute(
                    text(f"ALTER TABLE {quote.format_table(table)} ADD COLUMN {written}")
                )
        named = {index["name"] for index in found.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in named:
                index.create(connection)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA busy_timeout=10000")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
