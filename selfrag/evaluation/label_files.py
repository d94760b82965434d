"""The files that labels are carried in: a zip in BEIR layout, and TREC qrels."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from selfrag.errors import UserError
from selfrag.evaluation.files import check_unpacked, json_object, lines_of, opened_zip
from selfrag.retrieval.query import check_query

Rows = dict[str, dict[str, int]]  #: question id -> chunk id -> grade

_LARGEST = 200_000_000  #: bytes of an unpacked file that is taken in
_MOST = 1_000_000  #: lines of a file; somebody labels a few thousand
_BLANKS = re.compile("[ \t]+")


def of_zip(content: bytes) -> tuple[dict[str, str], Rows]:
    """Question id -> question, and the grades.

    Raises:
        UserError: it is damaged or too large, lacks a file, or a line can't be taken; the text
            names the line.
    """
    with opened_zip(content, "This zip is damaged: export it again.") as zipped:
        with _member(zipped, "queries.jsonl") as lines:
            questions = _questions(lines)
        with _member(zipped, "qrels/test.tsv") as lines:
            rows = _tab_separated(lines)
    _must_judge(rows)
    missing = sorted(rows.keys() - questions.keys())
    if missing:
        raise UserError(
            f"The qrels name {missing[0]!r}, which queries.jsonl does not have: export them again."
        )
    return questions, rows


def of_trec(content: bytes) -> Rows:
    """The grades of TREC qrels.

    Raises:
        UserError: it is not UTF-8 or too long, a line is something else, or there is none.
    """
    rows: Rows = {}
    with _text(io.BytesIO(content)) as text:
        for number, line in lines_of(text, "The file", _MOST):
            _take(rows, number, _BLANKS.split(line.strip(" \t")))
    _must_judge(rows)
    return rows


def _tab_separated(lines: Iterable[tuple[int, str]]) -> Rows:
    """The grades of BEIR qrels, with a line of heads or without."""
    rows: Rows = {}
    for place, (number, line) in enumerate(lines):
        query, _, rest = line.partition("\t")
        parts = [query, "0", *rest.split("\t")]
        if place or _is_whole(parts[-1]):
            _take(rows, number, parts)
    return rows


def _questions(lines: Iterable[tuple[int, str]]) -> dict[str, str]:
    questions = {}
    for number, line in lines:
        try:
            row = json_object(line)
            key, question = str(row["_id"]), row["text"]
        except (ValueError, KeyError):
            raise UserError(
                f"Line {number} of queries.jsonl is not a JSON object with _id and text: correct "
                "that line."
            ) from None
        if not isinstance(question, str) or "\x00" in question:
            raise UserError(
                f"The text in line {number} of queries.jsonl is no question: correct that line."
            )
        try:
            check_query(question)
        except UserError as error:
            raise UserError(f"Line {number} of queries.jsonl: {error}") from None
        questions[key] = question
    return questions


def _take(rows: Rows, number: int, parts: list[str]) -> None:
    try:
        query, _, document, grade = parts
        rows.setdefault(query, {})[document] = int(grade)
    except ValueError:
        raise UserError(
            f"Line {number} of the qrels is not a question id, 0, a passage id and a whole "
            "number: correct that line."
        ) from None


def _is_whole(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _must_judge(rows: Rows) -> None:
    if not rows:
        raise UserError("This file judges nothing: choose one with qrels.")


@contextmanager
def _member(zipped: zipfile.ZipFile, name: str) -> Iterator[Iterator[tuple[int, str]]]:
    for item in zipped.infolist():
        if item.filename == name or item.filename.endswith(f"/{name}"):
            if item.file_size > _LARGEST:
                raise UserError(f"{name} is larger than 200 MB: import a part of it.")
            check_unpacked(item, name)
            with zipped.open(item) as unpacked, _text(unpacked) as text:
                yield lines_of(text, name, _MOST)
            return
    raise UserError(
        f"There is no {name} in this zip: labels in BEIR layout have queries.jsonl, corpus.jsonl "
        "and qrels/test.tsv."
    )


def _text(source: IO[bytes]) -> io.TextIOWrapper:
    # Only a line feed ends a line: a question may hold U+2028 or a carriage return.
    return io.TextIOWrapper(source, encoding="utf-8-sig", newline="\n")
