"""An index that cannot be used is the person's to put right, not a bug."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

from selfrag.errors import UserError
from selfrag.index.catalogue import MissingCollectionError

KEEP_IT_HERE = "or clear QDRANT_URL to keep the index on this machine"


def address(url: httpx.URL) -> str:
    """Scheme, host and port; no key or path that may stand in it."""
    return f"{url.scheme}://{url.netloc.decode()}"


@contextmanager
def reachable() -> Iterator[None]:
    """Turn a server that is down, slow, busy, full or refuses into a UserError; and a collection
    that is not there any more."""
    try:
        yield
    except MissingCollectionError as error:
        raise UserError(
            f"The index is incomplete ({error}). Run `python -m selfrag ingest --reset`, which "
            "rebuilds it from the library's own copies."
        ) from error
    except ResponseHandlingException as error:
        if isinstance(error.source, httpx.TimeoutException):
            raise UserError(
                f"The Qdrant server at {address(error.source.request.url)} takes too long to "
                "answer; nothing is known of the last request. Check QDRANT_URL, see what keeps "
                f"the server busy and try again, {KEEP_IT_HERE}."
            ) from error
        if isinstance(error.source, httpx.TransportError):
            raise UserError(
                f"The Qdrant server at {address(error.source.request.url)} does not answer "
                f"({error}). Check QDRANT_URL and that the server runs, {KEEP_IT_HERE}."
            ) from error
        raise UserError(
            "What answers at QDRANT_URL does not speak as a Qdrant server of this version does "
            f"({type(error.source).__name__}). Check QDRANT_URL and the server's version, "
            f"{KEEP_IT_HERE}."
        ) from error
    except json.JSONDecodeError as error:
        raise UserError(
            "What answers at QDRANT_URL is no Qdrant server: its answer is not JSON. Check "
            f"QDRANT_URL, {KEEP_IT_HERE}."
        ) from error
    except ResourceExhaustedResponse as error:
        raise UserError(
            f"The Qdrant server refuses more requests for now ({error}). Try again in "
            f"{error.retry_after_s} seconds."
        ) from error
    except UnexpectedResponse as error:
        raise _refused(error) from error


def _refused(error: UnexpectedResponse) -> Exception:
    """A UserError where the person can act on it; the error itself where it is a bug."""
    status = error.status_code or 0
    if status in (401, 403):
        return UserError(
            "The Qdrant server refuses the key. Set QDRANT_API_KEY to one that may write."
        )
    if status == 404:
        return UserError(
            "The Qdrant server no longer has the collection, or is no Qdrant server: check "
            "QDRANT_URL, or run `python -m selfrag ingest --reset` to rebuild the index."
        )
    if status >= 500 or status == 507:
        said = error.content.decode("utf-8", "replace")[:300]
        return UserError(
            f"The Qdrant server reports a fault of its own ({status}: {said}). See its log and "
            "its free disk space, then try again."
        )
    return error
