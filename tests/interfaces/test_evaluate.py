"""``python -m selfrag evaluate``, run as a person runs it."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from selfrag.interfaces.cli import app
from tests.evaluation.test_retrieval_sets import DOCUMENTS, QUERIES, write
from tests.support.shell import Shell

QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t1\n"


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("evaluate")
    made = folder / "dam"
    (made / "qrels").mkdir(parents=True)
    write(made / "corpus.jsonl", [{"_id": k, "title": "", "text": t} for k, t in DOCUMENTS.items()])
    write(made / "queries.jsonl", [{"_id": k, "text": t} for k, t in QUERIES.items()])
    (made / "qrels" / "test.tsv").write_text(QRELS)
    return Shell(folder)


def test_folder_is_measured_once_and_told_as_sentence_and_table(shell: Shell) -> None:
    words = ("evaluate", "retrieval", "dam", "--mode", "bm25", "--mode", "hybrid:fusion=rrf")
    done = shell.run(*words, "--csv", "dam.csv", "--html", "dam.html")
    assert done.returncode == 0, done.stderr
    assert "searching, bm25: 0 of 4\n" in done.stderr, "no terminal: lines instead of a bar"
    assert "bm25 and hybrid, RRF" in done.stdout or "hybrid, RRF and bm25" in done.stdout
    assert "Tests on nDCG@10" in done.stdout and "1 question without qrels" in done.stdout
    assert (shell.folder / "dam.csv").read_text().count("\n") == 5
    assert "<table>" in (shell.folder / "dam.html").read_text()
    again = shell.run(*words)
    assert "All of it was there from an earlier run" in again.stdout


def test_json_holds_every_value_and_what_it_was_made_of(shell: Shell) -> None:
    found = shell.json("evaluate", "retrieval", "dam", "--mode", "bm25", "--measure", "P@1")
    assert found["measure"] == "P@1"
    assert found["figures"]["bm25"]["values"]["P@1"] == {"q1": 1.0, "q2": 1.0}
    assert found["made_of"]["dense_weight"] == "0.4"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("retrieval", "nowhere"), "is not there"),
        (("retrieval", "dam", "--split", "dev"), "is not there"),
        (
            ("retrieval", "dam", "--mode", "bm25", "--csv", "no/such/folder.csv"),
            "cannot be written",
        ),
    ],
)
def test_what_cannot_be_measured_is_told_in_a_sentence(
    shell: Shell, words: tuple[str, ...], said: str
) -> None:
    done = shell.run("evaluate", *words)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Name a folder"),
        (("dam", "--labels"), "Name a folder"),
        (("dam", "--mode", "best"), "There is no mode 'best'"),
        (("--labels", "--mode", "best"), "There is no mode 'best'"),
        (("nowhere", "--mode", "hybrid:fusion=xx"), "There is no fusion 'xx'"),
        (("dam", "--mode", "bm25", "--mode", "bm25"), "named twice"),
        (("dam", "--measure", "beauty"), "There is no measure 'beauty'"),
    ],
)
def test_wrong_usage_is_exit_code_2(shell: Shell, words: tuple[str, ...], said: str) -> None:
    done = shell.run("evaluate", "retrieval", *words)
    assert done.returncode == 2
    assert "Usage: " in done.stderr
    assert said in " ".join(done.stderr.split())


def test_labels_of_an_empty_library_say_what_to_do(shell: Shell) -> None:
    done = shell.run("evaluate", "retrieval", "--labels", "--mode", "bm25", "--mode", "dense")
    assert done.returncode == 0, done.stderr
    assert "label at least two questions" in " ".join(done.stdout.split())


def test_interrupted_evaluation_says_that_it_goes_on(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("selfrag.evaluation.retrieval_study.measure", interrupted)
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path))
    done = CliRunner().invoke(app, ["evaluate", "retrieval", str(shell.folder / "dam")])
    assert done.exit_code == 130
    assert "run the same again to go on" in done.stderr
