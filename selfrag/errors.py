"""Errors, sorted by who must act on them.

Anything else that is raised is a bug: it is logged whole and shown as "something
went wrong", never swallowed.
"""

import errno


class UserError(Exception):
    """Something the person can put right.

    The text is shown as it is, by every interface, so it says what happened and ends
    with what to do.
    """


class Missing(UserError):
    """What was asked for by its id is not there.

    Args:
        kind: ``document`` or ``run``.
        message: what happened and what to do; an interface may say in its own words where the
            ids are listed.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class StorageFull(UserError):
    """There is no room where the library is kept; nothing was changed unless the text says so."""


NO_ROOM = "The disk that holds the library is full: free some space and try again."


def disk_is_full(error: BaseException) -> bool:
    """Whether the operating system refused to write because there is no room."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


class ModelError(Exception):
    """A model answered badly or not at all, after the retries that made sense.

    The text is for the person. A run shows it as a grade that could not be had, or ends
    as ``failed``; it is never taken for a yes or a no.

    Args:
        message: what happened and what to do.
        fatal: True where asking again cannot help (a refused key, an unknown model):
            the run ends instead of going on without this grade.
    """

    def __init__(self, message: str, *, fatal: bool = False) -> None:
        super().__init__(message)
        self.fatal = fatal
