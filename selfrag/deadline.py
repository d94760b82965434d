"""A time by which a request is over, however its bytes trickle in.

httpx bounds the silence between two pieces of an answer, never the whole: a server that sends
one byte now and then is read from for ever. Here every read of a client's connections has what
is left until the deadline of the request, which covers headers, body and the pieces of a stream
alike.
"""

import math
import threading
import time
from typing import Any


class Deadline(threading.local):
    """When the request that the present thread makes has to be over; each thread has its own.

    Attributes:
        ends: on the clock of ``time.monotonic``; infinite where there is no request.
    """

    ends: float = math.inf

    def start(self, seconds: float) -> None:
        """``seconds`` from now on."""
        self.ends = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds; 0 or less where it has passed."""
        return self.ends - time.monotonic()


def bound(client: Any, deadline: Deadline, late: type[Exception]) -> None:
    """Let no read of ``client`` go on beyond ``deadline``.

    Args:
        client: of httpx or httpx2. Neither lets one choose what its connections read with and
            keeps the proxies of the environment as well, so it is put in their pools.
        late: what its httpcore raises where a read takes too long.
    """
    for transport in (client._transport, *client._mounts.values()):
        if transport is not None:  # None: an address that goes through no proxy
            pool = transport._pool
            pool._network_backend = _Backend(pool._network_backend, deadline, late)


class _Wrapped:
    def __init__(self, inner: Any, deadline: Deadline, late: type[Exception]) -> None:
        self._inner = inner
        self._deadline = deadline
        self._late = late

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Backend(_Wrapped):
    """Makes connections; as httpcore's ``NetworkBackend``."""

    def connect_tcp(self, *args: Any, **options: Any) -> "_Stream":
        return _Stream(self._inner.connect_tcp(*args, **options), self._deadline, self._late)


class _Stream(_Wrapped):
    """A connection; as httpcore's ``NetworkStream``."""

    def start_tls(self, *args: Any, **options: Any) -> "_Stream":
        return _Stream(self._inner.start_tls(*args, **options), self._deadline, self._late)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline.left
        if left <= 0:
            raise self._late("the deadline of the request has passed")
        if timeout is None or left < timeout:
            timeout = left if math.isfinite(left) else None
        read: bytes = self._inner.read(max_bytes, timeout)
        return read
