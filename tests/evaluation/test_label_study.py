"""Measuring modes on a library's labels: what is timed is the search, the same for every mode."""

from collections.abc import Callable
from pathlib import Path

import pytest

from selfrag.records.labels import Relevance
from selfrag.retrieval.result import Mode
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

QUESTIONS = ("When does the pool open?", "Where are towels kept?", "Who teaches the children?")
TEXT = (
    "The pool opens at seven. Towels are kept beside the sauna. The children are taught by Ms Orr."
)


@pytest.fixture
def labelled(open_rag: Callable[..., SelfRag], tmp_path: Path) -> SelfRag:
    rag = open_rag(reranker_model="none")
    (result,) = rag.ingest([make_pdf(tmp_path / "pool.pdf", [TEXT])])
    assert result.error is None, result
    for question in QUESTIONS:
        rag.labels.put(question, rag.retrieve(question).hits[0], Relevance.RELEVANT)
    return rag


def test_vectors_of_questions_are_timed_apart_from_every_mode(
    labelled: SelfRag, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = labelled.funnel._retrievers._embeddings
    made: list[str] = []
    embed = model._embed_query
    monkeypatch.setattr(model, "_queries", type(model._queries)())  # nobody asked them before

    def noted(query: str) -> list[float]:
        made.append(query)
        return embed(query)

    monkeypatch.setattr(model, "_embed_query", noted)
    seen: list[int] = []
    search = labelled.funnel.search

    def searched(*given, **more):  # type: ignore[no-untyped-def]
        before = len(made)
        found = search(*given, **more)
        seen.append(len(made) - before)
        return found

    monkeypatch.setattr(labelled.funnel, "search", searched)
    study = labelled.measuring.study([Variant(Mode.DENSE), Variant(Mode.BM25)])
    assert seen == [0] * 6, "no search made a vector, the first mode's no more than the second's"
    assert set(made) == set(QUESTIONS)
    assert study.embedding is not None and study.embedding > 0
    assert labelled.measuring.study([Variant(Mode.BM25)]).embedding is None
