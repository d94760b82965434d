"""Opening the records: SQLite by default, any SQLAlchemy URL where one is set.

Tables that an earlier version made get the columns and indexes that have come since. Nothing is
ever dropped or changed, so an earlier version still opens them afterwards.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateColumn

from selfrag.errors import UserError
from selfrag.records.schema import metadata


def open_database(url: str | None, storage_dir: Path) -> Engine:
    """Connect, and make the tables, columns and indexes that are missing.

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
        shown = "DATABASE_URL" if url else str(storage_dir / "records.db")
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise UserError(
            f"The records in {shown} cannot be opened ({reason}). Check that the place exists, "
            "can be written and is not full, or name another with DATABASE_URL or STORAGE_DIR."
        ) from error
    return engine


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
