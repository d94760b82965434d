"""A Qdrant server that cannot be used is the person's to put right, not a bug."""

from collections.abc import Iterator
from contextlib import contextmanager

from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from selfrag.errors import UserError


@contextmanager
def reachable() -> Iterator[None]:
    """Turn a server that does not answer, or refuses the key, into a UserError."""
    try:
        yield
    except ResponseHandlingException as error:
        raise UserError(
            f"The Qdrant server does not answer ({error}). Check QDRANT_URL and that the "
            "server runs, or clear QDRANT_URL to keep the index on this machine."
        ) from error
    except UnexpectedResponse as error:
        if error.status_code not in (401, 403):
            raise
        raise UserError(
            "The Qdrant server refuses the key. Set QDRANT_API_KEY to one that may write."
        ) from error
