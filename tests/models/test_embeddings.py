"""Which embedding model a setting names, and what happens where it cannot be had."""

import threading
from pathlib import Path
from typing import Any

import pytest

from selfrag.errors import ModelError, UserError
from selfrag.models.embeddings import EndpointEmbeddings, make_embeddings
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.support.llm_server import LlmServer


def settings(**values: Any) -> Settings:
    return Settings(_env_file=None, **{**plain_settings(), **values})


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_default_is_the_packaged_model(tmp_path: Path, name: str):
    model = make_embeddings(settings(embedding_model=name), tmp_path)
    assert isinstance(model, PackagedEmbeddings)
    assert (model.name, model.dimension) == ("all-MiniLM-L6-v2", 384)


def test_unknown_name_without_an_endpoint_is_refused_with_what_is_possible(tmp_path: Path):
    with pytest.raises(UserError, match=r"no-such-model.*all-MiniLM-L6-v2"):
        make_embeddings(settings(embedding_model="no-such-model"), tmp_path)


def test_fastembed_model_that_cannot_be_fetched_names_the_one_that_needs_no_network(
    tmp_path: Path, monkeypatch
):
    def offline(*_, **__):
        raise ValueError("Could not load model from any source.")

    monkeypatch.setattr("fastembed.TextEmbedding.__init__", offline)
    with pytest.raises(UserError, match=r"bge-small-en-v1.5.*EMBEDDING_MODEL=all-MiniLM-L6-v2"):
        make_embeddings(settings(embedding_model="baai/BGE-small-en-v1.5"), tmp_path)


def test_endpoint_gives_vectors_in_order_and_its_dimension(tmp_path: Path, llm_server: LlmServer):
    model = make_embeddings(
        settings(embedding_model="some-embedder", llm_base_url=llm_server.url), tmp_path
    )
    assert isinstance(model, EndpointEmbeddings)
    told: list[tuple[int, int]] = []
    texts = [f"text {number}" for number in range(70)]
    vectors = model.embed_documents(texts, progress=lambda done, total: told.append((done, total)))
    assert len(vectors) == 70
    assert {len(vector) for vector in vectors} == {model.dimension}
    assert vectors[69] == pytest.approx(model.embed_query("text 69"))
    assert told == [(64, 70), (70, 70)]


def test_endpoint_is_asked_once_for_a_query_and_again_after_a_fault(llm_server: LlmServer):
    model = EndpointEmbeddings("text-embedding-3-small", llm_server.url, "wrong", 10)
    llm_server.key = "right"
    with pytest.raises(ModelError):
        model.embed_query("anything")
    llm_server.key = None
    first = model.embed_query("anything")
    first.append(7.0)
    llm_server.key = "right"
    assert model.embed_query("anything") == first[:-1]


def test_endpoint_can_be_stopped_between_batches(llm_server: LlmServer):
    model = EndpointEmbeddings("some-embedder", llm_server.url, None, 10)
    cancel = threading.Event()
    got = model.embed_documents(["x"] * 200, progress=lambda *_: cancel.set(), cancel=cancel)
    assert len(got) == 64


def test_endpoint_that_refuses_the_key_is_told_in_a_sentence(llm_server: LlmServer):
    llm_server.key = "right"
    model = EndpointEmbeddings("text-embedding-3-small", llm_server.url, "wrong", 10)
    assert model.dimension == 1536
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as error:
        model.embed_query("anything")
    assert "wrong" not in str(error.value)


def test_nobody_at_the_endpoint_stops_the_start_with_a_sentence(tmp_path: Path):
    with pytest.raises(UserError, match="no endpoint answered"):
        make_embeddings(
            settings(
                embedding_model="some-embedder", llm_base_url="http://127.0.0.1:9/v1", llm_timeout=2
            ),
            tmp_path,
        )
