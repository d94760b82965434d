"""A run's log, followed without a thread for each follower: any number can wait at once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from selfrag.reflection.events import Event
from selfrag.reflection.log import EventLog


async def follow(
    log: EventLog, after: int = 0, heartbeat: float | None = None
) -> AsyncIterator[tuple[int, Event | None]]:
    """Every event from position ``after`` on, as ``(position, event)``, until the log is closed.

    Args:
        heartbeat: seconds without an event after which ``(position, None)`` comes.
    """
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and its followers with it
            loop.call_soon_threadsafe(changed.set)

    end = log.listen(wake)
    position = after
    try:
        while True:
            changed.clear()
            fresh, closed = log.since(position)
            for event in fresh:
                yield position, event
                position += 1
            if closed:
                return
            try:
                await asyncio.wait_for(changed.wait(), heartbeat)
            except TimeoutError:
                yield position, None
    finally:
        end()
