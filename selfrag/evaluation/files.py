"""Zips and lines of sets and labels that a person brings: damage is told in a sentence."""

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from selfrag.errors import UserError

_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    RuntimeError,  # a password, a compression that is not known
    ValueError,  # a place before the beginning of the file, a name that is no text
)


def is_zip(content: bytes) -> bool:
    """Whether this is a zip or was one before it was damaged."""
    return content.startswith((b"PK\x03\x04", b"PK\x05\x06")) or b"PK\x05\x06" in content[-66_000:]


@contextmanager
def opened_zip(content: bytes, damaged: str) -> Iterator[zipfile.ZipFile]:
    """The zip, open for reading.

    Raises:
        UserError: with ``damaged`` as its text, where it can't be opened, or reading it in the
            ``with`` block fails for what stands in it.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as zipped:
            yield zipped
    except _DAMAGE:
        raise UserError(damaged) from None
    except OSError as error:
        # bz2 tells of damage in this way; with a number it is the disk that failed.
        if error.errno is not None:
            raise
        raise UserError(damaged) from None


def text_lines(text: str) -> list[str]:
    """The lines of a file; only a line feed ends one, since text may hold U+2028 or U+0085."""
    return [line.rstrip("\r") for line in text.split("\n")]


def json_object(line: str) -> dict[str, Any]:
    """The object of a line.

    Raises:
        ValueError: it is no object, too deep, or holds half a character.
    """
    try:
        row = json.loads(line)
        if "\\u" in line:
            json.dumps(row, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(row, dict):
        raise ValueError("not an object")
    return row
