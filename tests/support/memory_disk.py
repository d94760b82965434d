"""The tests' folders in memory, where the system has a file system there.

Each of a thousand libraries is made anew on disk, synced at every write, and deleted again: the
tests would wait for the disk more than for anything else. Whoever names a folder of their own
(``TMPDIR``, ``--basetemp``) gets that one.
"""

import os
import sys
import tempfile
from pathlib import Path

_MEMORY = Path("/dev/shm")
_NEEDED = 3 << 30  # bytes free; a whole run leaves about 1 GB behind while it goes


def use_memory_disk() -> None:
    """Let temporary files of this process, and of those that it starts, lie in memory."""
    if sys.platform != "linux" or "TMPDIR" in os.environ or not _fits(_MEMORY):
        return
    os.environ["TMPDIR"] = str(_MEMORY)
    tempfile.tempdir = None


def _fits(folder: Path) -> bool:
    """Whether there is room, and programs that a test writes may be run."""
    if not os.access(folder, os.W_OK):
        return False
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize >= _NEEDED and not status.f_flag & os.ST_NOEXEC
