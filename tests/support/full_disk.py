"""Records that cannot grow, as on a full disk."""

import sqlite3
import threading

from sqlalchemy import event

from selfrag.service import SelfRag


def full_while_set(rag: SelfRag) -> threading.Event:
    """While it is set, the database of a library may not grow."""
    full = threading.Event()

    @event.listens_for(rag._documents._engine, "checkout")
    def _limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count={1 if full.is_set() else 2**30}")

    return full
