"""Reads untrusted files in a separate process, so that one file costs only itself.

Limits: seconds of wall time, memory, pages. Memory is limited by the system where it can be
(address space, Linux); on Windows and macOS, and against what that misses, the process's
memory is looked at ten times a second and the process killed. A crash, an endless loop or a
bomb ends as a sentence about that file; the next request starts a new process.

There are two processes, each started at its first request (0.4 s) and kept: one reads, the
other draws pages, so that a page can be looked at while a long file is read. Neither
outlives the application: they end when their standard input closes.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from selfrag.documents import wire
from selfrag.documents.asking import Limits, Worker
from selfrag.documents.errors import ReadingStopped
from selfrag.documents.render import Box
from selfrag.pages import Reading

_DRAWING = Limits(seconds=30.0)


def _bomb_mb(limits: Limits) -> int:
    """Megabytes from which on a single part of a file is taken for a bomb."""
    return max(1, limits.memory_mb // 4)


def _bomb(name: str, limits: Limits) -> ReadingStopped:
    return ReadingStopped(
        f"{name} is a decompression bomb: a part of it expands to more than "
        f"{_bomb_mb(limits):,} MB, so it was not read. If you trust where it comes from, print "
        "it to a new PDF and add that."
    )


class Sandbox:
    """Reads and draws untrusted files. Thread-safe; use as a context manager or ``close()``."""

    def __init__(self) -> None:
        self._reader = Worker()
        self._drawer = Worker()

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def read(
        self,
        path: Path,
        *,
        limits: Limits | None = None,
        password: str | None = None,
        ocr: bool = False,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
        name: str | None = None,
    ) -> Reading:
        """As ``read_pdf``, in the separate process; ``name`` is what messages call the file.

        Raises:
            ReadingStopped: too long, too much memory, crashed or cancelled.
            UnreadablePdf, PasswordNeeded, TooManyPages: as ``read_pdf``.
        """
        limits = limits or Limits()
        name = name or path.name
        request = {
            "command": "read",
            "path": str(path.resolve()),
            "password": password,
            "ocr": ocr,
            "max_pages": limits.pages,
            "name": name,
        }
        try:
            message, _ = self._reader.ask(request, name, limits, progress, cancel)
        except ReadingStopped as error:
            if not error.cancelled and self._is_bomb(path, limits):
                raise _bomb(name, limits) from error
            raise
        return wire.unpack_reading(message["reading"])

    def _is_bomb(self, path: Path, limits: Limits) -> bool:
        """Whether a file that cost too much holds a part that no memory could."""
        request = {
            "command": "weigh",
            "path": str(path.resolve()),
            "limit": _bomb_mb(limits) << 20,
        }
        try:
            message, _ = self._reader.ask(request, path.name, replace(_DRAWING, seconds=20.0))
        except ReadingStopped:
            return False  # what it cost is told all the same
        return bool(message["bomb"])

    def unlock(self, path: Path, password: str, *, limits: Limits | None = None) -> None:
        """Make a protected file one that opens without its password; others stay as they are."""
        target = path.with_suffix(".part")
        request = {
            "command": "unlock",
            "path": str(path.resolve()),
            "password": password,
            "target": str(target.resolve()),
        }
        message, _ = self._reader.ask(request, path.name, limits or Limits())
        if message["unlocked"]:
            target.replace(path)

    def page_image(
        self,
        path: Path,
        page: int,
        *,
        password: str | None = None,
        scale: float = 1.5,
        highlight: Sequence[Box] = (),
        limits: Limits = _DRAWING,
    ) -> bytes:
        """As ``render.page_image``, in a separate process."""
        request = {
            "command": "page_image",
            "path": str(path.resolve()),
            "page": page,
            "password": password,
            "scale": scale,
            "highlight": [[b.x0, b.y0, b.x1, b.y1] for b in highlight],
        }
        _, png = self._drawer.ask(request, f"page {page} of {path.name}", limits)
        return png

    def boxes(
        self,
        path: Path,
        page: int,
        start: int,
        end: int,
        *,
        text: str | None = None,
        password: str | None = None,
        limits: Limits = _DRAWING,
    ) -> list[Box]:
        """As ``render.boxes``, in a separate process."""
        request = {
            "command": "boxes",
            "path": str(path.resolve()),
            "page": page,
            "start": start,
            "end": end,
            "text": text,
            "password": password,
        }
        message, _ = self._drawer.ask(request, f"page {page} of {path.name}", limits)
        return [Box(*map(float, box)) for box in message["boxes"]]

    def close(self) -> None:
        """Ends both processes."""
        self._reader.close()
        self._drawer.close()


def read_in_sandbox(
    path: Path,
    *,
    limits: Limits | None = None,
    password: str | None = None,
    ocr: bool = False,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> Reading:
    """One file in a process of its own, which ends with it. For many files keep a ``Sandbox``."""
    with Sandbox() as sandbox:
        return sandbox.read(
            path, limits=limits, password=password, ocr=ocr, progress=progress, cancel=cancel
        )
