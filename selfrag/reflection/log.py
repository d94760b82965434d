"""The event log of one run: appended by its thread, followed by any number of views."""

import threading
from collections.abc import Callable, Iterator

from selfrag.reflection.events import Event, is_kept


class EventLog:
    """A list of events that can be waited on. Closed once; what comes later is dropped."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._closed = False
        self._changed = threading.Condition()
        self._listeners: list[Callable[[], None]] = []

    def append(self, event: Event, *, last: bool = False) -> bool:
        """Add an event; ``last`` closes the log. False where it was closed already."""
        with self._changed:
            if self._closed:
                return False
            self._events.append(event)
            self._closed = last
            self._changed.notify_all()
            for changed in self._listeners:
                changed()
            return True

    def listen(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Have ``changed`` called at every further event, by the thread that adds it, for views
        that must not wait in a thread of their own; it must return at once.

        Returns:
            What ends that.
        """
        with self._changed:
            self._listeners.append(changed)

        def end() -> None:
            with self._changed:
                self._listeners.remove(changed)

        return end

    def since(self, position: int) -> tuple[list[Event], bool]:
        """The events from a position on, and whether there will be no more."""
        with self._changed:
            return self._events[position:], self._closed

    @property
    def closed(self) -> bool:
        """Whether the run has ended."""
        return self._closed

    def snapshot(self) -> list[Event]:
        """The events so far."""
        with self._changed:
            return list(self._events)

    def kept(self) -> list[Event]:
        """The events that are stored and exported."""
        return [event for event in self.snapshot() if is_kept(event)]

    def follow(self, after: int = 0, timeout: float | None = None) -> Iterator[Event]:
        """Every event from position ``after`` on, as it comes, until the log is closed.

        Args:
            timeout: seconds without an event after which following ends; None waits for ever.
        """
        position = after
        while True:
            with self._changed:
                while not self._closed and len(self._events) <= position:
                    if not self._changed.wait(timeout):
                        return
                fresh = self._events[position:]
                closed = self._closed
            if not fresh:
                return
            yield from fresh
            position += len(fresh)
            if closed and position >= len(self._events):
                return

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the run; False where it has not come within ``timeout`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed, timeout)
