"""Questions with labelled passages and sentences, as the local judge meets them.

Read from folders in BEIR layout (corpus.jsonl, queries.jsonl, qrels/test.tsv) that also have
answer spans (answers.jsonl: id, doc_id, answers with text and character offset). For each
question the best four passages are taken twice: from the whole corpus, and from the corpus
without what holds the answer. The second asks for an abstention.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from qdrant_edge import Bm25, Bm25Config
from scipy.sparse import csr_matrix

from selfrag.models.packaged import Encoder
from selfrag.models.sentences import split_sentences
from selfrag.models.words import LANGUAGES, guess_language, words

PASSAGES = 4
CANDIDATES = 100
DENSE_WEIGHT = 0.4
LONGEST_PASSAGE = 1200
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """One question and what was retrieved for it.

    Attributes:
        family: datasets that share texts or questions in some language share it.
        answers: for each passage the character ranges that hold the answer.
        removed: True where the passages with the answer were taken out of the corpus.
    """

    family: str
    dataset: str
    id: str
    question: str
    passages: tuple[str, ...]
    answers: tuple[tuple[Span, ...], ...]
    removed: bool

    @property
    def answerable(self) -> bool:
        return any(self.answers)


@dataclass(frozen=True, slots=True)
class _Piece:
    document: str
    start: int
    text: str


def read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def spans_of_answers(folder: Path) -> dict[str, tuple[str, list[Span]]]:
    """Question id -> document id and character ranges of its answers."""
    found = {}
    for row in read_lines(folder / "answers.jsonl"):
        spans = [
            (a["start"], a["start"] + len(a["text"].rstrip()))
            for a in row["answers"]
            if a.get("status") != "unplaced" and a["start"] >= 0
        ]
        if spans:
            found[row["id"]] = (row["doc_id"], spans)
    return found


def spans_by_overlap(folder: Path, answers_file: Path, language: str) -> dict[str, Any]:
    """As ``spans_of_answers`` for sets whose answers are written freely.

    The sentence that holds most of the answer's words is taken, where that is over half.
    """
    corpus = {row["_id"]: row["text"] for row in read_lines(folder / "corpus.jsonl")}
    found = {}
    for row in read_lines(answers_file):
        if row["answerable"] is not True:
            continue
        spans = []
        for answer in (row[f"answer_{language}"], row[f"answer_{language}_2"]):
            wanted = {w.key for w in words(answer or "", language)}
            scored = [
                (len(wanted & {w.key for w in words(s.text, language)}), s.start, s.end)
                for s in split_sentences(corpus[row["doc_id"]])
            ]
            best = max(scored, default=(0, 0, 0))
            if wanted and best[0] > 0.5 * len(wanted):
                spans.append((best[1], best[2]))
        if spans:
            found[row["id"]] = (row["doc_id"], spans)
    return found


def cases(
    folder: Path,
    spans: dict[str, tuple[str, list[Span]]],
    encoder: Encoder,
    family: str,
    every: int = 1,
) -> Iterator[Case]:
    """Both cases of every ``every``-th question of a folder."""
    corpus = read_lines(folder / "corpus.jsonl")
    pieces = [piece for row in corpus for piece in _pieces(row["_id"], row["text"])]
    queries = {row["_id"]: row["text"] for row in read_lines(folder / "queries.jsonl")}
    asked = [key for key in queries if key in spans][::every]
    language = guess_language(" ".join(piece.text for piece in pieces[:20]))
    scores = _scores(pieces, [queries[key] for key in asked], encoder, language)
    for key, dense, sparse in zip(asked, *scores, strict=True):
        document, ranges = spans[key]
        holds = np.array([_inside(piece, document, ranges) != () for piece in pieces])
        gone = holds | np.array([piece.document == document for piece in pieces])
        for removed in (False, True):
            top = _convex(dense, sparse, gone if removed else np.zeros_like(gone))
            chosen = [pieces[i] for i in top]
            yield Case(
                family,
                folder.name,
                key,
                queries[key],
                tuple(piece.text for piece in chosen),
                tuple(_inside(piece, document, ranges) for piece in chosen),
                removed,
            )


def _pieces(document: str, text: str) -> list[_Piece]:
    """A text in pieces of whole sentences, each under 1,200 characters where they allow it."""
    if len(text) <= 2 * LONGEST_PASSAGE:
        return [_Piece(document, 0, text)]
    pieces, start, end = [], 0, 0
    for sentence in split_sentences(text):
        if sentence.end - start > LONGEST_PASSAGE and end > start:
            pieces.append(_Piece(document, start, text[start:end]))
            start = sentence.start
        end = sentence.end
    return [*pieces, _Piece(document, start, text[start:])]


def _inside(piece: _Piece, document: str, ranges: list[Span]) -> tuple[Span, ...]:
    if piece.document != document:
        return ()
    return tuple(
        (max(0, a - piece.start), min(len(piece.text), b - piece.start))
        for a, b in ranges
        if min(b, piece.start + len(piece.text)) - max(a, piece.start) > 0.5 * (b - a)
    )


def _scores(
    pieces: list[_Piece], questions: list[str], encoder: Encoder, language: str
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    dense = encoder.vectors(questions) @ encoder.vectors([p.text for p in pieces]).T
    return dense, bm25([p.text for p in pieces], questions, language)


def bm25(texts: list[str], questions: list[str], language: str) -> NDArray[np.float64]:
    """BM25 scores as the index gives them, shape ``(questions, texts)``."""
    lengths = [len(words(text, language)) for text in texts]
    model = Bm25(Bm25Config(language=LANGUAGES[language], avg_len=float(np.mean(lengths))))
    documents = [model.embed_document(text) for text in texts]
    asked = [model.embed_query(question) for question in questions]
    columns = {
        token: n
        for n, token in enumerate(sorted({t for v in (*documents, *asked) for t in v.indices}))
    }

    def matrix(vectors: list[Any]) -> csr_matrix:
        rows = np.repeat(np.arange(len(vectors)), [len(v.indices) for v in vectors])
        place = [columns[t] for v in vectors for t in v.indices]
        values = [x for v in vectors for x in v.values]
        return csr_matrix((values, (rows, place)), shape=(len(vectors), len(columns)))

    stored, query = matrix(documents), matrix(asked)
    frequency = np.asarray((stored > 0).sum(axis=0)).ravel()
    idf = np.log((len(texts) - frequency + 0.5) / (frequency + 0.5) + 1)
    return np.asarray((query.multiply(idf) @ stored.T).todense())


def _convex(dense: NDArray[Any], sparse: NDArray[Any], gone: NDArray[np.bool_]) -> list[int]:
    total = np.zeros(len(dense))
    for scores, weight in ((dense, DENSE_WEIGHT), (sparse, 1 - DENSE_WEIGHT)):
        masked = np.where(gone, -np.inf, scores)
        top = np.argsort(-masked, kind="stable")[:CANDIDATES]
        top = top[np.isfinite(masked[top])]
        low, high = masked[top].min(), masked[top].max()
        total[top] += weight * (masked[top] - low) / max(high - low, 1e-9)
    total[gone] = -np.inf
    return np.argsort(-total, kind="stable")[:PASSAGES].tolist()
