"""The three places that hold a document: its row in the manifest, its chunks, its file.

Every crash point lies between writes to them, so what is written in which order is here.
"""

import hashlib
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock

from selfrag.index.store import Index
from selfrag.records.documents import Documents

_PART = ".part"
_LEAVING = ".leaving"


class Holdings:
    """Manifest, index and files of one library.

    Attributes:
        manifest, index: of the library.
        folder: where its copies of the files are.
        at_work: ids of the documents that are being taken in, or wait for their turn here.
    """

    def __init__(self, folder: Path, manifest: Documents, index: Index) -> None:
        self.manifest = manifest
        self.index = index
        self.folder = folder
        self.admitting = RLock()  #: held while rows and files come and go
        self.at_work: set[str] = set()
        self._of: defaultdict[str, RLock] = defaultdict(RLock)
        self._making = Lock()
        folder.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def alone_with(self, document_id: str) -> Iterator[None]:
        """Hold one document: whoever else would change it waits, the others go on."""
        with self._making:
            lock = self._of[document_id]
        with lock:
            yield

    def file(self, document_id: str) -> Path:
        """Where the copy of a document is."""
        return self.folder / f"{document_id}.pdf"

    def files(self) -> list[str]:
        """Ids of the documents that a copy is there of."""
        return sorted(path.stem for path in self.folder.glob("*.pdf"))

    def copy_in(self, path: Path, document_id: str) -> None:
        """Put the library's own copy in place, whole or not at all.

        Raises:
            OSError: it cannot be read or written.
        """
        target = self.file(document_id)
        part = target.with_suffix(_PART)
        shutil.copyfile(path, part)
        part.replace(target)
        self._mark(document_id).unlink(missing_ok=True)

    def clear_parts(self) -> None:
        """Remove what was left of copies that broke off."""
        for part in self.folder.glob(f"*{_PART}"):
            part.unlink(missing_ok=True)

    def empty(self, document_id: str) -> None:
        """Make room with a document's file, before its row can say that it is on its way out.

        On a full disk that takes no room: the file becomes an empty one, whose name says it.
        """
        mark = self._mark(document_id)
        if self.file(document_id).exists():
            self.file(document_id).replace(mark)
        if mark.exists():
            os.truncate(mark, 0)

    def emptied(self) -> set[str]:
        """Ids of the documents that are on their way out, whatever their rows say."""
        return {path.stem for path in self.folder.glob(f"*{_LEAVING}")}

    def drop(self, document_id: str) -> None:
        """Remove a document whose row says ``removing``: its file, its chunks, its row.

        The row goes last: what stops half-way is finished at the next start.
        """
        with self.admitting:
            self.file(document_id).unlink(missing_ok=True)
            self.index.delete(document_id)
            self.manifest.remove(document_id)
            self._mark(document_id).unlink(missing_ok=True)

    def _mark(self, document_id: str) -> Path:
        return self.folder / f"{document_id}{_LEAVING}"


def sha256_of(path: Path) -> str:
    """The identity of a file's content, in hex.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
