"""A library whose index is on a Qdrant server, by the command line: kept there, moved, examined."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.conftest import LEAVE, ROYALTY
from tests.support.pdf_factory import make_pdf
from tests.support.qdrant_server import QdrantServer, qdrant_server
from tests.support.shell import Shell


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with qdrant_server() as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    make_pdf(tmp_path / "handbook.pdf", [LEAVE, ROYALTY])
    return Shell(tmp_path)


def hits(shell: Shell, **env: str) -> list[tuple[str, dict[str, object]]]:
    found = shell.json("retrieve", "patent royalty", "--mode", "hybrid", **env)["hits"]
    return [
        (
            hit["chunk_id"],
            {stage: (at["rank"], round(at["score"], 4)) for stage, at in hit["scores"].items()},
        )
        for hit in found
    ]


def test_library_moves_to_a_server_and_back_and_answers_the_same(
    shell: Shell, server: QdrantServer, tmp_path: Path
):
    shell.json("ingest", tmp_path / "handbook.pdf")
    before = hits(shell)
    moved = shell.json("move", "--to", server.url)
    children = server.memory.count("self_rag_documents").count
    assert str(children) in str(moved) and children > 0
    assert hits(shell, QDRANT_URL=server.url) == before
    checks = {each["name"]: each for each in shell.json("doctor", QDRANT_URL=server.url)["checks"]}
    assert checks["index"]["verdict"] == "ok"
    assert f"the Qdrant server {server.version} at {server.url}" in checks["index"]["sentence"]

    again = shell.run("move", "--to", server.url)
    assert again.returncode == 1
    assert "is not overwritten" in " ".join(again.stderr.split())

    home = shell.run("move", "--to", "embedded", QDRANT_URL=server.url)
    assert home.returncode == 1, "the one that was moved is still here, and is not overwritten"
    assert hits(shell) == before


def test_document_added_to_a_server_is_found_there_and_fetched_home(
    shell: Shell, server: QdrantServer, tmp_path: Path
):
    shell.json("ingest", tmp_path / "handbook.pdf", QDRANT_URL=server.url)
    there = hits(shell, QDRANT_URL=server.url)
    assert there
    shell.json("move", "--to", "embedded", QDRANT_URL=server.url)
    assert hits(shell) == there


def test_doctor_tells_a_server_of_another_age_from_one_that_is_down_or_locked(
    shell: Shell, server: QdrantServer, tmp_path: Path
):
    shell.json("ingest", tmp_path / "handbook.pdf", QDRANT_URL=server.url)

    def doctor(name: str, code: int, **env: str) -> str:
        done = shell.json("doctor", code=code, **{"QDRANT_URL": server.url, **env})
        checks = {each["name"]: each for each in done["checks"]}
        assert checks[name]["verdict"] == "problem"
        return checks[name]["sentence"]

    server.version = "1.2.0"
    assert "version 1.2.0" in doctor("index", 1)
    server.key = "the-right-key"
    assert "QDRANT_API_KEY" in doctor("library", 1)
    assert "QDRANT_API_KEY" in doctor("library", 1, QDRANT_API_KEY="another")
    server.close()
    assert "does not answer" in doctor("library", 1)


def test_server_that_is_down_leaves_everything_as_it_was(shell: Shell, tmp_path: Path):
    shell.json("ingest", tmp_path / "handbook.pdf")
    before = hits(shell)
    nobody = "http://127.0.0.1:9"
    for words in (("move", "--to", nobody), ("retrieve", "patent")):
        env = {} if words[0] == "move" else {"QDRANT_URL": nobody}
        done = shell.run(*words, **env)
        assert done.returncode == 1
        assert "does not answer" in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr
    assert hits(shell) == before
