"""A client for a Qdrant server or cluster that tries again where that can help.

Every request made here can be repeated without harm (points are written by id, removed by
filter), so a dropped connection, a server that starts or is busy, is waited out for a few
seconds before the person hears of it.

A request is over after its time however slowly the answer trickles in; the first one, which
tells whether there is such a server at all, has less. That it is waited for is said in the log.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib.metadata import version
from typing import Any

import httpcore
import httpx
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.common.version_check import is_compatible
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from selfrag.deadline import Deadline, bound
from selfrag.index.reach import address, reachable

logger = logging.getLogger(__name__)

TIMEOUT = 30  #: seconds for one request
FIRST_TIMEOUT = 10  #: seconds for one as long as none has been answered
CONNECT_TIMEOUT = 5  #: seconds, of those, for a connection to be made
TOLD_AFTER = 3.0  #: seconds without an answer after which the log says so
PAUSES = (0.5, 1.0, 2.0)  #: seconds before each further attempt
_MOMENTARY = frozenset({502, 503, 504})
_REPEATABLE = (
    "collection_exists",
    "count",
    "delete",
    "facet",
    "get_collection",
    "query_batch_points",
    "query_points",
    "retrieve",
    "scroll",
    "set_payload",
    "upsert",
)


class ServerClient(QdrantClient):
    """``QdrantClient`` for a URL, with attempts after ``PAUSES``.

    Writes return once they are applied (``wait``); collections are made so that this means on
    every replica (``write_consistency_factor`` in `Index`), so that the next read sees them.
    """

    def __init__(self, url: str, api_key: str | None = None, timeout: int = TIMEOUT) -> None:
        # Asked for by `server_health`; the constructor would only warn, and wait for it.
        super().__init__(url=url, api_key=api_key, timeout=timeout, check_compatibility=False)
        self._timeout = timeout
        self._answered = False
        self._deadline = Deadline()
        client = self.http.client
        bound(client._client, self._deadline, httpcore.ReadTimeout)
        client.add_middleware(self._in_time)

    @property
    def seconds(self) -> int:
        """The time of the next request."""
        return self._timeout if self._answered else min(self._timeout, FIRST_TIMEOUT)

    def _in_time(
        self, request: httpx.Request, send: Callable[[httpx.Request], httpx.Response]
    ) -> httpx.Response:
        seconds = self.seconds
        limits = request.extensions["timeout"]
        limits["connect"] = min(limits["connect"], CONNECT_TIMEOUT)
        tell = threading.Timer(
            TOLD_AFTER,
            logger.warning,
            (
                "The Qdrant server at %s has not answered for %g s; it is waited for up to %d s",
                address(request.url),
                TOLD_AFTER,
                seconds,
            ),
        )
        tell.daemon = True
        tell.start()
        self._deadline.start(seconds)
        try:
            response = send(request)
        finally:
            tell.cancel()
        self._answered = True
        return response


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """What a server says of itself.

    Attributes:
        version: of the server.
        compatible: whether this client was made for it (one minor version apart at most).
        client_version: of this client.
    """

    version: str
    compatible: bool
    client_version: str


@reachable()
def server_health(client: QdrantClient) -> ServerHealth:
    """Ask a server how it is.

    Raises:
        UserError: it does not answer, or refuses the key.
    """
    own = version("qdrant-client")
    found = client.info().version
    return ServerHealth(found, is_compatible(own, found), own)


def _persistent(name: str) -> Callable[..., Any]:
    """The method of that name, tried again after momentary faults."""
    method = getattr(QdrantClient, name)

    @wraps(method)
    def attempt(self: ServerClient, *args: Any, **kwargs: Any) -> Any:
        ends = time.monotonic() + self.seconds
        for pause in PAUSES:
            try:
                return method(self, *args, **kwargs)
            except (ResponseHandlingException, UnexpectedResponse) as error:
                if not _momentary(error) or time.monotonic() + pause > ends:
                    raise
                logger.warning("qdrant %s: %s; tried again in %.1f s", name, error, pause)
            except ResourceExhaustedResponse as error:
                if error.retry_after_s > PAUSES[-1] or time.monotonic() > ends:
                    raise
                pause = max(pause, error.retry_after_s)
                logger.warning("qdrant %s: busy; tried again in %.1f s", name, pause)
            time.sleep(pause)
        return method(self, *args, **kwargs)

    return attempt


def _momentary(error: Exception) -> bool:
    if isinstance(error, UnexpectedResponse):
        return error.status_code in _MOMENTARY
    # A request that timed out took all its time: the person is told rather than kept waiting.
    source = getattr(error, "source", None)
    return isinstance(source, httpx.TransportError) and not isinstance(
        source, httpx.TimeoutException
    )


for _name in _REPEATABLE:
    setattr(ServerClient, _name, _persistent(_name))
