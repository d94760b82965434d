"""Questions with their answers, from a CSV file as a spreadsheet saves it.

    question, ground_truth[, answerable][, label][, gold]

- ``answerable``: whether the documents hold the answer (yes/no, true/false, 1/0; empty: not known);
- ``label``: of a statement: supported, refuted or not enough evidence;
- ``gold`` (or ``evidence``): where the answer stands: ``handbook.pdf, page 2`` or a sentence as it
  stands in a document; several separated by ``|``.

Spreadsheets write commas or semicolons, UTF-8 with or without a mark, UTF-16, or the encoding of
Windows; all are read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from selfrag.errors import UserError
from selfrag.evaluation.answers.cells import read_rows
from selfrag.records.labels import question_id
from selfrag.reflection.grades import Verdict
from selfrag.retrieval.query import check_query
from selfrag.wording import count, listed

REQUIRED = ("question", "ground_truth")
OPTIONAL = ("answerable", "label", "gold")
_SAME = {"evidence": "gold", "answer": "ground_truth", "reference": "ground_truth"}
_MOST = 10_000  #: questions: more is another file by mistake
_YES_NO = {
    **dict.fromkeys(("yes", "y", "true", "1", "answerable"), True),
    **dict.fromkeys(("no", "n", "false", "0", "unanswerable"), False),
}
_VERDICTS = {
    **dict.fromkeys(("supported", "support", "supports", "true"), Verdict.SUPPORTED),
    **dict.fromkeys(
        ("refuted", "refute", "refutes", "contradict", "contradicted", "contradicts", "false"),
        Verdict.REFUTED,
    ),
    **dict.fromkeys(
        ("not enough evidence", "not enough info", "not enough information", "nei", "no evidence"),
        Verdict.NOT_ENOUGH,
    ),
}
#: UTF-16 without a mark: which of the first bytes are zero where a header begins in plain letters
_UNMARKED = {
    (False, True, False, True): "utf-16-le",
    (True, False, True, False): "utf-16-be",
}
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Question:
    """One row.

    Attributes:
        id: the same for questions that differ in case and white space only.
        ground_truth: the right answer; empty where the file has none.
        answerable: whether the documents hold the answer; None where not known.
        label: the right verdict, of a statement.
        gold: where the answer stands, as the file says it.
    """

    id: str
    question: str
    ground_truth: str
    answerable: bool | None = None
    label: Verdict | None = None
    gold: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file, in its order; ``columns`` are those that were read."""

    name: str
    questions: tuple[Question, ...]
    columns: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.questions)


def read_file(path: Path) -> QuestionSet:
    """The questions of a file; see `read_questions`.

    Raises:
        UserError: it is not there, cannot be read, or as `read_questions`.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"There is no file {path}: name a CSV file with questions.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror}): name another.") from None
    return read_questions(content, path.name)


def read_questions(content: bytes, name: str) -> QuestionSet:
    """The questions of a CSV file.

    Args:
        name: of the file, for its set and for errors.

    Raises:
        UserError: it is no such file, a column is missing, a question comes twice, a value is
            none of those that there are, or nothing is asked. Names the row as a spreadsheet
            counts it.
    """
    rows = [row.cells for row in read_rows(_decoded(content, name), name)]
    if not rows:
        raise UserError(f"{name} is empty: write a header line and a row for each question.")
    heads = [_head(cell) for cell in rows[0]]
    missing = [column for column in REQUIRED if column not in heads]
    if missing:
        raise UserError(
            f"{name} has no column {listed(missing)}: its first line must name the columns "
            f"question and ground_truth, and may name {listed(OPTIONAL)}."
        )
    twice = [head for head in heads if head and heads.count(head) > 1]
    if twice:
        raise UserError(f"{name} has the column {twice[0]} twice: keep one.")
    questions: dict[str, Question] = {}
    first: dict[str, int] = {}
    for number, cells in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if any(cell.strip() for cell in cells[len(heads) :]):
            raise UserError(
                f"Row {number} of {name} has more cells than the header: put text that holds a "
                "separator in quotation marks."
            )
        row = dict(zip(heads, [cell.strip() for cell in cells], strict=False))
        made = _question(row, f"Row {number} of {name}")
        if made.id in questions:
            raise UserError(
                f"Row {number} of {name} asks the same as row {first[made.id]}: keep one of them."
            )
        questions[made.id], first[made.id] = made, number
    if not questions:
        raise UserError(f"{name} has no question below its header: add a row for each.")
    if len(questions) > _MOST:
        raise UserError(
            f"{name} has {count(len(questions), 'question')}: take a sample of at most {_MOST:,}."
        )
    known = (*REQUIRED, *OPTIONAL)
    return QuestionSet(
        Path(name).stem or "questions",
        tuple(questions.values()),
        tuple(column for column in known if column in heads),
    )


def _decoded(content: bytes, name: str) -> str:
    """The text, in the first encoding that it is in."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: Sequence[str] = ("utf-16",)
    elif (zeros := tuple(byte == 0 for byte in content[:4])) in _UNMARKED:
        encodings = (_UNMARKED[zeros],)
    else:
        encodings = ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise UserError(f"{name} is no text that can be read: save it as CSV in UTF-8.")


def _head(cell: str) -> str:
    name = "_".join(cell.strip().casefold().replace("-", " ").split())
    return _SAME.get(name, name)


def _question(row: dict[str, str], where: str) -> Question:
    text = row.get("question", "")
    if not text:
        raise UserError(f"{where} has no question: write one or delete the row.")
    try:
        text = check_query(text)
    except UserError as error:
        raise UserError(f"{where} cannot be asked: {error}") from None
    label = _value(row, "label", _VERDICTS.get, "supported, refuted or not enough evidence", where)
    answerable = _value(row, "answerable", _YES_NO.get, "yes, no or nothing", where)
    if label is Verdict.NOT_ENOUGH and answerable is None:
        answerable = False  # the label says just that
    return Question(
        id=question_id(text),
        question=text,
        ground_truth=row.get("ground_truth", ""),
        answerable=answerable,
        label=label,
        gold=tuple(part.strip() for part in row.get("gold", "").split("|") if part.strip()),
    )


def _value(
    row: dict[str, str],
    column: str,
    read: Callable[[str], ValueT | None],
    allowed: str,
    where: str,
) -> ValueT | None:
    written = row.get(column, "")
    if not written:
        return None
    value = read(" ".join(written.casefold().replace("_", " ").replace("-", " ").split()))
    if value is None:
        raise UserError(f"{where} has {written!r} as {column}: write {allowed}.")
    return value
