"""What is dear to start is kept from one test's library to the next: the packaged model, loaded,
and the processes that read and draw PDFs.

Both are the real ones and hold nothing of a library: the model answers the same for the same text,
a process takes one request after the other. Tests of the loading and of the processes themselves
start their own (``own_parts``).
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import ClassVar

import pytest
from fastembed import TextEmbedding

from selfrag.documents import sandbox
from selfrag.documents.asking import Worker
from selfrag.documents.worker_process import WorkerProcess
from selfrag.models import packaged

_LARGE = 200 << 20  # bytes: a process that has read something large is not kept
_load_minilm = packaged.load_minilm


class KeptWorker(Worker):
    """A ``Worker`` that, when it is closed, leaves its process to the next one.

    A process in the middle of a request is ended, as ever. A process knows the environment in
    which it was started: in another one a new process is started.
    """

    _guard = threading.Lock()
    _waiting: ClassVar[list[tuple[dict[str, str], WorkerProcess]]] = []
    _environment: dict[str, str]

    def _running(self, name: str) -> WorkerProcess:
        if self._process is None and not self._closed:
            self._environment = _environment()
            self._process = self._taken(self._environment)
        return super()._running(name)

    @classmethod
    def _taken(cls, environment: dict[str, str]) -> WorkerProcess | None:
        with cls._guard:
            for place, (of_process, process) in enumerate(cls._waiting):
                if of_process == environment:
                    del cls._waiting[place]
                    return process
        return None

    def close(self) -> None:
        """Leaves the process where it waits for work, and ends it otherwise."""
        if self._lock.acquire(blocking=False):
            process = self._process
            if process is not None and self._idle and _small(process):
                self._process = None
                with self._guard:
                    self._waiting.append((self._environment, process))
            self._lock.release()
        super().close()

    @classmethod
    def end_waiting(cls) -> None:
        """Ends the processes that nobody has."""
        while cls._waiting:
            cls._waiting.pop()[1].kill()


@contextmanager
def kept_parts(folder: Path) -> Iterator[None]:
    """Libraries that are opened inside share the model, laid out in ``folder``, and processes."""

    @cache
    def loaded(threads: int | None) -> TextEmbedding:
        return _load_minilm(folder, threads)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packaged, "load_minilm", lambda _, threads=None: loaded(threads))
        patch.setattr(sandbox, "Worker", KeptWorker)
        yield
    KeptWorker.end_waiting()


@contextmanager
def own_parts() -> Iterator[None]:
    """Everything that is opened inside is loaded and started anew, as by an application."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packaged, "load_minilm", _load_minilm)
        patch.setattr(sandbox, "Worker", Worker)
        yield


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


def _small(process: WorkerProcess) -> bool:
    """Whether it runs and has not grown; what is gone has no memory."""
    return 0 < process.memory(children=False) < _LARGE
