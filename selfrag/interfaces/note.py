"""Where the library's server is found: a note beside the lock, for the command line.

One process at a time holds a library. Commands on the same STORAGE_DIR find the holder's address
in this file and have it do what they are asked.

Beside it stands a key. Whoever can read this file can read the library itself, so a command that
sends the key is its owner's, and is not held to what strangers may ask in a minute. An address
could not tell that: behind a proxy on this machine, everyone comes from this machine. The key
opens nothing: where API_TOKEN is set, it is asked for as well.
"""

import hmac
import json
import logging
import os
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from selfrag.settings import Settings

logger = logging.getLogger(__name__)

NAME = "server.json"
INSTANCE = uuid.uuid4().hex  #: tells this process from any other, to those who ask it
HEADER = "X-Selfrag-Owner"  #: in which a command sends the key
_KEY = secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Note:
    """Address of a server, without a slash at its end, and what tells it from any other."""

    url: str
    instance: str
    pid: int
    key: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """What shows a request to be the owner's."""
        return {HEADER: self.key} if self.key else {}


def of_owner(headers: Mapping[str, str]) -> bool:
    """Whether a request was made by someone who can read the note of this process."""
    given = headers.get(HEADER.lower(), "")
    return hmac.compare_digest(given.encode(), _KEY.encode())


def path(settings: Settings) -> Path:
    """Where the note lies."""
    return settings.storage_dir.expanduser() / NAME


def write(settings: Settings, url: str) -> None:
    """Leave a note of this process's address; without it (the disk is full) commands find none."""
    file = path(settings)
    written = file.with_suffix(".new")
    note = Note(url, INSTANCE, os.getpid(), _KEY)
    try:
        written.unlink(missing_ok=True)
        written.touch(mode=0o600)
        written.write_text(json.dumps(asdict(note)), encoding="utf-8")
        written.replace(file)
    except OSError as error:
        logger.warning(
            "the address of this server could not be noted (%s)", error.strerror or error
        )


def read(settings: Settings) -> Note | None:
    """The note that was left; None where there is none. The server may be gone by now."""
    try:
        return Note(**json.loads(path(settings).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def remove(settings: Settings) -> None:
    """Take this process's note away."""
    note = read(settings)
    if note is not None and note.instance == INSTANCE:
        path(settings).unlink(missing_ok=True)


def address(host: str | None, port: int, *, tls: bool = False, base: str = "") -> str:
    """The URL under which this machine reaches a server that listens on ``host``."""
    everywhere = not host or host in ("0.0.0.0", "::")
    name = "127.0.0.1" if everywhere else f"[{host}]" if ":" in host else host  # type: ignore[operator]
    base = f"/{base.strip('/')}" if base.strip("/") else ""
    return f"{'https' if tls else 'http'}://{name}:{port}{base}"
