"""What is kept so that no search is done twice: searches one by one, and results whole.

    <folder>/<signature>/<variant>.jsonl      a line for each question: an interrupted run goes on
    <folder>/<signature>/<result>.json        a finished study: the same again costs nothing

The signature is a digest of everything that can change a number: data, models, settings, the
versions of what computes, and the code that searches.
"""

import functools
import hashlib
import importlib.metadata
import json
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from selfrag.evaluation.beir import BeirSet
from selfrag.evaluation.study import Searched

logger = logging.getLogger(__name__)

_PACKAGE = Path(__file__).parents[1]
_CODE = ("retrieval", "index", "models", "evaluation")
_VERSIONS = ("qdrant-edge-py", "fastembed", "ir-measures", "scipy", "numpy")


def made_of(data: BeirSet, **parts: Any) -> dict[str, str]:
    """Everything that a study depends on, by name, as text that can be compared."""
    digest = hashlib.sha256()
    for texts in (data.documents, data.queries):
        for key, text in texts.items():
            digest.update(f"{key}\0{text}\0".encode())
    digest.update(json.dumps(data.qrels, sort_keys=True).encode())
    found = {
        "data": digest.hexdigest()[:16],
        "questions": str(len(data.queries)),
        "judgements": str(sum(map(len, data.qrels.values()))),
        "documents": str(len(data.documents)),
        **computed_by(),
    }
    return found | as_text(parts)


def computed_by() -> dict[str, str]:
    """The versions of what computes, and a digest of the code that searches and measures."""
    versions = {name: importlib.metadata.version(name) for name in _VERSIONS}
    return {"code": code_digest(), **versions}


def as_text(parts: Mapping[str, Any]) -> dict[str, str]:
    """Parts by name, as text; mappings among them are laid flat."""
    found: dict[str, str] = {}
    for name, value in parts.items():
        if isinstance(value, Mapping):
            found |= {str(key): str(inner) for key, inner in value.items()}
        else:
            found[name.replace("_", " ")] = str(value)
    return found


def signature(parts: Mapping[str, str]) -> str:
    """A digest of all parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


@functools.cache
def code_digest(folders: tuple[str, ...] = _CODE) -> str:
    """Of the source in folders of the package; without any, that which searches and measures."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Kept:
    """The files of one signature.

    Args:
        folder: of all studies.
        parts: what `made_of` gave.
    """

    def __init__(self, folder: Path, parts: Mapping[str, str]) -> None:
        self.parts = dict(parts)
        self.signature = signature(self.parts)
        self._folder = folder / self.signature

    def result(self, wanted: str) -> dict[str, Any] | None:
        """A finished study."""
        return _read(self._result(wanted))

    def keep(self, wanted: str, result: Mapping[str, Any]) -> None:
        """Keep a finished study."""
        _write(self._result(wanted), result)

    def searched(self, variant: str) -> dict[str, Searched]:
        """Question id -> what was found, as far as an earlier run came."""
        return {
            row["query"]: Searched(tuple(row["ranking"]), row["seconds"], row["skipped"])
            for row in self.rows(variant, ("query", "ranking", "seconds", "skipped"))
        }

    def add(self, variant: str, rows: Mapping[str, Searched]) -> None:
        """Keep some more searches."""
        self.append(variant, [{"query": query, **asdict(each)} for query, each in rows.items()])

    def rows(self, name: str, fields: Iterable[str]) -> list[dict[str, Any]]:
        """The lines that were kept under a name, those that have all of these fields."""
        path = self._lines(name)
        if not path.exists():
            return []
        found = []
        for line in path.read_bytes().split(b"\n"):
            try:
                row = json.loads(line)
                whole = isinstance(row, dict) and all(field in row for field in fields)
            except ValueError:
                whole = False
            if whole:
                found.append(row)
            elif line:
                # The last line of a run that was ended while it wrote: done again.
                logger.info("a line of %s is not whole and is left out", path)
        return found

    def append(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep some more lines under a name."""
        path = self._lines(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for row in rows:
                # Begins with a line end: what a broken line left behind ends there.
                file.write("\n" + json.dumps(row, default=dict))

    def forget(self) -> None:
        """Remove everything of this signature."""
        for path in self._folder.glob("*.json*"):
            path.unlink()

    def _lines(self, variant: str) -> Path:
        return self._folder / f"{hashlib.sha256(variant.encode()).hexdigest()[:12]}.jsonl"

    def _result(self, wanted: str) -> Path:
        return self._folder / f"result-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        logger.warning("%s cannot be read (%s): measured again", path, error)
        return None


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    part.replace(path)
