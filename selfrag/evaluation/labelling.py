"""The labels of a library: given, counted, made into a set to measure on, carried in and out.

Carried out as a BEIR folder (zip: questions, labelled passages, qrels) or as TREC qrels (the
four columns alone); both are read back. The document ids of the qrels are those of the chunks.
"""

import io
import json
import uuid
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from selfrag.errors import UserError
from selfrag.evaluation.files import is_zip
from selfrag.evaluation.label_files import of_trec, of_zip
from selfrag.index.payload import CONTENT, METADATA
from selfrag.records.labels import LabelRecord, Labels, Relevance
from selfrag.retrieval.result import Hit


class Passages(Protocol):
    """What is asked of the index."""

    def passages(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Labels as a set to measure retrieval on.

    Attributes:
        queries: id -> question, of those with at least one relevant or partly relevant passage.
        qrels: id -> chunk id -> grade, of passages that are still in the index.
        labels: how many labels these are.
        without: questions of which every label says "not relevant": no metric is defined there.
        gone: labels of passages that are no longer in the index.
    """

    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]
    labels: int
    without: int
    gone: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of an import: labels taken, and those of passages that are not here."""

    taken: int
    unknown: int


class Labelling:
    """The labels of a library.

    Args:
        index: gives the open index.
    """

    def __init__(self, records: Labels, index: Callable[[], Passages]) -> None:
        self._records = records
        self._index = index

    def put(
        self, question: str, hit: Hit, relevance: Relevance | None, owner: str | None = None
    ) -> None:
        """Label the child of a hit; None takes the label back."""
        if relevance is None:
            self._records.remove(question, hit.chunk_id, owner)
            return
        record = LabelRecord(
            question, hit.chunk_id, hit.document, hit.page, hit.text, Relevance(relevance)
        )
        self._records.put([record], owner)

    def of(self, question: str, owner: str | None = None) -> dict[str, Relevance]:
        """Chunk id -> label, for one question."""
        return self._records.of(question, owner)

    def counts(self, owner: str | None = None) -> tuple[int, int]:
        """How many labels there are, and of how many questions."""
        return self._records.counts(owner)

    def questions(self, owner: str | None = None) -> dict[str, int]:
        """Each labelled question and how many labels it has, the first labelled first."""
        found: dict[str, tuple[str, int]] = {}
        for record in self._records.all(owner):
            text, number = found.get(record.question_id, (record.question, 0))
            found[record.question_id] = (text, number + 1)
        return dict(found.values())

    def forget(self, question: str, owner: str | None = None) -> int:
        """Take back every label of a question; returns how many."""
        return self._records.forget(question, owner)

    def as_set(self, owner: str | None = None) -> LabelledSet:
        """The labels as a set to measure on."""
        records = self._records.all(owner)
        there = self._index().passages(list({record.chunk_id for record in records}))
        queries: dict[str, str] = {}
        qrels: dict[str, dict[str, int]] = {}
        for record in records:
            if record.chunk_id in there:
                queries.setdefault(record.question_id, record.question)
                qrels.setdefault(record.question_id, {})[record.chunk_id] = int(record.relevance)
        judged = {query for query, grades in qrels.items() if any(grades.values())}
        kept = {query: grades for query, grades in qrels.items() if query in judged}
        return LabelledSet(
            queries={query: text for query, text in queries.items() if query in judged},
            qrels=kept,
            labels=sum(map(len, kept.values())),
            without=len(qrels) - len(kept),
            gone=sum(record.chunk_id not in there for record in records),
        )

    def trec(self, owner: str | None = None) -> str:
        """TREC qrels: question id, 0, chunk id, grade."""
        lines = (
            f"{record.question_id} 0 {record.chunk_id} {int(record.relevance)}\n"
            for record in self._records.all(owner)
        )
        return "".join(lines)

    def beir(self, owner: str | None = None) -> bytes:
        """A zip with the labels in BEIR layout."""
        records = self._records.all(owner)
        corpus = {
            record.chunk_id: {
                "_id": record.chunk_id,
                "title": f"{record.document}, page {record.page}",
                "text": record.text,
                "metadata": {"document": record.document, "page": record.page},
            }
            for record in records
        }
        queries = {
            record.question_id: {"_id": record.question_id, "text": record.question}
            for record in records
        }
        rows = [
            f"{record.question_id}\t{record.chunk_id}\t{int(record.relevance)}\n"
            for record in records
        ]
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as zipped:
            zipped.writestr("labels/corpus.jsonl", _lines(corpus.values()))
            zipped.writestr("labels/queries.jsonl", _lines(queries.values()))
            zipped.writestr("labels/qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + "".join(rows))
        return out.getvalue()

    def take(self, content: bytes, owner: str | None = None) -> Imported:
        """Take in what `beir` or `trec` gave; labels that are there already are replaced.

        TREC qrels say no question: those of questions that are labelled here are taken.

        Raises:
            UserError: the file is neither, is damaged, or holds nothing that belongs here.
        """
        if is_zip(content):
            questions, rows = of_zip(content)
        else:
            questions = {item.question_id: item.question for item in self._records.all(owner)}
            rows = of_trec(content)
            if not rows.keys() & questions.keys():
                raise UserError(
                    "None of the question ids of these qrels belongs to a question that is "
                    "labelled here: import the zip in BEIR layout, which holds the questions."
                )
        wanted = [(query, chunk) for query, grades in rows.items() for chunk in grades]
        points = self._index().passages(sorted({chunk for _, chunk in wanted if _is_id(chunk)}))
        records = [
            _record(questions[query], chunk, points[chunk], rows[query][chunk])
            for query, chunk in wanted
            if query in questions and chunk in points
        ]
        if not records:
            raise UserError(
                "None of the labelled passages is in your library: add the same documents with "
                "the same chunk sizes first, or upload the zip as a set on the Evaluate page."
            )
        return Imported(self._records.put(records, owner), len(wanted) - len(records))


def _is_id(text: str) -> bool:
    """Whether a chunk here could have this id; the index refuses to look for any other."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def _record(question: str, chunk: str, payload: Mapping[str, Any], grade: int) -> LabelRecord:
    about = payload[METADATA]
    relevance = Relevance(min(max(grade, 0), int(Relevance.RELEVANT)))
    return LabelRecord(
        question, chunk, about["document"], about["page"], payload[CONTENT], relevance
    )


def _lines(rows: Any) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
