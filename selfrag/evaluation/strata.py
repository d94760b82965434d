"""Strata: which label each question of a set has, where its file says one.

A row of ``queries.jsonl`` may have ``label`` of its own or in ``metadata``, as text; or, as
SciFact's claims have it, the labels of its evidence: document id -> list of ``{"label": ...}``.
Several labels are joined; a question without one has none, and is in no stratum.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selfrag.evaluation.files import json_object, lines_of


def read_labels(folder: Path, queries: str = "queries.jsonl") -> dict[str, str]:
    """Question id -> label; empty where the file has none.

    Lines that are no JSON objects are left to `read_beir`, which refuses them.

    Raises:
        UserError: a line is longer than any question, or most of the file is blank.
    """
    found: dict[str, str] = {}
    path = folder / queries
    if not path.exists():
        return found
    with path.open(encoding="utf-8-sig", errors="replace") as opened:
        for _, line in lines_of(opened, str(path)):
            try:
                row = json_object(line)
            except ValueError:
                continue
            labels = sorted(set(_labels(row)))
            if labels and "_id" in row:
                found[str(row["_id"])] = " and ".join(labels)
    return found


def _labels(row: dict[str, Any]) -> Iterator[str]:
    metadata = row.get("metadata")
    inside = metadata if isinstance(metadata, dict) else {}
    for label in (row.get("label"), inside.get("label")):
        if isinstance(label, str) and label.strip():
            yield label.strip()
    for evidence in inside.values():
        if isinstance(evidence, list):
            for part in evidence:
                if isinstance(part, dict) and isinstance(part.get("label"), str):
                    yield part["label"].strip()
