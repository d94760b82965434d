"""The index over the embedded client, with qdrant-client's own as the reference."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from qdrant_client import QdrantClient

from selfrag.errors import UserError
from selfrag.index.bm25 import Bm25Embeddings
from selfrag.index.edge import EdgeClient
from selfrag.index.handover import ComputedVectors
from selfrag.index.store import BM25, DENSE, DOCUMENTS, PARENTS, Client, Index
from selfrag.pages import Chunk, Span

SIZE = 16
FINGERPRINT: dict[str, str | int] = {
    "embedding_model": "hashed words",
    "dimension": SIZE,
    "child_size": 200,
}
ENGLISH = [
    "The glacier melts faster every summer.",
    "Farmers in the valley depend on its water.",
    "A new dam was proposed by the council.",
    "Critics say that the dam would flood two villages.",
]
PORTUGUESE = [
    "As cidades crescem sem planejamento.",
    "O transporte público atende poucas pessoas.",
]


class WordEmbeddings(Embeddings):
    """Deterministic vectors that are alike where texts share words."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        made = np.zeros(SIZE)
        for word in text.lower().strip(".").split():
            made += np.random.default_rng(uuid5(NAMESPACE_URL, word).int % 2**32).normal(size=SIZE)
        return (made / np.linalg.norm(made)).tolist()


def cut(document: str, texts: list[str]) -> tuple[list[Chunk], list[Chunk]]:
    """Children of one text each, and parents of two children each."""

    def chunk(kind: str, position: int, text: str, parent: str | None) -> Chunk:
        return Chunk(
            id=str(uuid5(NAMESPACE_URL, f"{document} {kind} {position}")),
            text=text,
            start=position * 100,
            end=position * 100 + len(text),
            spans=(Span(position + 1, 0, len(text)), Span(position + 2, 0, 3)),
            position=position,
            parent_id=parent,
            heading="Water" if position else None,
        )

    parents = [
        chunk("parent", n, " ".join(texts[2 * n : 2 * n + 2]), None) for n in range(len(texts) // 2)
    ]
    return parents, [chunk("child", n, t, parents[n // 2].id) for n, t in enumerate(texts)]


def fill(index: Index) -> None:
    for document, texts, language in (("en", ENGLISH, "en"), ("pt", PORTUGUESE, "pt")):
        parents, children = cut(document, texts)
        vectors = WordEmbeddings().embed_documents(texts)
        index.add(document, f"{document}.pdf", parents, children, vectors, language)


def open_index(client: Client, **changes: str | int) -> Index:
    with warnings.catch_warnings():  # the in-memory client says that it needs no index
        warnings.simplefilter("ignore", UserWarning)
        return Index.open(
            client,
            embeddings=WordEmbeddings(),
            sparse=Bm25Embeddings(),
            fingerprint=FINGERPRINT | changes,
        )


@pytest.fixture(params=["edge", "memory"])
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    opened = EdgeClient(tmp_path) if request.param == "edge" else QdrantClient(":memory:")
    yield opened
    opened.close()


@pytest.fixture(scope="module", params=["edge", "memory"])
def filled(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Index]:
    """An index for tests that only read it."""
    folder = tmp_path_factory.mktemp("filled")
    opened = EdgeClient(folder) if request.param == "edge" else QdrantClient(":memory:")
    made = open_index(opened)
    fill(made)
    yield made
    opened.close()


@pytest.fixture
def index(client: Client) -> Index:
    made = open_index(client)
    fill(made)
    return made


def texts_of(points: list[Any]) -> list[str]:
    return [point.payload["page_content"] for point in points]


def test_second_add_of_the_same_document_changes_nothing(index: Index) -> None:
    before = (index.count(), index.children("en"), index.documents())
    fill(index)
    assert (index.count(), index.children("en"), index.documents()) == before
    assert before[0] == (6, 3)
    assert before[2] == {"en": 4, "pt": 2}
    assert index.languages() == {"en": 4, "pt": 2}


def test_children_come_in_reading_order_with_everything_a_citation_needs(filled: Index) -> None:
    parents, children = cut("en", ENGLISH)
    payloads = filled.children("en")
    assert [payload["page_content"] for payload in payloads] == ENGLISH
    assert payloads[1]["metadata"] == {
        "chunk_id": children[1].id,
        "document_id": "en",
        "document": "en.pdf",
        "page": 2,
        "pages": [2, 3],
        "spans": [[2, 0, len(ENGLISH[1])], [3, 0, 3]],
        "start": 100,
        "end": 100 + len(ENGLISH[1]),
        "position": 1,
        "parent_id": parents[0].id,
        "heading": "Water",
        "language": "en",
    }
    assert filled.children("unknown") == []


def test_parents_are_looked_up_by_id(filled: Index) -> None:
    parents, _ = cut("en", ENGLISH)
    missing = str(uuid5(NAMESPACE_URL, "missing"))
    found = filled.parents([parents[1].id, missing, parents[0].id])
    assert found.keys() == {parents[0].id, parents[1].id}
    assert found[parents[1].id]["page_content"] == parents[1].text
    assert found[parents[1].id]["metadata"]["document_id"] == "en"
    assert filled.parents([]) == {}


def test_search_ranks_both_lists_and_keeps_to_the_documents_asked_for(filled: Index) -> None:
    dense = WordEmbeddings().embed_query("critics of the dam")
    sparse = Bm25Embeddings().embed_query_in("dams that flood villages", ["en", "pt"])
    found = filled.search(dense, sparse, 3)
    assert found.keys() == {DENSE, BM25}
    assert texts_of(found[BM25])[0] == ENGLISH[3]
    assert len(found[DENSE]) == 3
    assert [p.score for p in found[DENSE]] == sorted((p.score for p in found[DENSE]), reverse=True)
    other = filled.search(dense, sparse, 3, documents=["pt"])
    assert other[BM25] == []
    assert set(texts_of(other[DENSE])) == set(PORTUGUESE)
    assert filled.search(dense, sparse, 3, documents=[]) == {DENSE: [], BM25: []}
    assert filled.search(None, sparse, 3).keys() == {BM25}
    assert filled.search(dense, None, 3).keys() == {DENSE}
    assert filled.search(None, None, 3) == {}


def test_query_of_stop_words_finds_nothing_by_keyword(filled: Index) -> None:
    found = filled.search(None, Bm25Embeddings().embed_query("of the and"), 3)
    assert found == {BM25: []}


def test_each_document_is_stemmed_in_its_own_language(filled: Index) -> None:
    query = Bm25Embeddings().embed_query_in("cidade pessoa", list(filled.languages()))
    assert set(texts_of(filled.search(None, query, 5)[BM25])) == set(PORTUGUESE)


def test_vectors_are_those_that_were_written_at_unit_length(filled: Index) -> None:
    _, children = cut("en", ENGLISH)
    vectors = filled.vectors([child.id for child in children])
    for child, written in zip(children, WordEmbeddings().embed_documents(ENGLISH), strict=True):
        assert vectors[child.id].dtype == np.float32
        assert vectors[child.id] == pytest.approx(written, abs=1e-6)


def test_sample_is_the_same_draw_every_time_and_of_the_documents_asked_for(filled: Index) -> None:
    documents = list(filled.documents())
    everything = filled.sample(100, documents)
    assert len(everything) == filled.count()[0]
    assert [chunk.id for chunk in everything] == sorted(chunk.id for chunk in everything)
    assert [chunk.id for chunk in filled.sample(3, documents)] == [c.id for c in everything[:3]]
    told: list[int] = []
    only = filled.sample(100, documents[:1], told.append)
    assert {chunk.document_id for chunk in only} == {documents[0]}
    assert told[-1] == len(only) == filled.count(documents[0])[0]
    vectors = filled.vectors([chunk.id for chunk in only])
    assert all(np.allclose(chunk.vector, vectors[chunk.id]) for chunk in only)
    payloads = filled.passages([chunk.id for chunk in only])
    assert [chunk.text for chunk in only] == [payloads[c.id]["page_content"] for c in only]
    assert [chunk.page for chunk in only] == [payloads[c.id]["metadata"]["page"] for c in only]


def test_deleted_document_is_gone_from_both_collections(index: Index) -> None:
    index.delete("en")
    index.delete("en")
    assert index.count("en") == (0, 0)
    assert index.count() == (2, 1)
    assert index.documents() == {"pt": 2}
    found = index.search(None, Bm25Embeddings().embed_query("dam"), 5)
    assert found[BM25] == []


def test_renamed_document_keeps_everything_else(index: Index) -> None:
    before = index.children("en")
    index.rename("en", "water.pdf")
    after = index.children("en")
    assert {payload["metadata"]["document"] for payload in after} == {"water.pdf"}
    for old, new in zip(before, after, strict=True):
        assert old["metadata"] | {"document": "water.pdf"} == new["metadata"]
        assert old["page_content"] == new["page_content"]
    parents, _ = cut("en", ENGLISH)
    assert index.parents([parents[0].id])[parents[0].id]["metadata"]["document"] == "water.pdf"
    assert index.children("pt")[0]["metadata"]["document"] == "pt.pdf"


def test_langchain_store_reads_what_was_written(filled: Index) -> None:
    store = filled.vector_store
    (document, *_), (_, score) = store.similarity_search_with_score("dam flood villages", k=2)
    assert document.page_content == ENGLISH[3]
    assert score > 0
    assert document.metadata["parent_id"] == cut("en", ENGLISH)[0][1].id
    retrieved = filled.vector_store.as_retriever(search_kwargs={"k": 1}).invoke("as cidades")
    assert [each.page_content for each in retrieved] == [PORTUGUESE[0]]
    by_id = store.get_by_ids([cut("en", ENGLISH)[1][2].id])
    assert [each.page_content for each in by_id] == [ENGLISH[2]]
    assert len(store.max_marginal_relevance_search("the dam", k=3)) == 3


def test_langchain_store_answers_a_query_of_stop_words(filled: Index) -> None:
    assert len(filled.vector_store.similarity_search("of the and", k=2)) == 2


def test_halves_of_surrogate_pairs_are_stored_at_the_same_length(client: Client) -> None:
    index = open_index(client)
    parents, children = cut("bad", ["half \ud83d pair", "nul \0 here"])
    index.add("bad", "b\udc80.pdf", parents, children, [[1.0] * SIZE] * 2, None)
    assert [p["page_content"] for p in index.children("bad")] == ["half ? pair", "nul \0 here"]


def test_more_children_than_vectors_is_refused_before_anything_is_written(client: Client) -> None:
    index = open_index(client)
    parents, children = cut("en", ENGLISH)
    with pytest.raises(ValueError, match="4 children but 1 vectors"):
        index.add("en", "en.pdf", parents, children, [[1.0] * SIZE], "en")
    assert index.count() == (0, 0)
    with pytest.raises(ValueError):
        ComputedVectors([[1.0]]).embed_documents(["a", "b"])


def test_index_is_found_again_by_the_same_settings(client: Client, index: Index) -> None:
    assert open_index(client).count() == index.count()


def test_other_settings_are_refused_with_every_difference_named(
    client: Client, index: Index
) -> None:
    with pytest.raises(UserError) as caught:
        open_index(client, embedding_model="another", child_size=300, overlap=20)
    text = str(caught.value)
    assert "embedding model was hashed words and is now another" in text
    assert "child size was 200 and is now 300" in text
    assert "overlap was not set and is now 20" in text
    assert "dimension" not in text
    assert "average words" not in text
    assert "python -m selfrag ingest --reset" in text
    Index.erase(client)
    assert open_index(client, embedding_model="another").count() == (0, 0)


def test_collection_of_another_program_is_refused(client: Client) -> None:
    client.create_collection(DOCUMENTS, vectors_config={})
    with pytest.raises(UserError, match="not built by this program"):
        open_index(client)


def test_half_an_index_is_refused_once_it_holds_anything(client: Client, index: Index) -> None:
    client.delete_collection(PARENTS)
    with pytest.raises(UserError, match="incomplete"):
        open_index(client)


def test_half_an_index_that_is_empty_is_completed(client: Client) -> None:
    open_index(client)
    client.delete_collection(PARENTS)
    fill(open_index(client))
    assert open_index(client).count() == (6, 3)


@pytest.mark.parametrize("killed_before", range(4))
def test_process_that_was_killed_while_the_index_was_made_leaves_a_usable_one(
    edge: EdgeClient, monkeypatch: pytest.MonkeyPatch, killed_before: int
) -> None:
    class Killed(BaseException):
        pass

    made: list[str] = []
    create = EdgeClient.create_payload_index

    def until(self: EdgeClient, name: str, field: str, schema: object) -> object:
        if len(made) == killed_before:
            raise Killed
        made.append(field)
        return create(self, name, field, schema)

    with monkeypatch.context() as patched:
        patched.setattr(EdgeClient, "create_payload_index", until)
        with pytest.raises(Killed):
            open_index(edge)
    index = open_index(edge)
    fill(index)
    assert sum(index.documents().values()) == 6 and sum(index.languages().values()) == 6
    assert sum(index.parents_of_documents().values()) == 3
    for name in (DOCUMENTS, PARENTS):
        assert len(edge.get_collection(name).payload_schema) == 2


def test_empty_index_finds_nothing_and_is_no_fault(edge: EdgeClient) -> None:
    index = open_index(edge)
    sparse = Bm25Embeddings().embed_query_in("dam", ["en"])
    assert index.search(WordEmbeddings().embed_query("dam"), sparse, 10) == {
        "dense": [],
        "bm25": [],
    }
    assert (index.count(), index.documents(), index.passages([])) == ((0, 0), {}, {})


def test_collection_that_vanished_is_told_with_the_cure(edge: EdgeClient) -> None:
    index = open_index(edge)
    edge.delete_collection(DOCUMENTS)
    with pytest.raises(UserError, match=f"{DOCUMENTS} not found.*ingest --reset"):
        index.search(WordEmbeddings().embed_query("dam"), None, 10)


def test_server_that_does_not_answer_is_the_persons_to_change() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        server = QdrantClient(url="http://127.0.0.1:9", check_compatibility=False)
    with pytest.raises(UserError, match="QDRANT_URL"):
        open_index(server)
