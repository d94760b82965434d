"""Sets in BEIR layout that were uploaded as a zip, unpacked beside the library."""

import logging
import shutil
import time
import zipfile
from pathlib import Path, PurePosixPath

from selfrag.errors import UserError
from selfrag.evaluation.beir import BeirSet, read_beir
from selfrag.evaluation.files import check_unpacked, opened_zip

logger = logging.getLogger(__name__)

_LARGEST = 2_000_000_000  #: bytes of all that is unpacked
_MOST = 3_000_000  #: lines of a file
_WANTED = (("corpus.jsonl",), ("queries.jsonl",), ("qrels",))
_LEFT = 3600.0  #: seconds after which what is half unpacked was left by a process that ended


class Sets:
    """The sets in a folder.

    Args:
        folder: where each has a folder of its own, named as the set.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._clear()

    def all(self) -> list[str]:
        """Names, in alphabetical order."""
        if not self._folder.is_dir():
            return []
        found = (path for path in self._folder.glob("[!.]*") if (path / "corpus.jsonl").is_file())
        return sorted(path.name for path in found)

    def path(self, name: str) -> Path:
        """The folder of a set.

        Raises:
            UserError: there is none of that name.
        """
        if name not in self.all():
            raise UserError(f"There is no set {name!r} (any more): choose another.")
        return self._folder / name

    def add(self, content: bytes, name: str) -> BeirSet:
        """Unpack a zip, check that it is a set, and keep it in place of one with its name.

        Returns:
            the set; its name is that of the folder in the zip, or of the file.

        Raises:
            UserError: it is no zip, is damaged or too large, or holds no set in BEIR layout.
        """
        damaged = f"{name} is no zip that can be opened: pack the folder of the set once more."
        with opened_zip(content, damaged) as zipped:
            return self._unpack(zipped, name)

    def remove(self, name: str) -> None:
        """Delete a set; what was measured on it is kept."""
        shutil.rmtree(self.path(name))

    def _unpack(self, zipped: zipfile.ZipFile, name: str) -> BeirSet:
        corpora = [PurePosixPath(i.filename) for i in zipped.infolist()]
        roots = sorted(
            (path.parent for path in corpora if path.name == "corpus.jsonl"),
            key=lambda path: len(path.parts),
        )
        if not roots:
            raise UserError(
                f"There is no corpus.jsonl in {name}: a set in BEIR layout has corpus.jsonl, "
                "queries.jsonl and qrels/test.tsv."
            )
        root = roots[0]
        members = [
            item
            for item in zipped.infolist()
            if not item.is_dir()
            and PurePosixPath(item.filename).is_relative_to(root)
            and PurePosixPath(item.filename).relative_to(root).parts[:1] in _WANTED
        ]
        names = {PurePosixPath(item.filename).relative_to(root).parts for item in members}
        if ("qrels",) in names:
            raise UserError(
                f"In {name}, qrels is a file: it must be a folder with test.tsv in it. Pack it so."
            )
        for item in members:
            check_unpacked(item, f"{item.filename} in {name}")
        if sum(item.file_size for item in members) > _LARGEST:
            raise UserError(f"{name} unpacks to more than 2 GB: measure it on the command line.")
        called = _safe(root.name or Path(name).stem)
        part = self._folder / f".{called}.part"
        shutil.rmtree(part, ignore_errors=True)
        try:
            for item in members:
                inside = PurePosixPath(item.filename).relative_to(root)
                # Only the names that a set has: no path of the zip is taken as it stands.
                target = (
                    part / inside.parts[0]
                    if len(inside.parts) == 1
                    else (part / "qrels" / _safe(inside.name))
                )
                target.parent.mkdir(parents=True, exist_ok=True)
                with zipped.open(item) as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out)
            data = read_beir(part, called=called, most=_MOST)
            shutil.rmtree(self._folder / called, ignore_errors=True)
            part.rename(self._folder / called)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        return data

    def _clear(self) -> None:
        """Remove what uploads left half unpacked when their process was ended."""
        for part in self._folder.glob(".*.part"):
            try:
                # Another process may be at one, but no upload takes as long.
                if time.time() - part.stat().st_mtime > _LEFT:
                    shutil.rmtree(part)
            except OSError as error:
                logger.warning("%s is left of an upload and can't be removed: %s", part, error)


def _safe(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in name).strip(".")
    return kept[:80] or "set"
