"""Making the map of the library in the background, once for each state of it.

It is begun by whoever looks at it. While documents are being added the last map stays, which
says nothing untrue of those that it shows; once one of them is gone, so is the map.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from selfrag.errors import UserError
from selfrag.evaluation.library_map import MOST, LibraryMap, Signature
from selfrag.index.store import Index
from selfrag.records.documents import UNFINISHED, DocumentRecord, State

logger = logging.getLogger(__name__)

_LAYING_OUT = 0.8  #: share of the progress that is laying out; the rest is reading


class _Ended(Exception):
    """It is wanted no more."""


@dataclass(frozen=True, slots=True)
class MapView:
    """The map as it stands at one moment.

    Attributes:
        map: the map; None where there is none (yet).
        progress: 0 to 1 of the one being made; None where none is.
        newer: documents that were added since.
        error: why there is no map, for the person.
    """

    map: LibraryMap | None = None
    progress: float | None = None
    newer: int = 0
    error: str | None = None


@dataclass(slots=True)
class _Task:
    """One map being made, or not made."""

    signature: Signature
    cancel: threading.Event
    progress: float = 0.0
    error: str | None = None


class Maps:
    """Keeps the map of one library.

    Args:
        folder: for its file.
        records: every document of the library.
        index: the open index.
        model: name and dimension of the embedding model.
    """

    def __init__(
        self,
        folder: Path,
        records: Callable[[], list[DocumentRecord]],
        index: Callable[[], Index],
        model: Callable[[], str],
    ) -> None:
        self._folder = folder
        self._records = records
        self._index = index
        self._model = model
        self._lock = threading.Lock()
        self._made: tuple[Signature, LibraryMap] | None = None
        self._task: _Task | None = None
        self._thread: threading.Thread | None = None

    def view(self) -> MapView:
        """The map; begins to make it where there is none of the library as it is."""
        records = self._records()
        ready = [record for record in records if record.state is State.READY]
        growing = any(record.state in UNFINISHED for record in records)
        wanted = Signature.of(ready, self._model())
        with self._lock:
            if self._made is not None and not wanted.grew_from(self._made[0]):
                self._made = None
            shown = self._made[1] if self._made else None
            newer = len(wanted.documents) - len(self._made[0].documents) if self._made else 0
            if not ready or (self._made is not None and not newer):
                return MapView(shown)
            task = self._task
            if task is not None and not wanted.grew_from(task.signature):
                task.cancel.set()
                task = self._task = None
            if task is None and not (growing and shown):
                task = self._task = _Task(wanted, threading.Event())
                self._thread = threading.Thread(
                    target=self._run, args=(task,), name="map", daemon=True
                )
                self._thread.start()
            if task is None:
                return MapView(shown, newer=newer)
            return MapView(
                shown, None if task.error else task.progress, newer=newer, error=task.error
            )

    def wait(self, timeout: float | None = None) -> MapView:
        """The same, once what is being made is there."""
        view = self.view()
        thread = self._thread
        if view.progress is None or thread is None:
            return view
        thread.join(timeout)
        return self.view()

    def retry(self) -> None:
        """Forget that it could not be made."""
        with self._lock:
            if self._task is not None and self._task.error is not None:
                self._task = None

    def forget(self) -> None:
        """Something was removed from the library: nothing is left of the map that showed it."""
        with self._lock:
            if self._task is not None:
                self._task.cancel.set()
            self._task = self._made = None
            self._remove_files(keep=None)

    def close(self) -> None:
        """End what is being made, and wait for it."""
        with self._lock:
            if self._task is not None:
                self._task.cancel.set()
        if self._thread is not None:
            self._thread.join(30)

    def _run(self, task: _Task) -> None:
        try:
            made, anew = self._make(task)
        except _Ended:
            return
        except UserError as error:
            task.error = str(error)
        except Exception:
            if not task.cancel.is_set():  # the index of an application that ends is closed
                logger.exception("the map of the library could not be made")
                task.error = (
                    "The map could not be made. The log of the application says what happened; "
                    "everything else works without it."
                )
        else:
            with self._lock:
                if not task.cancel.is_set():
                    if anew:
                        made.write(self._file(task.signature))
                    self._made, self._task = (task.signature, made), None

    def _make(self, task: _Task) -> tuple[LibraryMap, bool]:
        """The map, and whether it had to be made."""
        signature = task.signature
        self._remove_files(keep=self._file(signature))
        kept = LibraryMap.read(self._file(signature))
        if kept is not None:
            return kept, False
        chunks, _ = self._index().count()
        expected = max(1, min(chunks, MOST))

        def read(done: int) -> None:
            _tell(task, (1 - _LAYING_OUT) * done / expected)

        def laid(done: int, total: int) -> None:
            _tell(task, 1 - _LAYING_OUT + _LAYING_OUT * done / total)

        found = self._index().sample(MOST, signature.documents.keys(), read)
        return LibraryMap.of(found, max(chunks, len(found)), laid), True

    def _file(self, signature: Signature) -> Path:
        return self._folder / f"{signature.digest}.npz"

    def _remove_files(self, keep: Path | None) -> None:
        for file in self._folder.glob("*.*"):
            if file != keep:
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    logger.warning("an old map stays in %s: %s", file, error)


def _tell(task: _Task, progress: float) -> None:
    if task.cancel.is_set():
        raise _Ended
    task.progress = min(1.0, progress)
