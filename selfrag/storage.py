"""The folder that holds a library: private documents, so its owner's alone.

On POSIX it is made with mode 0700, which keeps what is in it from other users of the machine,
whatever the modes of the files. A folder that is there keeps the mode that it was given. On
Windows what others may read follows from the folder that it is made in.
"""

import os
import stat
from pathlib import Path


def make_storage(folder: Path) -> None:
    """Make the folder where it is not there, for its owner only.

    Raises:
        OSError: it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def others_can_read(folder: Path) -> bool:
    """Whether any user of this machine can list or open what is in the folder; POSIX only."""
    if os.name != "posix" or not folder.exists():
        return False
    folder = folder.resolve()
    open_to_all = folder.stat().st_mode & (stat.S_IROTH | stat.S_IXOTH)
    return bool(open_to_all) and all(up.stat().st_mode & stat.S_IXOTH for up in folder.parents)
