"""FlashRank's own loading and scoring, over a folder with a tiny cross-encoder made here."""

import shutil
import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from selfrag.errors import ModelError, UserError
from selfrag.models.packaged import lay_out_minilm
from selfrag.models.rerankers import (
    FILES,
    FlashRankReranker,
    NoReranker,
    RerankerState,
    make_reranker,
)

NAME = "ms-marco-TinyBERT-L-2-v2"
MODEL_FILE = "flashrank-TinyBERT-L-2-v2.onnx"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out_minilm(tmp_path_factory.mktemp("minilm"))


@pytest.fixture
def cache(tmp_path: Path, tokenizer: Path) -> Path:
    """A cache folder whose model gives a passage the more, the more tokens it has."""
    folder = tmp_path / NAME
    folder.mkdir()
    for name in FILES:
        shutil.copy(tokenizer / name, folder / name)
    names = ("input_ids", "attention_mask", "token_type_ids")
    graph = helper.make_graph(
        [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
            helper.make_node("ReduceSum", ["types", "axis"], ["count"], keepdims=1),
            helper.make_node("Div", ["count", "scale"], ["logits"]),
        ],
        "tiny",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        [
            helper.make_tensor("axis", TensorProto.INT64, [1], [1]),
            helper.make_tensor("scale", TensorProto.FLOAT, [1], [20.0]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(folder / MODEL_FILE))
    return tmp_path


def test_model_whose_files_are_there_scores_every_passage_in_its_place(cache: Path):
    reranker = FlashRankReranker(NAME, cache)
    assert reranker.state is RerankerState.READY
    texts = ["short", "a passage that is a good deal longer than the first", "two words"]
    scores = reranker.scores("query", texts)
    assert np.argsort(scores).tolist() == [0, 2, 1]
    assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)


def test_scores_do_not_depend_on_how_many_are_scored_at_once(cache: Path):
    reranker = FlashRankReranker(NAME, cache)
    texts = [f"passage {'word ' * (number % 7)}" for number in range(70)]
    together = reranker.scores("query", texts)
    assert together == pytest.approx([reranker.scores("query", [text])[0] for text in texts])


def test_missing_files_are_told_with_the_cure_and_delay_nobody(tmp_path: Path, monkeypatch):
    asked = threading.Event()
    monkeypatch.setattr(FlashRankReranker, "_fetch", lambda self: asked.set())
    reranker = FlashRankReranker(NAME, tmp_path)
    assert reranker.state is RerankerState.ABSENT
    with pytest.raises(ModelError, match="being fetched"):
        reranker.scores("query", ["text"])
    assert asked.wait(10)
    assert reranker.state is RerankerState.FETCHING


def test_download_that_is_not_possible_says_where_to_put_the_files(tmp_path: Path, monkeypatch):
    def offline(*_, **__):
        raise OSError("no route to host")

    monkeypatch.setattr("requests.head", offline)
    reranker = FlashRankReranker(NAME, tmp_path)
    reranker._fetch()
    assert reranker.state is RerankerState.UNAVAILABLE
    assert f"{NAME}.zip" in (reranker.reason or "")
    assert str(tmp_path) in (reranker.reason or "")
    assert list(tmp_path.iterdir()) == []


def test_half_a_folder_does_not_count_as_the_model(cache: Path):
    (cache / NAME / "tokenizer.json").unlink()
    assert FlashRankReranker(NAME, cache).state is RerankerState.ABSENT


def test_damaged_files_are_told_and_not_raised_as_a_bug(cache: Path):
    (cache / NAME / MODEL_FILE).write_bytes(b"not a model")
    reranker = FlashRankReranker(NAME, cache)
    with pytest.raises(ModelError, match="delete"):
        reranker.scores("query", ["text"])
    assert reranker.state is RerankerState.UNAVAILABLE


def test_none_switches_it_off(tmp_path: Path):
    reranker = make_reranker("none", tmp_path)
    assert isinstance(reranker, NoReranker)
    with pytest.raises(ModelError, match="RERANKER_MODEL=none"):
        reranker.scores("query", ["text"])


def test_unknown_name_is_refused_with_the_known_ones(tmp_path: Path):
    with pytest.raises(UserError, match=r"best-ranker.*ms-marco-MiniLM-L-12-v2"):
        make_reranker("best-ranker", tmp_path)
