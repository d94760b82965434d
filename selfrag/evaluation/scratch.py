"""A folder for an index that is needed only while something is measured.

It lies in the system's temporary folder and is removed at the end. A process that is killed
leaves its own behind, which the next one removes: the lock on a folder in use is dropped by the
operating system when its holder dies.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selfrag.errors import UserError
from selfrag.index.lock import StorageLock

_PREFIX = "selfrag-evaluation-"
_NEW = 60.0  #: seconds within which a folder that was made is locked by the index in it


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder, in which an index must be opened at once: it is what locks it."""
    _clear()
    # What cannot be removed now, since a file is still held, goes the next time.
    with tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _clear() -> None:
    """Remove the folders of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or time.time() - folder.stat().st_mtime < _NEW:
                continue
            StorageLock(folder).release()
        except (OSError, UserError):  # gone by now, in use, or of somebody else
            continue
        shutil.rmtree(folder, ignore_errors=True)
