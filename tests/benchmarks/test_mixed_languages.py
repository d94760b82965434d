"""Keyword search in a library of several languages, against the same documents alone.

What others are in the library must not matter to a question: its own language's passages answer
it. The sets in two languages are translations of each other, the hardest neighbours: names and
numbers are the same in both.
"""

import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from selfrag.evaluation.beir import BeirSet, read_beir
from selfrag.evaluation.metrics import means, per_query
from selfrag.index.bm25 import Bm25Embeddings, average_words
from selfrag.index.edge import EdgeClient
from selfrag.index.store import Index
from selfrag.pages import Chunk, Span

pytestmark = [pytest.mark.benchmark, pytest.mark.realdata]

LANGUAGE = {"scifact": "en", "xquad-en": "en", "xquad-es": "es", "pira-en": "en", "pira-pt": "pt"}
LANGUAGE["faquad-pt"] = "pt"
MIXES = [
    ("scifact", "xquad-es"),
    ("pira-en", "pira-pt"),
    ("pira-en", "faquad-pt", "xquad-es"),
    ("xquad-en", "xquad-es", "faquad-pt"),
]


def rankings(folder: Path, sets: Sequence[BeirSet]) -> dict[str, dict[str, list[str]]]:
    """Set -> query id -> the ten best of all sets' documents, as ``set/id``."""
    sparse = Bm25Embeddings(avg_len=average_words(600))
    client = EdgeClient(folder)
    try:
        index = Index.open(
            client,
            embeddings=None,  # type: ignore[arg-type]
            sparse=sparse,
            fingerprint={"embedding_model": "none", "dimension": 2},
        )
        names: dict[str, str] = {}
        for data in sets:
            chunks = []
            for position, (document, text) in enumerate(data.documents.items()):
                key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{data.name}/{document}"))
                names[key] = f"{data.name}/{document}"
                whole = (Span(1, 0, len(text)),)
                chunks.append(Chunk(key, text, 0, len(text), whole, position, parent_id=key))
            vectors = [[1.0, 0.0]] * len(chunks)
            index.add(data.name, data.name, [], chunks, vectors, LANGUAGE[data.name])
        spoken = list(index.languages())
        return {
            data.name: {
                query: [
                    names[str(point.id)]
                    for point in index.search(
                        None, sparse.embed_query_in(text, spoken), 10, payload=False
                    )["bm25"]
                ]
                for query, text in data.queries.items()
            }
            for data in sets
        }
    finally:
        client.close()


def ndcg(data: BeirSet, ranked: dict[str, list[str]]) -> float:
    qrels = {
        query: {f"{data.name}/{document}": grade for document, grade in judged.items()}
        for query, judged in data.qrels.items()
    }
    value = means(per_query(qrels, ranked, ["nDCG@10"]))["nDCG@10"]
    assert value is not None
    return value


@pytest.mark.parametrize("mix", MIXES, ids="+".join)
def test_documents_in_other_languages_hardly_change_what_is_found(
    shared_data: Path, tmp_path: Path, said: Callable[[str], None], mix: tuple[str, ...]
) -> None:
    sets = [read_beir(shared_data / "beir" / name) for name in mix]
    together = rankings(tmp_path / "together", sets)
    for data in sets:
        alone = ndcg(data, rankings(tmp_path / data.name, [data])[data.name])
        mixed = ndcg(data, together[data.name])
        firsts = [ranked[0].split("/")[0] for ranked in together[data.name].values() if ranked]
        foreign = sum(LANGUAGE[first] != LANGUAGE[data.name] for first in firsts) / len(firsts)
        said(
            f"{data.name} of {'+'.join(mix)}: nDCG@10 {alone:.3f} alone, {mixed:.3f} mixed; "
            f"another language first for {foreign:.1%}"
        )
        assert mixed >= alone - 0.015
        assert foreign <= 0.04
