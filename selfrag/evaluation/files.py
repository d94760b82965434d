"""Zips and lines of sets and labels that a person brings: damage is told in a sentence."""

import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from selfrag.errors import UserError

_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError),
    RuntimeError,  # a password, a compression that is not known
    ValueError,  # a place before the beginning of the file, a name that is no text
)

MOST_RATIO = 200  #: of unpacked to packed bytes; text is packed to a third, logs to a fiftieth
_SMALL = 10_000_000  #: unpacked bytes up to which the ratio is not looked at
_LONGEST = 8_000_000  #: characters of a line
_BLANK = 10_000  #: blank lines that may come beyond one for each other line


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
            if not all(zipped.namelist()):
                raise zipfile.BadZipFile("a file in it has no name")
            yield zipped
    except _DAMAGE:
        raise UserError(damaged) from None
    except OSError as error:
        # bz2 tells of damage in this way; with a number it is the disk that failed.
        if error.errno is not None:
            raise
        raise UserError(damaged) from None


def check_unpacked(item: zipfile.ZipInfo, name: str) -> None:
    """Refuse a file that is packed as no text is: a few kilobytes that would fill the memory.

    What is unpacked is never more than the zip says, so nothing is unpacked to find out.

    Raises:
        UserError: it unpacks to more than ``MOST_RATIO`` times its size.
    """
    if item.file_size > _SMALL and item.file_size > MOST_RATIO * max(item.compress_size, 1):
        raise UserError(
            f"{name} unpacks to more than {MOST_RATIO} times its size, as no text does: export it "
            "again."
        )


def lines_of(source: TextIO, name: str, most: int | None = None) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, one at a time, with their number from 1 on.

    Which characters end a line is what ``source`` was opened with.

    Args:
        name: what errors call the file.
        most: how many may come; None for any number.

    Raises:
        UserError: it is not UTF-8, a line is longer than any document, or there are more lines,
            or more blank ones, than are taken in.
    """
    number = blank = 0
    try:
        while line := source.readline(_LONGEST + 1):
            number += 1
            if len(line) > _LONGEST:
                raise UserError(
                    f"Line {number} of {name} has more than {_LONGEST:,} characters: write each "
                    "entry on a line of its own."
                )
            if number == 1:
                line = line.removeprefix("\ufeff")
            if not line.strip():
                blank += 1
                if blank > _BLANK + number - blank:
                    raise UserError(
                        f"{name} is blank for the most part (more than {_BLANK:,} lines): remove "
                        "the blank lines."
                    )
                continue
            if most is not None and number - blank > most:
                raise UserError(f"{name} has more than {most:,} lines: take a part of it.")
            yield number, line.rstrip("\r\n")
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8 text: save it as UTF-8.") from None


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
