"""The files that labels are carried in: a zip in BEIR layout, and TREC qrels."""

import re
import zipfile

from selfrag.errors import UserError
from selfrag.evaluation.files import json_object, opened_zip, text_lines
from selfrag.retrieval.query import check_query

Rows = dict[str, dict[str, int]]  #: question id -> chunk id -> grade

_LARGEST = 200_000_000  #: bytes of an unpacked file that is taken in
_BLANKS = re.compile("[ \t]+")


def of_zip(content: bytes) -> tuple[dict[str, str], Rows]:
    """Question id -> question, and the grades.

    Raises:
        UserError: it is damaged or too large, lacks a file, or a line can't be taken; the text
            names the line.
    """
    with opened_zip(content, "This zip is damaged: export it again.") as zipped:
        queries = _member(zipped, "queries.jsonl")
        qrels = _member(zipped, "qrels/test.tsv")
    questions = _questions(decoded(queries, "queries.jsonl"))
    lines = text_lines(decoded(qrels, "qrels/test.tsv"))
    rows: Rows = {}
    for number, line in enumerate(lines[1:], start=2):
        if line.strip():
            query, _, rest = line.partition("\t")
            _take(rows, number, [query, "0", *rest.split("\t")])
    _must_judge(rows)
    missing = sorted(rows.keys() - questions.keys())
    if missing:
        raise UserError(
            f"The qrels name {missing[0]!r}, which queries.jsonl does not have: export them again."
        )
    return questions, rows


def of_trec(text: str) -> Rows:
    """The grades of TREC qrels.

    Raises:
        UserError: a line is something else, or there is none.
    """
    rows: Rows = {}
    for number, line in enumerate(text_lines(text), start=1):
        if line.strip():
            _take(rows, number, _BLANKS.split(line.strip(" \t")))
    _must_judge(rows)
    return rows


def decoded(content: bytes, name: str) -> str:
    """The text of a file.

    Raises:
        UserError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8 text: save it as UTF-8.") from None


def _questions(text: str) -> dict[str, str]:
    questions = {}
    for number, line in enumerate(text_lines(text), start=1):
        if not line.strip():
            continue
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


def _must_judge(rows: Rows) -> None:
    if not rows:
        raise UserError("This file judges nothing: choose one with qrels.")


def _member(zipped: zipfile.ZipFile, name: str) -> bytes:
    for item in zipped.infolist():
        if item.filename == name or item.filename.endswith(f"/{name}"):
            if item.file_size > _LARGEST:
                raise UserError(f"{name} is larger than 200 MB: import a part of it.")
            return zipped.read(item)
    raise UserError(
        f"There is no {name} in this zip: labels in BEIR layout have queries.jsonl, corpus.jsonl "
        "and qrels/test.tsv."
    )
