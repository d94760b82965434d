"""Which files a list of paths stands for."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from selfrag.errors import UserError


def find_pdfs(paths: Iterable[Path]) -> list[Path]:
    """Files as they are named, and every PDF below a folder, each once, in order of their paths.

    Hidden files and folders are passed over. A file named outright is taken whatever it is
    called, so that its reader can say what is wrong with it.

    Raises:
        UserError: a path is not there, or a folder has no PDF.
    """
    found: dict[Path, None] = {}
    for path in paths:
        path = path.expanduser()
        if path.is_dir():
            inside = list(_walk(path))
            if not inside:
                raise UserError(f"There is no PDF in {path}: name a folder that has some.")
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        else:
            raise UserError(f"{path} is not there: check the path.")
    return list(found)


def _walk(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _walk(entry)
        elif entry.suffix.lower() == ".pdf" and entry.is_file():
            yield entry
