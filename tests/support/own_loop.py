"""Coroutines on an event loop of their own, also where a browser's loop is running already."""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import anyio

Answer = TypeVar("Answer")


def run(main: Callable[..., Awaitable[Answer]], *arguments: Any) -> Answer:
    """What ``main`` returns. In a thread: Playwright leaves a loop running in the test's own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, main, *arguments).result()
