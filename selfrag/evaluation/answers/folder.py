"""The results folder of a study: files of its own, that no later run writes over.

<folder>/<set>-<date>-<time>/
    round-1.csv ...   every answer of a round, with its passages and measures
    summary.csv       a row for each strategy and measure
    study.json        everything, and what it was made of
    report.html       the tables, to be read
"""

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from selfrag.errors import UserError
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.answers.text import as_csv, as_html, round_csv

_MOST = 1_000  #: runs of one set that begin in the same second


def write(study: AnswerStudy, folder: Path, made_of: Mapping[str, str], signature: str) -> Path:
    """Write a study into a new folder below ``folder``, and return that.

    Raises:
        UserError: it cannot be written.
    """
    try:
        into = _new(folder.expanduser(), study.name)
        for number in range(1, study.rounds + 1):
            _put(into / f"round-{number}.csv", round_csv(study, number))
        _put(into / "summary.csv", as_csv(study))
        whole = {**study.to_json(), "signature": signature, "made_of": dict(made_of)}
        _put(into / "study.json", json.dumps(whole, ensure_ascii=False, indent=1))
        _put(into / "report.html", as_html(study, list(made_of.items())))
    except OSError as error:
        raise UserError(
            f"{error.filename or folder} cannot be written ({error.strerror}): name another folder."
        ) from None
    return into


def must_take_results(folder: Path) -> None:
    """Look whether results can be written below ``folder``, before anything is spent.

    Raises:
        UserError: they cannot.
    """
    try:
        folder.expanduser().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder.expanduser()):
            pass
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written ({error.strerror}): name another folder."
        ) from None


def _new(folder: Path, name: str) -> Path:
    """A folder that was not there, named by the set and the time."""
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:60] or "questions"
    folder.mkdir(parents=True, exist_ok=True)
    first = f"{safe}-{time.strftime('%Y%m%d-%H%M%S')}"
    for number in range(1, _MOST):
        made = folder / (first if number == 1 else f"{first}-{number}")
        try:
            made.mkdir()
        except FileExistsError:
            continue
        return made
    raise UserError(f"{folder} holds too many results of this second: start again.")


def _put(path: Path, text: str) -> None:
    # A mark at the beginning: spreadsheets take a CSV file without one for their own encoding.
    encoding = "utf-8-sig" if path.suffix == ".csv" else "utf-8"
    with path.open("w", encoding=encoding, newline="") as file:
        file.write(text)
