"""The vectors of the last few hundred queries: a question is asked again in other modes, by
retries, and by every page that is drawn anew."""

import threading
from collections import OrderedDict
from collections.abc import Callable

QUERIES = 512  #: that are remembered


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
            if query in self._known:
                self._known.move_to_end(query)
                return list(self._known[query])
        vector = make(query)
        with self._lock:
            self._known[query] = vector
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return list(vector)
