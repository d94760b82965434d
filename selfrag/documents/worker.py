"""The process that reads untrusted files: ``python -m selfrag.documents.worker``.

It takes one request after the other from its standard input and answers on its standard
output (``wire``). It ends when its input closes, that is, also when the application was
killed; a thread watches for that while a request runs, since parsing may never return.
"""

import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from selfrag.documents import wire
from selfrag.documents.bombs import expands_beyond
from selfrag.documents.opening import unlock
from selfrag.documents.reading import read_pdf
from selfrag.documents.render import Box, boxes, page_image
from selfrag.errors import UserError


def main() -> None:
    """Serves requests until standard input closes."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answers
    waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    wire.send(answers, {"type": "ready", "pid": os.getpid()})
    while True:
        request = waiting.get()
        try:
            _limit_memory(request.get("memory"))
            message, data = _COMMANDS[request["command"]](request, answers)
        except UserError as error:
            wrong = {
                key: value
                for key in ("wrong", "cancelled")
                if isinstance(value := getattr(error, key, None), bool)
            }
            message, data = (
                {
                    "type": "error",
                    "error": type(error).__name__,
                    "text": str(error),
                    **wrong,
                },
                b"",
            )
        except MemoryError:
            message, data = {"type": "error", "error": "memory"}, b""
        except IndexError as error:
            message, data = {"type": "error", "error": "index", "text": str(error)}, b""
        except Exception as error:  # told to the application, which logs it: nothing is lost
            message, data = {"type": "error", "error": "bug", "text": repr(error)}, b""
        wire.send(answers, message, data)


def _listen(requests: IO[bytes], waiting: "queue.SimpleQueue[dict[str, Any]]") -> None:
    with contextlib.suppress(Exception):
        while (received := wire.receive(requests)) is not None:
            waiting.put(received[0])
    os._exit(0)


def _limit_memory(limit: int | None) -> None:
    """Limits address space where the system can (POSIX; macOS accepts it and does nothing)."""
    if limit is None:
        return
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        # Address space that is reserved and not used comes on top: by libraries from the
        # beginning, and after each file by what was freed and is kept for the next one.
        resource.setrlimit(resource.RLIMIT_AS, (limit + _reserved(), hard))


def _reserved() -> int:
    import psutil  # type: ignore[import-untyped]

    info = psutil.Process().memory_info()
    return max(0, int(info.vms) - int(info.rss))


def _read(request: dict[str, Any], answers: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    def progress(done: int, total: int) -> None:
        wire.send(answers, {"type": "progress", "done": done, "total": total})

    reading = read_pdf(
        Path(request["path"]),
        password=request["password"],
        ocr=request["ocr"],
        max_pages=request["max_pages"],
        progress=progress,
        name=request["name"],
    )
    return {"type": "done", "reading": wire.pack_reading(reading)}, b""


def _page_image(request: dict[str, Any], answers: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    png = page_image(
        Path(request["path"]),
        request["page"],
        password=request["password"],
        scale=request["scale"],
        highlight=[Box(*box) for box in request["highlight"]],
    )
    return {"type": "done"}, png


def _boxes(request: dict[str, Any], answers: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    found = boxes(
        Path(request["path"]),
        request["page"],
        request["start"],
        request["end"],
        text=request["text"],
        password=request["password"],
    )
    return {"type": "done", "boxes": [[b.x0, b.y0, b.x1, b.y1] for b in found]}, b""


def _unlock(request: dict[str, Any], answers: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    done = unlock(Path(request["path"]), request["password"], Path(request["target"]))
    return {"type": "done", "unlocked": done}, b""


def _weigh(request: dict[str, Any], answers: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    bomb = expands_beyond(Path(request["path"]), request["limit"])
    return {"type": "done", "bomb": bomb}, b""


_COMMANDS: dict[str, Callable[[dict[str, Any], IO[bytes]], tuple[dict[str, Any], bytes]]] = {
    "read": _read,
    "page_image": _page_image,
    "boxes": _boxes,
    "unlock": _unlock,
    "weigh": _weigh,
}


if __name__ == "__main__":
    main()
