"""The one open library of this process, shared by pages, REST and MCP.

The application's lifespan opens it before the first visitor and closes it at the end; a page that
runs without the application around it (a test) opens it on first use.
"""

import atexit
import threading

from selfrag.errors import UserError
from selfrag.service import SelfRag
from selfrag.settings import Settings

#: Set when the process has been told to end: nothing new is begun, what waits is let go.
stopping = threading.Event()

_lock = threading.Lock()
_current: SelfRag | None = None


def current() -> SelfRag:
    """The open library; opened with the environment's settings where it is not yet.

    Raises:
        UserError: it cannot be opened.
    """
    return open_once()


def open_once(settings: Settings | None = None) -> SelfRag:
    """Open the library of this process, or return it where it is open.

    Raises:
        UserError: it cannot be opened, or is open with other settings.
    """
    global _current
    with _lock:
        if _current is None:
            _current = SelfRag.open(settings)
            atexit.register(close)
        elif settings is not None and _current.settings != settings:
            raise UserError("The library is open with other settings: close it first.")
        return _current


def close() -> None:
    """Close the library; further calls do nothing."""
    global _current
    with _lock:
        if _current is not None:
            _current.close()
            _current = None
