"""What is written before queries and passages, and which languages a model knows."""

import numpy as np
import pytest
from fastembed import TextEmbedding

from selfrag.models.local_embeddings import LocalEmbeddings
from selfrag.models.prefixes import Prefixes, languages_of, prefixes_of


class Recorder:
    """A model that remembers what it was given; its vectors are not of unit length."""

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.batches: list[list[str]] = []

    def query_embed(self, query: list[str]):
        self.queries += query
        return [np.array([3.0, 4.0])] * len(query)

    def passage_embed(self, texts: list[str]):
        self.batches.append(texts)
        return [np.array([3.0, 4.0])] * len(texts)


def test_query_and_passages_are_given_with_their_prefixes_and_normalised():
    model = Recorder()
    embeddings = LocalEmbeddings(model, "m", 2, prefixes=Prefixes("query: ", "passage: "))
    assert embeddings.embed_query("tide") == pytest.approx([0.6, 0.8])
    assert embeddings.embed_documents(["sea"])[0] == pytest.approx([0.6, 0.8])
    assert model.queries == ["query: tide"]
    assert model.batches == [["passage: sea"]]


def test_few_texts_are_shared_out_to_all_workers():
    def sizes(texts: int) -> list[int]:
        model = Recorder()
        made = LocalEmbeddings(model, "m", 2, batch_size=8, workers=2)
        made.vectors([f"text {number}" for number in range(texts)])
        return sorted(len(batch) for batch in model.batches)

    assert sizes(4) == [1, 1, 1, 1]
    assert sizes(8) == [2, 2, 2, 2]
    assert sizes(64) == [8] * 8


def test_long_texts_go_in_smaller_batches():
    model = Recorder()
    texts = ["x" * 8_000] * 2 + ["x" * 4_000] * 4 + ["x" * 600] * 16
    LocalEmbeddings(model, "m", 2).embed_documents(texts)
    assert [len(batch) for batch in model.batches] == [1, 1, 2, 2, 8, 8]


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant", ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("snowflake/snowflake-arctic-embed-m-long", "Represent this sentence", ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
    ],
)
def test_known_models_have_the_prefixes_of_their_cards(name: str, query: str, passage: str):
    found = prefixes_of(name)
    assert found.query.startswith(query)
    assert bool(found.query) == bool(query)
    assert found.passage == passage


def test_every_model_that_fastembed_says_needs_prefixes_has_them():
    needy = [
        known["model"]
        for known in TextEmbedding.list_supported_models()
        if "Prefixes for queries/documents: necessary" in known["description"]
        or "Prefixes for queries/documents: `" in known["description"]
    ]
    assert needy
    assert [name for name in needy if prefixes_of(name) == Prefixes()] == []


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("BAAI/bge-small-en-v1.5", {"en"}),
        ("jinaai/jina-embeddings-v2-base-de", {"de", "en"}),
        ("BAAI/bge-small-zh-v1.5", {"zh"}),
        ("intfloat/multilingual-e5-large", None),
        ("jinaai/jina-embeddings-v3", None),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
    ],
)
def test_languages_are_read_from_the_description(name: str, languages: set[str] | None):
    known = {each["model"]: each["description"] for each in TextEmbedding.list_supported_models()}
    assert languages_of(known[name]) == languages
