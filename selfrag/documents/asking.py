"""One worker process as it is asked: a request at a time, within limits, every end a sentence."""

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from selfrag.documents import errors
from selfrag.documents.errors import ReadingStopped
from selfrag.documents.worker_process import WorkerProcess
from selfrag.errors import UserError

_log = logging.getLogger(__name__)

_TICK = 0.1  # seconds between two looks at memory, time and cancellation
_START = 60.0  # seconds that a process may take to start on a busy machine
_ERRORS: dict[str, type[UserError]] = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, UserError)
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading one file may cost.

    Attributes:
        seconds: wall time.
        memory_mb: resident memory of the reading process, in MiB.
        pages: pages of the file.
    """

    seconds: float = 600.0
    memory_mb: int = 1_024
    pages: int = 10_000


@dataclass(frozen=True, slots=True)
class _Request:
    """What is asked of a process, however many of them it takes.

    Attributes:
        message: as the worker reads it.
        name: of the file, for what goes wrong.
        deadline: on the monotonic clock; another process gets no more time.
        progress: told of pages done, of how many.
        cancel: set by whoever does not want it any more.
    """

    message: dict[str, Any]
    name: str
    limits: Limits
    deadline: float
    progress: Callable[[int, int], None] | None
    cancel: threading.Event | None

    def check(self) -> None:
        """Whether it is still to be waited for.

        Raises:
            ReadingStopped: it was cancelled, or took too long.
        """
        if self.cancel is not None and self.cancel.is_set():
            raise _cancelled(self.name)
        if time.monotonic() > self.deadline:
            raise ReadingStopped(
                f"Reading {self.name} took more than {self.limits.seconds:g} seconds and was "
                "stopped: the file may be damaged. Split it, or raise the limit in the settings."
            )


class _Undone(ReadingStopped):
    """The process crashed or ran out of memory; a fresh one may not."""


class Worker:
    """One worker process, started when needed, started again after it was killed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: WorkerProcess | None = None
        self._closed = False

    def ask(
        self,
        request: dict[str, Any],
        name: str,
        limits: Limits,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> tuple[dict[str, Any], bytes]:
        """The answer to a request; requests wait for each other.

        What made a process crash or run out of memory is asked of a fresh one before it is told:
        an earlier file may have left the process damaged, or full.

        Raises:
            ReadingStopped: too long, too much memory, crashed or cancelled.
            UserError: what the worker has to say.
        """
        while not self._lock.acquire(timeout=_TICK):
            if cancel is not None and cancel.is_set():
                raise _cancelled(name)
        try:
            process = self._running(name)
            used, process.used = process.used, True
            deadline = time.monotonic() + limits.seconds
            told = _Onwards(progress) if progress is not None else None
            asked = _Request(request, name, limits, deadline, told, cancel)
            try:
                return self._ask(process, asked)
            except _Undone:
                if not used or self._closed:
                    raise
            _log.info("%s is given to a fresh process", name)
            process = self._running(name)
            process.used = True
            return self._ask(process, asked)
        finally:
            self._lock.release()

    def _ask(self, process: WorkerProcess, asked: _Request) -> tuple[dict[str, Any], bytes]:
        try:
            process.send({**asked.message, "memory": asked.limits.memory_mb << 20})
            return self._wait(process, asked)
        except OSError as error:
            raise self._stopped(process, asked.name) from error
        except BaseException:
            if not self._idle:
                self._end(process)
            raise

    def _running(self, name: str) -> WorkerProcess:
        if self._closed:
            raise _closing(name)
        process = self._process
        if process is not None and process.popen.poll() is None:
            return process
        if process is not None:
            self._end(process)
        process = self._process = WorkerProcess()
        if self._closed:  # by a thread that saw no process yet
            self._end(process)
            raise _closing(name)
        try:
            ready = process.messages.get(timeout=_START)
        except queue.Empty:
            ready = None
        if ready is None:
            self._end(process)
            if self._closed:
                raise _closing(name)
            raise ReadingStopped(
                f"{name} was not read: the reading process does not start. "
                "Run `python -m selfrag doctor`."
            )
        return process

    _idle = True  # whether the process has answered its last request

    def _wait(self, process: WorkerProcess, asked: _Request) -> tuple[dict[str, Any], bytes]:
        self._idle = False
        looked = 0.0
        most = asked.limits.memory_mb << 20
        while True:
            asked.check()
            now = time.monotonic()
            if now - looked >= _TICK:
                looked = now
                if process.memory(children=bool(asked.message.get("ocr"))) > most:
                    raise _too_much_memory(asked.name, asked.limits)
            try:
                received = process.messages.get(timeout=_TICK)
            except queue.Empty:
                continue
            if received is None:
                raise self._stopped(process, asked.name)
            message, data = received
            if message.get("type") == "progress":
                if asked.progress is not None:
                    asked.progress(int(message["done"]), int(message["total"]))
                continue
            self._idle = True
            if message.get("type") == "error":
                raise self._error(process, message, asked.name, asked.limits)
            return message, data

    def _error(
        self, process: WorkerProcess, message: dict[str, Any], name: str, limits: Limits
    ) -> Exception:
        kind, text = str(message.get("error")), str(message.get("text", ""))
        if kind in _ERRORS:
            extra = {k: bool(message[k]) for k in ("wrong", "cancelled") if k in message}
            return _ERRORS[kind](text, **extra)
        if kind == "index":
            return IndexError(text)
        self._end(process)  # after a lack of memory or a bug its state is not to be trusted
        if kind == "memory":
            return _too_much_memory(name, limits)
        _log.error("reading %s failed: %s", name, text)
        return ReadingStopped(
            f"{name} could not be read (the reader failed: {text[:200]}). "
            "Open it in a PDF viewer, save it anew and add that."
        )

    def _stopped(self, process: WorkerProcess, name: str) -> ReadingStopped:
        self._end(process)
        if self._closed:
            return _closing(name)
        code = process.popen.returncode
        _log.warning("the reading process ended with %s while reading %s", code, name)
        return _Undone(
            f"{name} made the reader crash or run out of memory: it seems to be damaged. "
            "Open it in a PDF viewer, save it anew and add that."
        )

    def _end(self, process: WorkerProcess) -> None:
        process.kill()
        self._idle = True
        if self._process is process:
            self._process = None

    def close(self) -> None:
        """Ends the process, also in the middle of a request."""
        self._closed = True
        process = self._process
        if process is not None:
            process.popen.kill()
        with self._lock:
            if self._process is not None:
                self._end(self._process)


class _Onwards:
    """Progress that never goes back: a second reading tells nothing until it is further."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self._progress = progress
        self._furthest = 0

    def __call__(self, done: int, total: int) -> None:
        if done > self._furthest:
            self._furthest = done
            self._progress(done, total)


def _closing(name: str) -> ReadingStopped:
    return ReadingStopped(f"{name} was not read: the application is closing.")


def _cancelled(name: str) -> ReadingStopped:
    return ReadingStopped(f"Reading {name} was cancelled. Add it again to read it.", cancelled=True)


def _too_much_memory(name: str, limits: Limits) -> _Undone:
    return _Undone(
        f"Reading {name} needed more than {limits.memory_mb:,} MB of memory and was stopped: "
        "the file may be a decompression bomb. Split it, or raise the limit in the settings."
    )
