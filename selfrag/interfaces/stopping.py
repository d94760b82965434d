"""A graceful stop: what is under way ends, and says so, before the connections are closed.

Uvicorn waits for open requests before it ends the application's lifespan; a request that waits
for a run of minutes would hold it up that long. So the signal itself stops the runs: each is
recorded as stopped, and whoever follows it is sent its end.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from selfrag import process
from selfrag.service import SelfRag

_SIGNALS = [
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGBREAK") if hasattr(signal, name)
]


class _Stop:
    """Handles a signal and passes it on to whoever handled it before.

    It has the attribute ``should_exit`` because sse-starlette, which ends MCP's streams, looks
    for it on the object that handles SIGTERM.
    """

    def __init__(self) -> None:
        self.should_exit = False
        self.before: dict[int, Any] = {}

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Have what is under way stopped, then do as before."""
        self.should_exit = True
        process.stopping.set()
        before = self.before.get(number)
        if callable(before):
            before(number, frame)


@contextmanager
def stops_runs(rag: SelfRag) -> Iterator[None]:
    """While inside, a signal that ends the process ends its runs first."""
    process.stopping.clear()
    stop = _Stop()
    # Not in the handler: what it interrupted may hold a lock that stopping a run waits for.
    thread = threading.Thread(target=_when_told, args=(rag,), name="stop-runs", daemon=True)
    thread.start()
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            before = signal.getsignal(number)
            if callable(before):  # a server that ends in order; else nothing would follow
                stop.before[number] = before
                signal.signal(number, stop.handle)
    try:
        yield
    finally:
        process.stopping.set()
        thread.join()
        for number, before in stop.before.items():
            if signal.getsignal(number) == stop.handle:
                signal.signal(number, before)


def _when_told(rag: SelfRag) -> None:
    process.stopping.wait()
    rag.stop_runs()
