"""``python -m selfrag evaluate answers``, run as a person runs it: also killed half way."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.answers.conftest import CSV
from tests.interfaces.conftest import LEAVE, ROYALTY
from tests.support.llm_answers import failure, hang
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf
from tests.support.shell import Shell

WORDS = ("evaluate", "answers", "questions.csv", "--rounds", "1")


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    folder = tmp_path_factory.mktemp("answers")
    made = Shell(folder)
    make_pdf(folder / "handbook.pdf", [LEAVE, ROYALTY])
    made.json("ingest", folder / "handbook.pdf")
    (folder / "questions.csv").write_text(CSV, encoding="utf-8")
    return made


def test_study_is_told_written_and_there_the_second_time(shell: Shell) -> None:
    done = shell.run(*WORDS, "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "Not measured: faithfulness" in done.stdout
    assert "Abstaining, crossed with" in done.stdout and "undefined" in done.stdout
    assert "12 answers, graded by local judge" in done.stderr
    (first,) = (shell.folder / "results").iterdir()
    rows = list(csv.DictReader((first / "round-1.csv").open(encoding="utf-8-sig")))
    assert len(rows) == 12
    again = shell.run(*WORDS, "--out", "results")
    assert "All of it was there from an earlier run" in again.stdout
    assert len(list((shell.folder / "results").iterdir())) == 2
    changed = shell.run(*WORDS, "--strategy", "plain", RETRIEVAL_K_RERANK="3")
    assert "retrieval k rerank: 4 before, 3 now" in " ".join(changed.stdout.split())


def test_json_holds_everything(shell: Shell) -> None:
    found = shell.json(*WORDS, "--strategy", "selfrag")
    assert found["figures"]["selfrag"]["means"]["verdict_correct"]["mean"] == 1.0
    assert found["abstention"]["selfrag"]["declined"] == 1
    assert found["made_of"]["questions"] == "4"
    assert json.loads((Path(found["folder"]) / "study.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.csv",), "There is no file"),
        (("handbook.pdf",), "handbook.pdf"),
        (("questions.csv", "--rounds", "1", "--out", "questions.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_measured_is_told_in_a_sentence(
    shell: Shell, words: tuple[str, ...], said: str
) -> None:
    done = shell.run("evaluate", "answers", *words)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("questions.csv", "--rounds", "0"), "choose 1 to 100"),
        (("questions.csv", "--budget-calls", "0"), "allows nothing"),
        (("nowhere.csv", "--strategy", "best"), "'best'"),
    ],
)
def test_wrong_usage_is_exit_code_2(shell: Shell, words: tuple[str, ...], said: str) -> None:
    done = shell.run("evaluate", "answers", *words)
    assert done.returncode == 2
    assert "Usage: " in done.stderr
    assert said in " ".join(done.stderr.split())


def test_study_in_which_nothing_could_be_answered_fails(
    shell: Shell, llm_server: LlmServer
) -> None:
    llm_server.reply(failure(500, "out of order"))
    done = shell.run(
        *WORDS, "--strategy", "plain", LLM_BASE_URL=llm_server.url, CHAT_MODEL="scripted"
    )
    assert done.returncode == 1
    assert "out of order" in " ".join(done.stdout.split())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_study_that_is_killed_goes_on_without_asking_again(
    tmp_path: Path, llm_server: LlmServer, number: signal.Signals
) -> None:
    shell = Shell(tmp_path)
    make_pdf(tmp_path / "handbook.pdf", [LEAVE, ROYALTY])
    shell.json("ingest", tmp_path / "handbook.pdf")
    (tmp_path / "questions.csv").write_text(CSV, encoding="utf-8")
    env = {"LLM_BASE_URL": llm_server.url, "CHAT_MODEL": "scripted"}
    words = (*WORDS, "--strategy", "plain")
    # The third question is not answered before the process is gone.
    slow = "painted the ceiling"
    llm_server.reply(hang(), when=lambda r: r.schema is None and slow in r.user, times=1)
    child = subprocess.Popen(
        [sys.executable, "-m", "selfrag", *words],
        cwd=tmp_path,
        env=shell.env | env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        reached = llm_server.wait_for(lambda: any(slow in r.user for r in llm_server.requests), 120)
        assert reached
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    finally:
        child.kill()
    if number == signal.SIGINT:
        assert child.returncode == 1 and "What was answered is kept" in " ".join(said.split())
    before = len(llm_server.asked(None))
    done = shell.run(*words, **env)
    assert done.returncode == 0, done.stderr
    again = llm_server.asked(None)[before:]
    assert len(again) == 2, "the question that was cut off, and the one behind it"
    assert not any(
        "royalty?" in r.user or "paid leave" in r.user.split("<question>")[-1] for r in again
    )
