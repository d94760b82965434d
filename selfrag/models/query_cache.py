"""The vectors of the last few hundred queries: a question is asked again in other modes, by
retries, and by every page that is drawn anew."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

QUERIES = 512  #: that are remembered

_anew: ContextVar[bool] = ContextVar("query vectors are made anew", default=False)


@contextmanager
def made_anew() -> Iterator[None]:
    """Inside, and in this thread, vectors are made although they are remembered: what a search is
    said to take is what it takes of a question that is new."""
    before = _anew.set(True)
    try:
        yield
    finally:
        _anew.reset(before)


class QueryCache:
    """Vectors by query, the least lately asked forgotten first. May be shared by threads."""

    def __init__(self, most: int = QUERIES) -> None:
        self._most = most
        self._known: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, query: str, make: Callable[[str], list[float]]) -> list[float]:
        """The vector of ``query``, made where it is not known. A copy: change it as you like.

        What ``make`` raises is passed on, and nothing is remembered.
        """
        with self._lock:
            if query in self._known and not _anew.get():
                self._known.move_to_end(query)
                return list(self._known[query])
        vector = make(query)
        with self._lock:
            self._known[query] = vector
            self._known.move_to_end(query)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return list(vector)
