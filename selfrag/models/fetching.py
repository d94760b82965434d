"""Getting a model's files over the network: into a folder beside, and in place only when whole.

The Hugging Face hub is asked, or the mirror that ``HF_ENDPOINT`` names, as the hub's own client
does. A file is streamed, so that a fetch can say how far it is.
"""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath

import requests

#: Told bytes that have come, and bytes in all where that is known.
Report = Callable[[int, int | None], None]
_TIMEOUT = (5, 30)  # seconds to be answered, and without a byte
_PIECE = 1 << 16


def hub(path: str) -> str:
    """The address of a path on the hub."""
    return f"{os.environ.get('HF_ENDPOINT', 'https://huggingface.co').rstrip('/')}/{path}"


def fetch_files(
    urls: dict[str, str], target: Path, report: Report, optional: Iterable[str] = ()
) -> None:
    """Fetch files into ``target``, which appears, or is replaced, once all are there.

    Args:
        urls: name in the folder -> address.
        optional: names that may be missing there.

    Raises:
        OSError: one cannot be had, or there is no room; nothing is left behind.
    """
    with _beside(target) as folder:
        done = 0
        for name, url in urls.items():
            before = done

            def told(part: int, whole: int | None, before: int = before) -> None:
                report(before + part, None if whole is None else before + whole)

            try:
                done += _stream(url, folder / name, told)
            except requests.HTTPError as error:
                missing = error.response is not None and error.response.status_code == 404
                if name not in optional or not missing:
                    raise


def fetch_zip(url: str, names: Sequence[str], target: Path, report: Report) -> None:
    """Fetch an archive, and of its files those of these names, whatever folder they are in.

    Raises:
        OSError, zipfile.BadZipFile: as `fetch_files`; or the archive is damaged or lacks one.
    """
    with _beside(target) as folder:
        archive = folder / ".archive"
        _stream(url, archive, report)
        with zipfile.ZipFile(archive) as opened:
            inside = {PurePosixPath(each).name: each for each in opened.namelist()}
            for name in names:
                if name not in inside:
                    raise FileNotFoundError(f"the archive has no {name}")
                with opened.open(inside[name]) as source, (folder / name).open("wb") as file:
                    shutil.copyfileobj(source, file)
        archive.unlink()


class _beside:
    """A draft of a folder: moved in place at the end, removed where anything fails."""

    def __init__(self, target: Path) -> None:
        self._target = target

    def __enter__(self) -> Path:
        parent = self._target.parent
        parent.mkdir(parents=True, exist_ok=True)
        self._draft = Path(tempfile.mkdtemp(dir=parent, prefix=".fetch-"))
        return self._draft

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            shutil.rmtree(self._target, ignore_errors=True)
            self._draft.replace(self._target)
        shutil.rmtree(self._draft, ignore_errors=True)


def _stream(url: str, file: Path, report: Report) -> int:
    """The bytes at ``url``, into ``file``; how many."""
    with requests.get(url, stream=True, timeout=_TIMEOUT) as answer:
        answer.raise_for_status()
        length = answer.headers.get("Content-Length")
        whole = int(length) if length and "Content-Encoding" not in answer.headers else None
        done = 0
        report(done, whole)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as opened:
            for piece in answer.iter_content(_PIECE):
                opened.write(piece)
                done += len(piece)
                report(done, whole)
    if whole is not None and done != whole:
        raise OSError(f"{url} ended after {done} of {whole} bytes")
    return done
