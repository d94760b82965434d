"""The worker process as the application holds it: started, spoken to, watched and killed."""

import contextlib
import logging
import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from selfrag.documents import wire

_log = logging.getLogger(__name__)
_ROOT = Path(__file__).resolve().parents[2]
_SECRET = re.compile(r"key|token|secret|password|passwd|credential", re.IGNORECASE)


class WorkerProcess:
    """A worker process and the thread that takes its messages.

    ``messages`` gives what it says, and None once it is gone; ``used`` is whether it has been
    asked for anything yet.
    """

    used = False

    def __init__(self) -> None:
        environment = {**_without_secrets(), "PYTHONPATH": _python_path(), "OMP_NUM_THREADS": "1"}
        self.popen = subprocess.Popen(
            [sys.executable, "-m", "selfrag.documents.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.messages: queue.SimpleQueue[tuple[dict[str, Any], bytes] | None]
        self.messages = queue.SimpleQueue()
        threading.Thread(target=self._take, daemon=True, name="sandbox").start()
        self.psutil = psutil.Process(self.popen.pid)

    def _take(self) -> None:
        assert self.popen.stdout is not None
        message = None
        while True:
            try:
                message = wire.receive(self.popen.stdout)
            except (OSError, ValueError) as error:
                _log.warning("the reading process sent no message: %r", error)
                message = None
            self.messages.put(message)
            if message is None:
                return

    def send(self, message: dict[str, Any]) -> None:
        """Sends a request.

        Raises:
            OSError: the process is gone.
        """
        assert self.popen.stdin is not None
        wire.send(self.popen.stdin, message)

    def memory(self, *, children: bool) -> int:
        """Resident bytes of the process, and of what it started (tesseract).

        Args:
            children: look for what it started, which takes a look at every process there is.
        """
        total = 0
        try:
            started = self.psutil.children(recursive=True) if children else ()
            for process in (self.psutil, *started):
                total += process.memory_info().rss
        except psutil.Error:
            return total
        return total

    def kill(self) -> None:
        """Ends the process and what it started, at once."""
        try:
            for child in self.psutil.children(recursive=True):
                child.kill()
        except psutil.Error:
            pass  # it is gone already
        self.popen.kill()
        self.popen.wait()
        for stream in (self.popen.stdin, self.popen.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was still to be written
                    stream.close()


def _without_secrets() -> dict[str, str]:
    """The environment without keys: whoever takes over the reader must find none in it."""
    return {
        name: value
        for name, value in os.environ.items()
        if not _SECRET.search(name) and name.upper() not in ("DATABASE_URL", "QDRANT_URL")
    }


def _python_path() -> str:
    rest = os.environ.get("PYTHONPATH")
    return os.pathsep.join([str(_ROOT), rest] if rest else [str(_ROOT)])
