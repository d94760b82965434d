"""Opening the records: SQLite by default, any SQLAlchemy URL where one is set."""

from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from selfrag.errors import UserError
from selfrag.records.schema import metadata


def open_database(url: str | None, storage_dir: Path) -> Engine:
    """Connect and make the tables that are missing.

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
    except (SQLAlchemyError, ImportError) as error:
        shown = "DATABASE_URL" if url else str(storage_dir / "records.db")
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise UserError(
            f"The records in {shown} cannot be opened ({reason}). Check that the place exists, "
            "can be written and is not full, or name another with DATABASE_URL or STORAGE_DIR."
        ) from error
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA busy_timeout=10000")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
