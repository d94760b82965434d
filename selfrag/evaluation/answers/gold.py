"""The gold passages of a question: where in the library its answer stands.

From the column ``gold`` of the questions file, or from the labels given on Compare search:

- ``handbook.pdf, page 2`` (or ``p. 2``, ``#page=2``): what mostly stands on that page;
- a sentence as it stands in a document: every passage that it stands in;
- a label "relevant" or "partly" of the same question: the passage that was labelled.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from selfrag.evaluation.answers.questions import Question
from selfrag.pages import Chunk
from selfrag.quotes import find_quote
from selfrag.records.documents import DocumentRecord
from selfrag.records.labels import Relevance
from selfrag.retrieval.funnel import Funnel
from selfrag.retrieval.hits import make_hit
from selfrag.retrieval.query import MAX_QUERY
from selfrag.retrieval.result import Hit, Mode, StageScore

_PLACE = re.compile(
    r"^(?P<document>.+?)[\s,;:#(]+p(?:age|ages|g|p)?[.\s=]*(?P<page>\d+)\)?$", re.IGNORECASE
)
_MOSTLY = 0.5  #: share of a passage that must stand on a page that was named
_SEARCHED = 30  #: passages among which a sentence is looked for
#: What the writer is told of a passage that was put before it: it is the right one.
_SCORE: Mapping[str, StageScore] = {"fusion": StageScore(1, 1.0)}


class Chunks(Protocol):
    """What is asked of the index."""

    def passages(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]: ...

    def parents(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold passages of one question.

    Attributes:
        hits: as a search would bring them, for the oracle.
        missing: what the file names and the library does not hold.
    """

    hits: tuple[Hit, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def parents(self) -> frozenset[str]:
        """Ids of the passages that the writer would read."""
        return frozenset(hit.parent_id for hit in self.hits)


class GoldFinder:
    """Finds gold passages in the library.

    Args:
        documents: those that can be searched.
        chunks: a document's parents and children, by its id.
        labels: question -> child id -> label.
    """

    def __init__(
        self,
        documents: Sequence[DocumentRecord],
        chunks: Callable[[str], tuple[list[Chunk], list[Chunk]]],
        funnel: Funnel,
        index: Chunks,
        labels: Callable[[str], Mapping[str, Relevance]],
    ) -> None:
        self._documents: dict[str, list[DocumentRecord]] = {}
        for record in documents:
            self._documents.setdefault(_plain(record.name), []).append(record)
        self._chunks = chunks
        self._funnel = funnel
        self._index = index
        self._labels = labels
        self._read: dict[str, tuple[list[Chunk], list[Chunk]]] = {}

    def find(self, question: Question) -> Gold:
        """The gold passages that are known; none where nothing says which."""
        found: dict[str, Hit] = {}
        missing = []
        for written in question.gold:
            hits = self._on_page(written) or self._with_sentence(written)
            if not hits:
                missing.append(written)
            found |= {hit.parent_id: hit for hit in hits}
        if not found:
            found = {hit.parent_id: hit for hit in self._labelled(question.question)}
        return Gold(tuple(found.values()), tuple(missing))

    def _on_page(self, written: str) -> list[Hit]:
        place = _PLACE.match(written)
        if place is None:
            return []
        number = int(place["page"])
        found: list[Hit] = []
        for record in self._documents.get(_plain(place["document"]), []):
            there = {
                parent.id: (share, _hit(record, parent, children))
                for parent, children in self._parents(record.id)
                if (share := _share_on(parent, number))
            }
            ranked = sorted(there.values(), key=lambda each: -each[0])
            # A passage that only ends or begins on the page is another page's; but one there is.
            found += [hit for share, hit in ranked if share >= ranked[0][0] or share >= _MOSTLY]
        return found

    def _parents(self, document_id: str) -> list[tuple[Chunk, list[Chunk]]]:
        if document_id not in self._read:
            self._read[document_id] = self._chunks(document_id)
        parents, children = self._read[document_id]
        of = {parent.id: [c for c in children if c.parent_id == parent.id] for parent in parents}
        return [(parent, of[parent.id]) for parent in parents if of[parent.id]]

    def _with_sentence(self, written: str) -> list[Hit]:
        hits = self._funnel.search(written[:MAX_QUERY], Mode.BM25, k=_SEARCHED).hits
        return [_scored(hit) for hit in hits if find_quote(written, hit.parent_text) is not None]

    def _labelled(self, question: str) -> list[Hit]:
        labels = self._labels(question)
        points = self._index.passages([chunk for chunk, label in labels.items() if label > 0])
        wanted = {point["metadata"]["parent_id"] for point in points.values()}
        parents = self._index.parents(sorted(wanted))
        return [
            _scored(make_hit(rank, [chunk], points, parents, {}))
            for rank, chunk in enumerate(points, start=1)
        ]


def _share_on(parent: Chunk, page: int) -> float:
    lengths = {span.page: span.end - span.start for span in parent.spans}
    return lengths.get(page, 0) / (sum(lengths.values()) or 1)


def _hit(record: DocumentRecord, parent: Chunk, children: Sequence[Chunk]) -> Hit:
    first = children[0]
    return Hit(
        rank=1,
        chunk_id=first.id,
        document_id=record.id,
        document=record.name,
        page=first.spans[0].page,
        text=first.text,
        spans=first.spans,
        parent_id=parent.id,
        parent_text=parent.text,
        parent_spans=parent.spans,
        children=tuple(child.id for child in children),
        scores=dict(_SCORE),
    )


def _scored(hit: Hit) -> Hit:
    return replace(hit, rank=1, scores=dict(_SCORE))


def _plain(name: str) -> str:
    """A document's name without case and ending."""
    return name.strip().strip("\"'").casefold().removesuffix(".pdf")
