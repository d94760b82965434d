"""Strata: which label each question of a set has, where its file says one.

A row of ``queries.jsonl`` may have ``label`` of its own or in ``metadata``, as text; or, as
SciFact's claims have it, the labels of its evidence: document id -> list of ``{"label": ...}``.
Several labels are joined; a question without one has none, and is in no stratum.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_labels(folder: Path, queries: str = "queries.jsonl") -> dict[str, str]:
    """Question id -> label; empty where the file has none.

    Lines that are no JSON objects are left to `read_beir`, which refuses them.
    """
    found: dict[str, str] = {}
    path = folder / queries
    if not path.exists():
        return found
    for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and "_id" in row:
            labels = sorted(set(_labels(row)))
            if labels:
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
