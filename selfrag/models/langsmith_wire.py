"""What the LangSmith client sends over and what it says: nothing to another origin, one sentence.

A key and a person's passages go to the endpoint that is set and nowhere else. requests follows a
redirect to any origin and takes only ``Authorization`` off; the key is in ``x-api-key``, and a 307
has the trace sent along. So no redirect is followed, and one is an error as any other.
"""

import logging
import re
from collections.abc import Callable
from typing import Any

import requests

_CLIENT = "langsmith"  #: the logger above all of the client's
_ADDRESS = re.compile(r"https?://")


class OneOrigin(requests.Session):
    """A session that follows no redirects.

    Raises:
        requests.TooManyRedirects: (from every request) the answer is one.
    """

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """As of `requests.Session`, but for redirects."""
        kwargs["allow_redirects"] = False
        response = super().send(request, **kwargs)
        if response.is_redirect:
            raise requests.TooManyRedirects(
                f"it redirects to {response.headers['location']}, which is not followed: set "
                "LANGSMITH_ENDPOINT to where the API is",
                response=response,
            )
        return response


class _Heard(logging.Handler):
    """Tells of traces that could not be sent; everything else the client says is advice to it.

    A client that is closed may go on retrying for a while: what names an endpoint is told to
    those alone that trace to it.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.told: dict[str, Callable[[str], None]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.levelno < logging.ERROR and not message.startswith("Failed to"):
            return
        for endpoint, told in list(self.told.items()):
            if endpoint in message or not _ADDRESS.search(message):
                told(message)


_heard = _Heard()


def hear(endpoint: str, told: Callable[[str], None]) -> None:
    """Have the client's own log lines go to ``told``, where they tell of a failure, only.

    Args:
        endpoint: the address of the API whose failures are meant.
    """
    of_client = logging.getLogger(_CLIENT)
    of_client.propagate = False
    of_client.handlers = [_heard]
    _heard.told[endpoint] = told


def hear_no_more(endpoint: str) -> None:
    """End what `hear` began; the client's log lines go nowhere then."""
    _heard.told.pop(endpoint, None)
