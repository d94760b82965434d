"""FlashRank's and FastEmbed's own loading and scoring, over a tiny cross-encoder made here, and
the fetching of its files from a hub on loopback."""

import io
import shutil
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from selfrag.errors import ModelError, UserError
from selfrag.models.cross_encoders import (
    FILES,
    FastembedReranker,
    FetchedReranker,
    FlashRankReranker,
)
from selfrag.models.packaged import lay_out_minilm
from selfrag.models.rerankers import NoReranker, RerankerState, make_reranker

FLASHRANK = "ms-marco-TinyBERT-L-2-v2"
FASTEMBED = "Xenova/ms-marco-MiniLM-L-6-v2"
WEIGHTS = {FLASHRANK: "flashrank-TinyBERT-L-2-v2.onnx", FASTEMBED: "onnx/model.onnx"}
BOTH = pytest.mark.parametrize("name", [FLASHRANK, FASTEMBED])


def tiny_cross_encoder() -> onnx.ModelProto:
    """Gives a passage the more, the more tokens it has."""
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
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A cross-encoder's files, its weights as ``model.onnx``."""
    tokenizer = lay_out_minilm(tmp_path_factory.mktemp("minilm"))
    return {
        **{name: (tokenizer / name).read_bytes() for name in FILES},
        "model.onnx": tiny_cross_encoder().SerializeToString(),
    }


def folder_of(name: str, cache: Path) -> Path:
    return cache / name.replace("/", "--")


@pytest.fixture
def cache(tmp_path: Path, files: dict[str, bytes]) -> Path:
    """A cache folder that holds one model of each kind."""
    for name, weights in WEIGHTS.items():
        folder = folder_of(name, tmp_path)
        for file, content in files.items():
            path = folder / (weights if file == "model.onnx" else file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    return tmp_path


class Hub:
    """A hub on loopback; ``served`` is path -> content, others are not found."""

    def __init__(self) -> None:
        self.served: dict[str, bytes] = {}
        self.lie_about_length = False
        self.go_on = threading.Event()
        self.go_on.set()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                content = hub.served.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                length = len(content) + (7 if hub.lie_about_length else 0)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                half = len(content) // 2
                self.wfile.write(content[:half])
                self.wfile.flush()
                hub.go_on.wait(30)
                self.wfile.write(content[half:])

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def hub(monkeypatch, files: dict[str, bytes]) -> Iterator[Hub]:
    """Serves both models where they lie on the real one."""
    made = Hub()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{made.server.server_port}")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        for file, content in files.items():
            inside = WEIGHTS[FLASHRANK] if file == "model.onnx" else file
            opened.writestr(f"{FLASHRANK}/{inside}", content)
        opened.writestr("../escaped.txt", "must not be unpacked")
    made.served[f"/prithivida/flashrank/resolve/main/{FLASHRANK}.zip"] = archive.getvalue()
    for file, content in files.items():
        path = WEIGHTS[FASTEMBED] if file == "model.onnx" else file
        made.served[f"/{FASTEMBED}/resolve/main/{path}"] = content
    yield made
    made.go_on.set()
    made.server.shutdown()
    made.server.server_close()


def wait_for(reranker: FetchedReranker, *states: RerankerState) -> None:
    until = time.monotonic() + 30
    while reranker.state not in states:
        assert time.monotonic() < until, reranker.state
        time.sleep(0.01)


@BOTH
def test_model_whose_files_are_there_scores_every_passage_in_its_place(cache: Path, name: str):
    reranker = make_reranker(name, cache)
    assert reranker.state is RerankerState.READY
    texts = ["short", "a passage that is a good deal longer than the first", "two words"]
    scores = reranker.scores("query", texts)
    assert np.argsort(scores).tolist() == [0, 2, 1]
    assert all(isinstance(score, float) and 0 <= score <= 1 for score in scores)
    assert texts[0] == "short"


@BOTH
def test_scores_do_not_depend_on_how_many_are_scored_at_once(cache: Path, name: str):
    reranker = make_reranker(name, cache)
    texts = [f"passage {'word ' * (number % 7)}" for number in range(70)]
    together = reranker.scores("query", texts)
    assert together == pytest.approx([reranker.scores("query", [text])[0] for text in texts])
    assert reranker.scores("query", []) == []


def test_both_kinds_give_the_same_scores_for_the_same_model(cache: Path):
    texts = ["one", "one two three", "one two three four five six seven"]
    ours, theirs = (make_reranker(name, cache).scores("q", texts) for name in WEIGHTS)
    assert ours == pytest.approx(theirs, abs=1e-6)


@BOTH
def test_first_use_fetches_the_files_and_says_how_far_it_is(tmp_path: Path, hub: Hub, name: str):
    hub.go_on.clear()
    reranker = make_reranker(name, tmp_path)
    assert isinstance(reranker, FetchedReranker)
    assert reranker.state is RerankerState.ABSENT
    with pytest.raises(ModelError, match="being fetched"):
        reranker.scores("query", ["text"])
    until = time.monotonic() + 30
    while " MB)" not in (reranker.reason or ""):
        assert time.monotonic() < until, reranker.reason
        time.sleep(0.01)
    assert reranker.state is RerankerState.FETCHING
    assert not folder_of(name, tmp_path).exists()
    hub.go_on.set()
    wait_for(reranker, RerankerState.READY, RerankerState.UNAVAILABLE)
    assert reranker.reason is None
    assert len(reranker.scores("query", ["text", "more text"])) == 2
    assert [path.name for path in tmp_path.iterdir()] == [folder_of(name, tmp_path).name]
    assert not list(tmp_path.parent.rglob("escaped.txt"))


@BOTH
def test_files_that_cannot_be_had_say_where_to_put_them(tmp_path: Path, hub: Hub, name: str):
    hub.served.clear()
    reranker = make_reranker(name, tmp_path)
    with pytest.raises(ModelError):
        reranker.scores("query", ["text"])
    wait_for(reranker, RerankerState.UNAVAILABLE)
    assert "404" in (reranker.reason or "")
    assert str(folder_of(name, tmp_path)) in (reranker.reason or "")
    assert list(tmp_path.iterdir()) == []


def test_no_network_says_where_to_put_the_files(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    reranker = FlashRankReranker(FLASHRANK, tmp_path)
    reranker.fetch()
    wait_for(reranker, RerankerState.UNAVAILABLE)
    assert f"{FLASHRANK}.zip" in (reranker.reason or "")
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_fetch_that_breaks_off_leaves_nothing(tmp_path: Path, hub: Hub, name: str):
    hub.lie_about_length = True
    reranker = make_reranker(name, tmp_path)
    with pytest.raises(ModelError):
        reranker.scores("query", ["text"])
    wait_for(reranker, RerankerState.UNAVAILABLE)
    assert list(tmp_path.iterdir()) == []


def test_archive_without_the_model_is_told(tmp_path: Path, hub: Hub):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("readme.txt", "nothing here")
    for path in hub.served:
        hub.served[path] = archive.getvalue()
    reranker = FlashRankReranker(FLASHRANK, tmp_path)
    reranker.fetch()
    wait_for(reranker, RerankerState.UNAVAILABLE)
    assert "has no" in (reranker.reason or "")


def test_repository_without_the_files_that_fastembed_does_without_is_enough(
    tmp_path: Path, hub: Hub
):
    for file in FastembedReranker.OPTIONAL:
        del hub.served[f"/{FASTEMBED}/resolve/main/{file}"]
    reranker = FastembedReranker(FASTEMBED, tmp_path)
    reranker.fetch()
    wait_for(reranker, RerankerState.READY, RerankerState.UNAVAILABLE)
    assert len(reranker.scores("query", ["text"])) == 1


@BOTH
@pytest.mark.parametrize("damage", ["gone", "empty"])
def test_half_a_folder_does_not_count_as_the_model(cache: Path, name: str, damage: str):
    file = folder_of(name, cache) / "tokenizer.json"
    file.unlink()
    if damage == "empty":
        file.touch()
    assert make_reranker(name, cache).state is RerankerState.ABSENT


@BOTH
def test_damaged_files_are_told_and_not_raised_as_a_bug(cache: Path, name: str):
    (folder_of(name, cache) / WEIGHTS[name]).write_bytes(b"not a model")
    reranker = make_reranker(name, cache)
    with pytest.raises(ModelError, match="delete"):
        reranker.scores("query", ["text"])
    assert reranker.state is RerankerState.UNAVAILABLE


def test_files_put_in_place_by_hand_are_used_without_a_restart(tmp_path: Path, cache: Path, hub):
    hub.served.clear()
    elsewhere = tmp_path / "elsewhere"
    reranker = FlashRankReranker(FLASHRANK, elsewhere)
    reranker.fetch()
    wait_for(reranker, RerankerState.UNAVAILABLE)
    shutil.copytree(cache / FLASHRANK, elsewhere / FLASHRANK)
    assert len(reranker.scores("query", ["text"])) == 1
    assert reranker.state is RerankerState.READY


def test_none_switches_it_off(tmp_path: Path):
    reranker = make_reranker("None", tmp_path)
    assert isinstance(reranker, NoReranker)
    with pytest.raises(ModelError, match="RERANKER_MODEL is none"):
        reranker.scores("query", ["text"])


def test_unknown_name_is_refused_with_the_known_ones(tmp_path: Path):
    with pytest.raises(UserError, match=r"best-ranker.*ms-marco-MiniLM-L-12-v2.*Xenova/"):
        make_reranker("best-ranker", tmp_path)
