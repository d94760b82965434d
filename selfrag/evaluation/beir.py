"""Retrieval sets in BEIR layout (Thakur et al. 2021, arXiv:2104.08663).

    corpus.jsonl     {"_id", "title", "text"}
    queries.jsonl    {"_id", "text"}
    qrels/test.tsv   query-id, corpus-id, score, with a header line

A query without qrels is not judged: it is left out, never counted as a failure. A judged one that
cannot be measured (no text, or no document judged relevant) is left out and named.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selfrag.errors import UserError
from selfrag.evaluation.files import json_object, lines_of
from selfrag.retrieval.query import MAX_QUERY, is_blank
from selfrag.wording import count


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question for which nothing can be measured, and why."""

    id: str
    question: str
    why: str


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A set to measure retrieval on.

    Attributes:
        name: the folder's.
        documents: id -> text, the title on its first line where there is one.
        queries: id -> text; those that can be measured, in the file's order.
        qrels: query id -> document id -> grade, 0 for judged as not relevant; of ``queries``.
        unjudged: how many queries have no qrels and were left out.
        left_out: judged queries for which no measure is defined.
    """

    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]
    unjudged: int = 0
    left_out: tuple[LeftOut, ...] = ()


def read_beir(
    folder: Path,
    split: str = "test",
    queries: str = "queries.jsonl",
    called: str | None = None,
    most: int | None = None,
) -> BeirSet:
    """The set in ``folder``.

    Args:
        split: which file of ``qrels/`` is taken.
        queries: the file of queries, for a set that asks in several languages.
        called: what a person calls the folder, for its name and for errors.
        most: lines that a file may have; None for any number.

    Raises:
        UserError: a file is missing, unreadable, damaged or too long, an id comes twice, qrels
            name a query or a document that is not there, or no query can be measured.
    """
    within = _Named(folder, called or str(folder))
    documents = {
        key: "\n".join(part for part in (row.get("title"), row.get("text")) if part)
        for key, row in _rows(within / "corpus.jsonl", most)
    }
    asked = {key: row.get("text") or "" for key, row in _rows(within / queries, most)}
    qrels = _qrels(within / f"qrels/{split}.tsv", most)
    _must_be_known("query", qrels, asked, within)
    judged = (document for grades in qrels.values() for document in grades)
    _must_be_known("document", judged, documents, within)
    reasons = {key: _why_not(text, qrels[key]) for key, text in asked.items() if key in qrels}
    left_out = tuple(LeftOut(key, asked[key], why) for key, why in reasons.items() if why)
    if len(left_out) == len(reasons):
        first = left_out[0]
        raise UserError(
            f"Nothing can be measured on {called or folder.name}: {first.id!r}, for one, has "
            f"{first.why}. Take a set whose questions have texts and relevant documents."
        )
    return BeirSet(
        name=called or folder.name,
        documents=documents,
        queries={key: asked[key] for key, why in reasons.items() if not why},
        qrels={key: qrels[key] for key, why in reasons.items() if not why},
        unjudged=sum(key not in qrels for key in asked),
        left_out=left_out,
    )


def _why_not(question: str, grades: Mapping[str, int]) -> str | None:
    """Why no measure is defined for a judged question; None where there is none."""
    if is_blank(question):
        return "no text"
    if len(question) > MAX_QUERY:
        return f"{len(question):,} characters, more than the {MAX_QUERY:,} that can be asked"
    if not any(grade > 0 for grade in grades.values()):
        return "no document that is judged relevant"
    return None


@dataclass(frozen=True, slots=True)
class _Named:
    """A path, and how errors name it."""

    path: Path
    called: str

    def __truediv__(self, name: str) -> "_Named":
        # As the system writes paths where it is one, and with / in a set that was uploaded.
        own = self.called == str(self.path)
        return _Named(self.path / name, str(self.path / name) if own else f"{self.called}/{name}")

    def __str__(self) -> str:
        return self.called


def _rows(path: _Named, most: int | None) -> Iterator[tuple[str, dict[str, Any]]]:
    ids: set[str] = set()
    with _lines(path, most) as lines:
        for number, line in lines:
            try:
                row = json_object(line)
                key = str(row["_id"])
            except (ValueError, KeyError):
                raise UserError(
                    f"Line {number} of {path} is not a JSON object with an _id: correct that line."
                ) from None
            if not all(isinstance(row.get(name) or "", str) for name in ("title", "text")):
                raise UserError(
                    f"The title or text in line {number} of {path} is no text: correct that line."
                )
            if key in ids:
                raise UserError(
                    f"{path} has the id {key!r} more than once: give each line its own."
                )
            ids.add(key)
            yield key, row


def _qrels(path: _Named, most: int | None) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    with _lines(path, most) as lines:
        try:
            for place, (number, line) in enumerate(lines):
                row = next(csv.reader([line], delimiter="\t"))
                if place or _is_grade(row[-1]):
                    _take(qrels, row, number, path)
        except csv.Error as error:
            raise UserError(f"{path} is no table with tabs ({error}): correct it.") from None
    if not qrels:
        raise UserError(f"{path} judges nothing: add a line for each relevant document.")
    return qrels


def _take(qrels: dict[str, dict[str, int]], row: list[str], number: int, path: _Named) -> None:
    if len(row) != 3 or not _is_grade(row[2]):
        raise UserError(
            f"Line {number} of {path} is not a query id, a document id and a whole number, "
            "separated by tabs: correct that line."
        )
    query, document, grade = row
    if abs(int(grade)) > _HIGHEST:
        raise UserError(
            f"Line {number} of {path} grades with {grade[:20]}: grades are whole numbers up to "
            f"{_HIGHEST:,}, 0 for not relevant. Correct that line."
        )
    if qrels.setdefault(query, {}).setdefault(document, int(grade)) != int(grade):
        raise UserError(
            f"Line {number} of {path} grades the document {document!r} for the query "
            f"{query!r} a second time, and otherwise: keep one of the two lines."
        )


def _is_grade(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


@contextmanager
def _lines(path: _Named, most: int | None) -> Iterator[Iterator[tuple[int, str]]]:
    if path.path.exists() and not path.path.is_file():
        # Not opened: a named pipe would wait for whoever writes to it.
        raise UserError(f"{path} is no file: put the file of that name in its place.")
    try:
        with path.path.open(encoding="utf-8-sig") as opened:
            yield lines_of(opened, str(path), most)
    except FileNotFoundError:
        raise UserError(
            f"{path} is not there: a folder in BEIR layout has corpus.jsonl, queries.jsonl and "
            "qrels/test.tsv."
        ) from None
    except OSError as error:
        raise UserError(
            f"{path} cannot be read ({error.strerror}): put a file that can be read in its place."
        ) from None


_HIGHEST = 1_000_000  #: grade; ir-measures has no room for any that a person would not give
_MANY = {"query": "queries", "document": "documents"}


def _must_be_known(kind: str, named: Iterable[str], known: Iterable[str], folder: _Named) -> None:
    missing = sorted(set(named) - set(known))
    if missing:
        raise UserError(
            f"The qrels of {folder} name {count(len(missing), kind, _MANY[kind])} that "
            f"{'is' if len(missing) == 1 else 'are'} not there, such as {missing[0]!r}: take qrels "
            "that belong to these files."
        )
