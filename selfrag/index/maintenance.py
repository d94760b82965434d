"""The thread that tidies collections after writes: flush, and reclaim what was deleted.

A write is in the write-ahead log when it returns, so it survives the death of the process;
the flush here makes it survive a power cut too. It waits until writes have paused, because
the engine holds Python's global lock while it flushes or reclaims (measured: 0.1 s and
0.4 to 0.8 s at 20,000 chunks of 384 dimensions), and nothing else in the process runs then.
"""

import logging
import threading
import time
from collections.abc import Callable

logger = logging.getLogger(__name__)

#: Seconds without a write before a collection is tidied ...
QUIET_SECONDS = 1.0
#: ... and the longest that a stream of writes can put a flush off.
PATIENCE_SECONDS = 10.0


class Maintenance:
    """Runs ``tidy(name)`` for each collection that was written to, once writes pause.

    Args:
        tidy: flushes one collection and reclaims its deleted points. It runs in this
            object's thread. What it raises is logged and kept in ``failures``.
    """

    def __init__(self, tidy: Callable[[str], None], *, quiet: float = QUIET_SECONDS) -> None:
        self._tidy = tidy
        self._quiet = quiet
        self._wake = threading.Condition()
        self._pending: dict[str, tuple[float, float]] = {}  # name -> first and last write
        self._stopping = False
        self.failures: dict[str, str] = {}
        self._thread = threading.Thread(target=self._run, name="index-maintenance", daemon=True)
        self._thread.start()

    def note_write(self, name: str) -> None:
        """Say that a collection was written to."""
        now = time.monotonic()
        with self._wake:
            first, _ = self._pending.get(name, (now, now))
            self._pending[name] = (first, now)
            self._wake.notify()

    def forget(self, name: str) -> None:
        """Say that a collection is gone."""
        with self._wake:
            self._pending.pop(name, None)
        self.failures.pop(name, None)

    def stop(self) -> None:
        """End the thread, after the collection that it is at; what is pending is left."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        while (name := self._next()) is not None:
            try:
                self._tidy(name)
                self.failures.pop(name, None)
            except Exception as error:
                logger.exception("collection %s could not be tidied", name)
                self.failures[name] = str(error)

    def _next(self) -> str | None:
        """Wait for a collection whose time has come; None when stopping."""
        with self._wake:
            while not self._stopping:
                now = time.monotonic()
                due = {
                    name: min(last + self._quiet, first + PATIENCE_SECONDS) - now
                    for name, (first, last) in self._pending.items()
                }
                if not due:
                    self._wake.wait()
                    continue
                name = min(due, key=due.__getitem__)
                if due[name] <= 0:
                    del self._pending[name]
                    return name
                self._wake.wait(due[name])
            return None
