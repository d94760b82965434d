"""MCP over standard input and output, for a client that starts a process of its own.

Several of them, and the application, may be wanted on one library at once, which one process
holds. So each call is answered by whoever holds it: a running server, or else this process,
which then opens it. It is opened after the client has been greeted, because clients wait for
that only so long.
"""

import logging
import threading

from selfrag.errors import UserError
from selfrag.interfaces import remote
from selfrag.interfaces.backend import Backend
from selfrag.interfaces.local import Local
from selfrag.interfaces.mcp.transports import serve_stdio
from selfrag.service import SelfRag
from selfrag.settings import Settings, load_settings

logger = logging.getLogger(__name__)


class Whoever:
    """Gives the backend that holds the library at the moment."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._here: Local | None = None
        self._there: remote.Remote | None = None

    def __call__(self) -> Backend:
        """The backend.

        Raises:
            UserError: the library cannot be opened, and no server has it.
        """
        with self._lock:
            if self._here is not None:
                return self._here
            found = remote.find(self._settings)
            if found is None:
                rag = SelfRag.open(self._settings)
                rag.warm_up()
                self._here = Local(rag)
                return self._here
            if self._there is None or self._there.url != found.url:
                self._there = found
            else:
                found.close()
            return self._there

    def prepare(self) -> None:
        """Open it ahead of the first call, which says what is wrong where this cannot."""
        try:
            self()
        except UserError as error:
            logger.warning("%s", error)

    def close(self) -> None:
        """Give the library back."""
        with self._lock:
            if self._here is not None:
                self._here.rag.close()
                self._here = None


def run() -> None:
    """Serve until the client closes its end.

    Raises:
        UserError: a setting is wrong.
    """
    settings = load_settings()
    whoever = Whoever(settings)
    threading.Thread(target=whoever.prepare, name="prepare", daemon=True).start()
    try:
        serve_stdio(whoever, lambda: settings)
    finally:
        whoever.close()
