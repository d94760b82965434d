"""The rows of a CSV file, with a quotation mark that is left open told instead of obeyed.

To a reader of CSV an open mark is closed by the next one, wherever that stands: every row between
them disappears into one cell, and nothing says so.
"""

import csv
import io
import re
from dataclasses import dataclass

from selfrag.errors import UserError

_SEPARATORS = ",;\t"
_LONGEST = 10_000_000  #: characters of one field that csv is to take
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class CellRow:
    """One row; ``line`` is that of the file, from 1 on, in which it begins."""

    line: int
    cells: list[str]


def read_rows(text: str, name: str) -> list[CellRow]:
    """The rows of ``text``, whose header tells the separator: a comma, a semicolon or a tab.

    Args:
        name: what errors call the file.

    Raises:
        UserError: it is no CSV, holds a character that no text has, or a quotation mark is left
            open; names the line.
    """
    before_nul, nul, _ = text.partition("\0")
    if nul:
        raise UserError(
            f"Line {_lines_in(before_nul) + 1} of {name} holds a NUL character, which no text has: "
            "remove it, or save the file as CSV in UTF-8 once more."
        )
    header = text.lstrip().split("\n", 1)[0]
    separator = max(_SEPARATORS, key=header.count)
    body = text.lstrip("\r\n")
    above = _lines_in(text[: len(text) - len(body)])
    opens = _left_open(body, separator)
    if opens is not None:
        raise UserError(
            f"Line {above + _lines_in(body[:opens]) + 1} of {name} opens a quotation mark that is "
            "not closed at the end of its cell, so the rows after it would be lost: close it, or "
            'write "" for a mark that belongs to the text.'
        )
    before = csv.field_size_limit(_LONGEST)
    rows = []
    try:
        reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator)
        line = above + 1
        for cells in reader:
            rows.append(CellRow(line, cells))
            line = above + reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{name} is no CSV file ({error}): save it as CSV in UTF-8.") from None
    finally:
        csv.field_size_limit(before)
    for row in rows:
        _must_be_one(row, len(rows[0].cells), separator, name)
    return rows


def _left_open(text: str, separator: str) -> int | None:
    """Where the first quotation mark stands that closes nowhere, or in the middle of a cell."""
    quoted = re.compile(rf'"[^"]*+(?:""[^"]*+)*+" *(?=[{separator}\r\n]|\Z)')
    plain = re.compile(rf"[^{separator}\r\n]*+")
    place = 0
    while place < len(text):
        cell = (quoted if text[place] == '"' else plain).match(text, place)
        if cell is None:
            return place
        place = cell.end() + 1  # the separator, or one of the characters that end the line
    return None


def _must_be_one(row: CellRow, columns: int, separator: str, name: str) -> None:
    """A mark that was left open may be closed by that of a later row, at the end of its cell."""
    if len(row.cells) < columns and any(
        separator in cell and _LINE_END.search(cell) for cell in row.cells
    ):
        raise UserError(
            f"A quotation mark that opens in line {row.line} of {name} or below takes in whole "
            "rows, and too few cells are left: close it, or write a cell for every column."
        )


def _lines_in(text: str) -> int:
    return len(_LINE_END.findall(text))
