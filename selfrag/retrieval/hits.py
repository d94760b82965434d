"""Building the final hits from what the index returned."""

from collections.abc import Mapping, Sequence
from typing import Any

from selfrag.pages import Span
from selfrag.retrieval.result import Hit, StageScore


def by_parent(items: Sequence[str], points: Mapping[str, dict[str, Any]]) -> list[list[str]]:
    """Children gathered by the parent that is read for them, in the order of the best of each."""
    groups: dict[str, list[str]] = {}
    for item in items:
        groups.setdefault(points[item]["metadata"]["parent_id"], []).append(item)
    return list(groups.values())


def make_hit(
    rank: int,
    group: Sequence[str],
    points: Mapping[str, dict[str, Any]],
    parents: Mapping[str, dict[str, Any]],
    scores: Mapping[str, dict[str, StageScore]],
) -> Hit:
    """A hit from the payloads of its best child and of the parent that is read for it.

    Args:
        group: ids of the children that led to this parent, best first.
        points: child id -> payload; ``parents``: parent id -> payload.
        scores: child id -> what each stage gave it.
    """
    child = points[group[0]]
    about = child["metadata"]
    parent = parents.get(about["parent_id"])
    return Hit(
        rank=rank,
        chunk_id=group[0],
        document_id=about["document_id"],
        document=about["document"],
        page=about["page"],
        text=child["page_content"],
        spans=_spans(about["spans"]),
        parent_id=about["parent_id"],
        parent_text=parent["page_content"] if parent else child["page_content"],
        parent_spans=_spans(parent["metadata"]["spans"] if parent else about["spans"]),
        children=tuple(group),
        scores=dict(scores.get(group[0], {})),
        heading=about.get("heading"),
    )


def _spans(rows: Sequence[Sequence[int]]) -> tuple[Span, ...]:
    return tuple(Span(*row) for row in rows)
