"""Room on the disk, looked at before the engine writes.

The engine writes through memory maps of files that are longer than what the disk has set aside
for them: where the disk is full, the operating system kills the process (SIGBUS; tried on a
small file system) instead of returning an error. So nothing is written once little is left.
"""

import shutil
from pathlib import Path

from selfrag.errors import StorageFull

#: Bytes that stay free: the engine's files grow by 32 MB at a time, a few of them at once.
RESERVE = 192 * 2**20
#: A removal writes little, and is what makes room again.
RESERVE_FOR_REMOVAL = 32 * 2**20
#: Opening touches what the files have not set aside yet, and a little besides.
RESERVE_FOR_OPENING = 2**20


def must_have_room(folder: Path, reserve: int = RESERVE) -> None:
    """Raise UserError where the disk that holds ``folder`` has less than ``reserve`` bytes free."""
    if not has_room(folder, reserve):
        raise full(folder)


def has_room(folder: Path, reserve: int) -> bool:
    """Whether that many bytes are free there."""
    return shutil.disk_usage(folder).free >= reserve


def occupied(folder: Path) -> int:
    """Bytes that the files under ``folder`` are long; they may occupy less."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def must_open(folder: Path) -> None:
    """Raise StorageFull where the engine could not even open what is in ``folder``.

    Where the files have their room set aside already, an index on a full disk can be read.
    """
    unset = sum(
        max(0, stat.st_size - 512 * getattr(stat, "st_blocks", stat.st_size))
        for stat in (file.stat() for file in folder.rglob("*") if file.is_file())
    )
    needed = min(unset, RESERVE_FOR_REMOVAL) + RESERVE_FOR_OPENING
    if not has_room(folder, needed):
        raise StorageFull(
            f"The disk that holds {folder} is too full to open it. Free some space (at least "
            f"{needed // 2**20} MB) and try again."
        )


def full(folder: Path) -> StorageFull:
    """The error for a disk without room."""
    return StorageFull(
        f"The disk that holds {folder} is full: nothing was written. Free some space (at least "
        f"{RESERVE // 2**20} MB), or set STORAGE_DIR to a folder on another disk."
    )
