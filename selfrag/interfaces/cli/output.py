"""Standard output that cannot be written (a full disk, a closed pipe) is no fault of the library.

Which of the two a failing write meant cannot be told from the exception, so that the file that
standard output goes to notes its own failures.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class _Noting(io.FileIO):
    """A file that remembers that it could not be written."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> Any:
        try:
            return super().write(data)
        except OSError as error:
            self.failure = error
            raise


_files: list[_Noting] = []


def output_fails() -> bool:
    """Whether standard output could not be written."""
    return any(file.failure is not None for file in _files)


@contextmanager
def told_output() -> Iterator[None]:
    """While inside, output that cannot be written ends the process with one sentence, exit code 1.

    A terminal stays as it is; so does whatever a test has put in the place of standard output.
    """
    before = sys.stdout
    if not isinstance(before, io.TextIOWrapper) or before is not sys.__stdout__ or before.isatty():
        yield
        return
    file = _Noting(before.fileno(), "w", closefd=False)
    _files.append(file)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(file), encoding=before.encoding, errors=before.errors
    )
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OSError as error:
        if not output_fails():
            raise
        # What could not be written is still waiting, and would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), before.fileno())
        if error.errno != errno.EPIPE:
            reason = error.strerror or error
            print(
                f"The output could not be written ({reason}): write it elsewhere.", file=sys.stderr
            )
        sys.exit(1)
