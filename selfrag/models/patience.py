"""How long one call of a model is waited for, however often it is tried.

OpenAI's client tries again by itself, and gives every try the whole time, which for httpx is the
time between two bytes: who allows 30 seconds would wait for three times that, and for ever where
an endpoint only keeps the connection alive. Here the tries of a call share one limit:

1. the first has all of it, each further one what those before it and the pauses have left;
2. where nothing is left, or the pause that the endpoint asks for (``Retry-After``) would take
   longer than that, there is no further try;
3. within it the whole reply is there or, of a stream, its first text. From each piece of text on
   (`PatientClient.heard`) the limit begins anew; comments and empty pieces do not count.
"""

import math
from typing import Any

import httpcore2
import httpx2
import openai

from selfrag.deadline import Deadline, bound
from selfrag.models.chat_errors import retry_after

CONNECT_SECONDS = 5.0  #: within the limit, for a connection to be made
LONGEST_PAUSE = 20.0  #: seconds between two tries: a rate limit ends in a sentence, not in silence

_TRY = "x-stainless-retry-count"  #: the client's header that numbers the tries of a call, from 0


def limits(seconds: float) -> openai.Timeout:
    """``seconds`` for a call; less to connect."""
    return openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


class PatientClient(openai.DefaultHttpxClient):
    """What OpenAI's clients send with; goes to the address that was set and to no other.

    Args:
        seconds: the limit of a call, where the request names none of its own.
        longest_pause: seconds; an endpoint that asks to wait longer is not waited for.
    """

    def __init__(
        self, seconds: float, *, longest_pause: float = LONGEST_PAUSE, **options: Any
    ) -> None:
        # A question goes to the address that was set, and to no other that it names.
        super().__init__(timeout=limits(seconds), follow_redirects=False, **options)
        self._longest_pause = longest_pause
        self._call = _Call()  # a call, its tries and its stream are one thread's
        bound(self, self._call, httpcore2.ReadTimeout)

    def heard(self) -> None:
        """The stream that this thread reads has told something: it may take as long once more."""
        self._call.start(self._call.limit)

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """One try of a call.

        Raises:
            openai.APITimeoutError: the call has no time left; the client does not try again.
        """
        timeouts = dict(request.extensions.get("timeout") or {})
        limit = timeouts.get("read")
        if limit is None:
            self._call.start(math.inf)
            return super().send(request, **options)
        if request.headers.get(_TRY, "0") == "0":
            self._call.limit = limit
            self._call.start(limit)
        left = self._call.left
        if left <= 0:
            raise openai.APITimeoutError(request=request)
        # Reading is bounded by the call, anew with each piece of a stream.
        shorter = {
            kind: seconds if kind == "read" else left if seconds is None else min(seconds, left)
            for kind, seconds in timeouts.items()
        }
        request.extensions = {**request.extensions, "timeout": shorter}
        try:
            response = super().send(request, **options)
        except httpx2.TimeoutException as error:
            if self._call.left > 0:
                raise  # nobody took the connection: there is time to try once more
            raise openai.APITimeoutError(request=request) from error
        pause = retry_after(response.headers)
        if pause is not None and pause > min(self._longest_pause, self._call.left):
            response.headers["x-should-retry"] = "false"
        return response


class _Call(Deadline):
    """The deadline of the call under way, and the seconds that it has from one text to the next."""

    limit: float = math.inf
