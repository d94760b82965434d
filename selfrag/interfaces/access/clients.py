"""Who asks, and how often: limits per client, so that one cannot use up what is there for all."""

import ipaddress
import threading
import time
from collections import deque
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.types import Scope

WINDOW = 60.0  #: seconds
MOST_CLIENTS = 10_000  #: that are remembered


def client_of(scope: Scope, proxies: int) -> str:
    """The client's address: the ``proxies``-th from the right of X-Forwarded-For.

    Every proxy appends the address it was called from, so that only entries from the right can
    be relied on: what stands further left is what the client chose to send. Where there are
    fewer entries than proxies, the request did not come through all of them, and the peer
    itself counts. An IPv6 client has a whole /64 to choose addresses from: that is what counts.
    """
    peer, port = scope.get("client") or ("", 0)
    if proxies:
        given = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
        entries = [entry.strip() for entry in given if entry.strip()]
        if len(entries) >= proxies:
            return _network(entries[-proxies])
    # Uvicorn replaces a peer on this machine by what X-Forwarded-For says, with port 0.
    return _network("127.0.0.1" if port == 0 else str(peer))


def _network(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


class Limits:
    """How often each client did what, in the last minute (a sliding window)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._times: dict[tuple[str, str], deque[float]] = {}

    def take(self, kind: str, client: str, per_minute: int) -> float:
        """Count one request.

        Returns:
            0 where it may go on; else the seconds after which it may be tried again.
        """
        if per_minute <= 0:
            return 0.0
        now = self._clock()
        with self._lock:
            # Taken out and put in again: the dictionary's order is that of the last request.
            times = self._times.pop((kind, client), deque())
            while times and times[0] <= now - WINDOW:
                times.popleft()
            wait = times[0] + WINDOW - now if len(times) >= per_minute else 0.0
            if not wait:
                times.append(now)
            self._times[kind, client] = times
            if len(self._times) > MOST_CLIENTS:
                del self._times[next(iter(self._times))]
        return wait
