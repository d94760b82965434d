"""One process at a time holds an index folder.

The engine's own lock comes too late: it fails only after the second process has already
touched the files of the first, whose next flush then fails. So the folder is locked before
anything in it is opened. The operating system drops the lock when its holder dies, which
is why a lock left behind by a killed process never blocks.
"""

import json
import logging
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import portalocker

from selfrag.errors import UserError

logger = logging.getLogger(__name__)

LOCK_FILE = "index.lock"
HOLDER_FILE = "index.holder.json"


class StorageLock:
    """An exclusive lock on a folder, taken on construction and held until ``release``.

    The holder's pid, command and start time lie in a second file, because a locked file
    cannot be read by others on Windows.

    Raises:
        UserError: the folder is held by someone else (the text names them), or it cannot
            be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[Any] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = (folder / LOCK_FILE).open("a")
        except OSError as error:
            raise UserError(
                f"The index folder {folder} cannot be used ({error.strerror or error}). "
                "Set STORAGE_DIR to a folder that can be written."
            ) from error
        try:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.AlreadyLocked as error:
            file.close()
            raise UserError(self._in_use()) from error
        except portalocker.LockException as error:
            file.close()
            raise UserError(
                f"The index folder {folder} cannot be locked ({error}), as on some network "
                "drives. Set STORAGE_DIR to a folder on a local disk, or QDRANT_URL to a "
                "Qdrant server."
            ) from error
        self._file = file
        holder = {
            "pid": os.getpid(),
            "command": _command(),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        try:
            (folder / HOLDER_FILE).write_text(json.dumps(holder), encoding="utf-8")
        except OSError as error:  # such as a full disk: what is there can be read all the same
            logger.warning("who uses %s could not be noted (%s)", folder, error.strerror or error)

    def release(self) -> None:
        """Give the folder back; further calls do nothing."""
        if self._file is None:
            return
        # The note goes first: once unlocked, it may already be the next holder's.
        (self._folder / HOLDER_FILE).unlink(missing_ok=True)
        portalocker.unlock(self._file)
        self._file.close()
        self._file = None

    def _in_use(self) -> str:
        holder = _read_holder(self._folder / HOLDER_FILE)
        if holder is None:
            who, stop = "another process", "that process"
        elif holder["pid"] == os.getpid():
            who, stop = "this same process, which has opened it already", "opening it twice"
        else:
            who = f"process {holder['pid']} ({holder['command']}, started at {holder['started']})"
            stop = "that process"
        return (
            f"The index in {self._folder} is in use by {who}; only one at a time can hold it. "
            f"Either stop {stop}, or set STORAGE_DIR to another folder for a library of its own. "
            "Two processes cannot share one library, not even with QDRANT_URL set."
        )


def _command() -> str:
    """This process's command line, as one would type it."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        return shlex.join(["python", "-m", program.parent.name, *sys.argv[1:]])
    return shlex.join([program.name or "python", *sys.argv[1:]])


def _read_holder(path: Path) -> dict[str, Any] | None:
    """The holder's note; None while it is being written or where it was deleted by hand."""
    try:
        holder = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return (
        holder
        if isinstance(holder, dict) and {"pid", "command", "started"} <= holder.keys()
        else None
    )
