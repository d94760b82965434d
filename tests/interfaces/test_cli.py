"""The command line, run as a person runs it: exit codes, JSON, sentences."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from selfrag.interfaces import show
from selfrag.interfaces.schemas import DocumentItem
from selfrag.settings import Settings
from selfrag.wording import size
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import Scan, make_pdf
from tests.support.shell import ROOT, Shell

LEAVE = "Employees may take twenty five days of paid leave in every calendar year."
ROYALTY = "The patent royalty amounts to five percent of the net sales of each quarter."


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A library with one document, shared by the tests of this module."""
    folder = tmp_path_factory.mktemp("shell")
    made = Shell(folder)
    make_pdf(folder / "handbook.pdf", [LEAVE, ROYALTY])
    assert made.start("ingest", folder / "handbook.pdf").returncode == 0
    return made


def test_command_in_a_warm_process_does_as_one_that_is_started(shell: Shell):
    for words, code in ((("retrieve", "leave", "--mode", "bm25"), 0), (("read", "0"), 1)):
        started, warm = shell.start(*words), shell.run(*words)
        assert started.returncode == warm.returncode == code
        assert _without_times(started.stdout) == _without_times(warm.stdout)
        assert started.stderr == warm.stderr


def _without_times(text: str) -> str:
    return re.sub(r"[\d.]+ m?s\b", "", text)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("command", [["documents", "--json"], ["documents"], ["settings"]])
def test_output_that_cannot_be_written_is_told_in_a_sentence(shell: Shell, command: list[str]):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "selfrag", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
            env=shell.env,
        )
    assert done.returncode == 1
    assert "The output could not be written" in done.stderr
    assert "Traceback" not in done.stderr and "library is full" not in done.stderr


def test_ingest_reports_each_file_and_fails_if_one_did(tmp_path: Path):
    shell = Shell(tmp_path)
    pdfs = tmp_path / "pdfs"
    pdfs.mkdir()
    make_pdf(pdfs / "a.pdf", [LEAVE])
    make_pdf(pdfs / "scan.pdf", [Scan()])
    (pdfs / "b.pdf").write_bytes(b"")
    found = shell.json("ingest", pdfs, code=1)["documents"]
    assert [(item["document"], item["status"]) for item in found] == [
        ("a.pdf", "ready"),
        ("b.pdf", "failed"),
        ("scan.pdf", "failed"),
    ]
    assert all(
        {"document", "document_id", "status", "pages", "chunks", "seconds", "error"} <= set(item)
        for item in found
    )
    again = shell.json("ingest", pdfs / "a.pdf")["documents"]
    assert [item["status"] for item in again] == ["unchanged"]


def test_sample_library_is_taken_in(tmp_path: Path):
    shell = Shell(tmp_path)
    taken = shell.json("ingest", "--sample")["documents"]
    assert len(taken) == 4
    assert {item["status"] for item in taken} == {"ready"}


def test_examples_of_readme_and_help_find_something_in_the_sample_library(tmp_path: Path):
    shell = Shell(tmp_path)
    shell.json("ingest", "--sample")
    told = [(ROOT / "README.md").read_text(encoding="utf-8")]
    told += [shell.run(command, "--help").stdout for command in ("ask", "retrieve")]
    lines = re.findall(r"python -m selfrag ((?:ask|retrieve) .*)", "\n".join(told))
    words = [
        shlex.split(line, comments=True) for line in lines if not re.search(r"\.\.\.|\[", line)
    ]
    assert len(words) == 6
    for line in words:
        found = shell.json(*line)
        if line[0] == "ask":
            assert (found["status"], found["support"]) == ("answered", "fully_supported"), line
            assert found["verdict"] in (None, "supported"), line
        else:
            assert "bm25" in found["hits"][0]["scores"], line


def test_documents_are_listed(shell: Shell):
    (item,) = shell.json("documents")["documents"]
    assert (item["document"], item["status"], item["pages"]) == ("handbook.pdf", "ready", 2)
    assert item["chunks"] > 0
    shown = shell.run("documents").stdout
    assert "handbook.pdf" in shown
    assert size(item["bytes"]) in shown


def test_document_that_is_not_in_yet_is_called_as_on_the_pages(capsys: pytest.CaptureFixture[str]):
    of_table = {"pages": 0, "pages_by_kind": {}, "chunks": 0, "language": None, "bytes": 814}
    show.documents(
        [
            DocumentItem(document=f"{status}.pdf", document_id=status, status=status, **of_table)
            for status in ("unfinished", "failed")
        ]
    )
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert "waiting" in first and "814 bytes" in first
    assert "not taken in" in second


def test_runs_are_listed_with_the_id_that_ask_shows(shell: Shell):
    spoken = shell.run("ask", "How many days of leave may employees take?").stdout
    run_id = spoken.splitlines()[-1].removeprefix("run ")
    latest = shell.json("run", "--limit", "1")["runs"]
    assert [(run["run_id"], run["status"]) for run in latest] == [(run_id, "answered")]
    assert run_id in shell.run("run").stdout
    assert "twenty five days" in shell.run("run", run_id).stdout


@pytest.mark.parametrize(
    ("words", "listing"),
    [
        (("read", "0000"), "documents"),
        (("delete", "0000"), "documents"),
        (("run", "0000"), "run"),
        (("export", "0000", "--html", "x.html"), "run"),
    ],
)
def test_unknown_id_says_which_command_lists_them(
    shell: Shell, words: tuple[str, ...], listing: str
):
    error = shell.json(*words, code=1)["error"]
    assert error.endswith(f"`python -m selfrag {listing}` lists them.")


def test_retrieve_gives_hits_and_stages(shell: Shell):
    found = shell.json("retrieve", "patent royalty", "--mode", "hybrid", "-k", "1")
    assert (found["query"], found["mode"]) == ("patent royalty", "hybrid")
    (hit,) = found["hits"]
    assert (hit["rank"], hit["document"], hit["page"]) == (1, "handbook.pdf", 2)
    assert set(hit["scores"]) >= {"fusion"}
    assert {stage["name"]: stage["status"] for stage in found["stages"]} == {
        "dense": "ran",
        "bm25": "ran",
        "fusion": "ran",
        "mmr": "off",
        "rerank": "off",
        "parents": "off",
    }


def test_ask_answers_from_the_right_page_and_says_that_no_model_is_configured(shell: Shell):
    answer = shell.json("ask", "How much is the patent royalty?")
    assert answer["status"] == "answered"
    assert "five percent" in answer["answer"]
    assert answer["citations"][0]["document"] == "handbook.pdf"
    assert answer["citations"][0]["page"] == 2
    assert "five percent" in answer["citations"][0]["quote"]
    assert answer["usage"]["llm_calls"] == 0
    assert answer["events"][0]["step"] == "run_started"
    assert answer["events"][-1]["step"] == "run_finished"
    spoken = shell.run("ask", "How much is the patent royalty?")
    assert "no language model configured: sentences quoted from your documents" in spoken.stdout
    assert "handbook.pdf, page 2" in spoken.stdout


def test_ask_with_an_idle_language_model_says_that_the_writer_is_set_to_quotes(
    shell: Shell, llm_server: LlmServer
):
    asked = ("ask", "How much is the patent royalty?")
    model = {"LLM_BASE_URL": llm_server.url, "CHAT_MODEL": "gpt-test", "WRITER": "quotes"}
    said = "the answers quote your documents: the writer is set to quotes"
    for judge, calls in (("chat", True), ("local", False)):
        answer = shell.json(*asked, **model, JUDGE=judge)
        assert answer["notice"] == said
        assert bool(answer["usage"]["llm_calls"]) is calls
    assert said in shell.run(*asked, **model).stdout


@pytest.mark.parametrize(
    ("prices", "said"),
    [("", "1 call, {} tokens, "), ('{"gpt-test": [1, 10]}', "1 call, {} tokens, $0.0")],
)
def test_ask_tells_what_it_took_and_no_cost_of_this_computer(
    shell: Shell, llm_server: LlmServer, prices: str, said: str
):
    given = {"LLM_BASE_URL": llm_server.url, "CHAT_MODEL": "gpt-test"}
    if prices:
        given["MODEL_PRICES"] = prices
    told = shell.run("ask", "Royalty?", "--strategy", "plain", **given).stdout
    line = next(it for it in told.splitlines() if it.startswith("1 call"))
    tokens = line.split()[2]
    assert line.startswith(said.format(tokens))
    assert ("$" in line) == bool(prices)
    assert "price" not in line


def test_ask_with_a_language_model(shell: Shell, llm_server: LlmServer):
    answer = shell.json(
        "ask", "How much is the patent royalty?", LLM_BASE_URL=llm_server.url, CHAT_MODEL="gpt-test"
    )
    assert answer["status"] == "answered"
    assert answer["usage"]["llm_calls"] >= 4
    assert answer["usage"]["input_tokens"] > 0


def test_run_is_exported_as_a_report_and_as_json(shell: Shell, tmp_path: Path):
    run = shell.json("ask", "How many days of leave may employees take?")
    html, file = tmp_path / "r.html", tmp_path / "r.json"
    done = shell.run("export", run["run_id"], "--html", html, "--json-file", file)
    assert done.returncode == 0, done.stderr
    assert "twenty five days" in html.read_text(encoding="utf-8")
    assert json.loads(file.read_text(encoding="utf-8"))["events"] == run["events"]
    assert shell.json("export", run["run_id"])["format"] == "self-rag run"
    assert "no run" in shell.run("export", "nothing", "--html", html).stderr
    assert "--html FILE" in shell.run("export", run["run_id"]).stderr
    assert "another place" in shell.run("export", run["run_id"], "--html", tmp_path).stderr


def test_endpoint_that_refuses_the_key_fails_with_a_sentence(shell: Shell, llm_server: LlmServer):
    llm_server.key = "the-right-key"
    answer = shell.json(
        "ask",
        "How much is the patent royalty?",
        code=1,
        LLM_BASE_URL=llm_server.url,
        OPENAI_API_KEY="the-wrong-key",
    )
    assert answer["status"] == "failed"
    assert "OPENAI_API_KEY" in answer["reason"]
    assert "the-wrong-key" not in json.dumps(answer)


def test_delete_removes_and_a_second_time_is_refused(tmp_path: Path):
    shell = Shell(tmp_path)
    make_pdf(tmp_path / "a.pdf", [LEAVE])
    (item,) = shell.json("ingest", tmp_path / "a.pdf")["documents"]
    assert shell.json("delete", item["document_id"])["deleted"]["document"] == "a.pdf"
    assert shell.json("documents")["documents"] == []
    assert "no document" in shell.json("delete", item["document_id"], code=1)["error"]


def test_doctor_says_what_is_missing_and_is_content(shell: Shell):
    checks = {item["name"]: item for item in shell.json("doctor")["checks"]}
    assert checks["index"]["verdict"] == "ok"
    assert checks["language model"]["verdict"] == "missing"
    assert "OPENAI_API_KEY" in checks["language model"]["sentence"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ask", "x" * 20_000), "20,000 characters"),
        (("ingest", "nowhere.pdf"), "is not there"),
    ],
)
def test_bad_input_fails_with_a_sentence(shell: Shell, words: tuple[str, ...], said: str):
    done = shell.run(*words)
    assert done.returncode == 1
    assert said in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert said in shell.json(*words, code=1)["error"]


@pytest.mark.parametrize(
    "words",
    [
        ("ask",),
        ("ask", "   "),
        ("retrieve", ""),
        ("export", "a-run"),
        ("nonsense",),
        ("retrieve", "x", "--mode", "best"),
        ("retrieve", "x", "-k", "0"),
        ("ingest", "--nope"),
    ],
)
def test_wrong_usage_is_exit_code_2(shell: Shell, words: tuple[str, ...]):
    done = shell.run(*words)
    assert done.returncode == 2
    assert "Usage: " in done.stderr


def test_empty_library_says_what_to_do(tmp_path: Path):
    shell = Shell(tmp_path)
    assert "add a PDF first" in shell.json("ask", "Anything?", code=1)["error"]
    assert "Add PDFs" in shell.run("documents").stdout
    assert "add a PDF first" in shell.run("retrieve", "anything").stdout
    assert "add a PDF first" in shell.json("retrieve", "anything")["notes"][0]
    assert "nothing to take in" in shell.json("ingest", code=1)["error"]


def test_wrong_setting_is_named_before_anything_is_opened(tmp_path: Path):
    shell = Shell(tmp_path)
    done = shell.run("documents", MAX_RETRIES="many")
    assert done.returncode == 1
    assert "MAX_RETRIES is 'many'" in done.stderr
    assert not (tmp_path / "store").exists()


def test_library_held_by_another_process_is_named(shell: Shell, open_rag):
    open_rag(storage_dir=Path(shell.env["STORAGE_DIR"]))
    error = shell.json("documents", code=1)["error"]
    assert str(os.getpid()) in error
    assert "QDRANT_URL" in error
    checks = {item["name"]: item for item in shell.json("doctor", code=1)["checks"]}
    assert checks["library"]["verdict"] == "problem"
    assert str(os.getpid()) in checks["library"]["sentence"]
    assert checks["language model"]["verdict"] == "missing"


def test_piped_output_is_neither_wrapped_nor_cut(tmp_path: Path):
    alone = Shell(tmp_path)
    name = f"{'a-report-with-quite-a-long-name-' * 4}.pdf"
    make_pdf(tmp_path / name, [LEAVE, ROYALTY])
    alone.json("ingest", tmp_path / name)
    assert name in alone.run("documents").stdout
    question = f"How long is parental leave{' in the first year' * 8}?"
    alone.json("ask", question)
    (line,) = (row for row in alone.run("run").stdout.splitlines() if "How long" in row)
    assert question in line


def test_wrong_value_is_told_in_a_sentence(shell: Shell):
    done = shell.run("retrieve", "leave", "--mode", "foo")
    assert done.returncode == 2
    assert "Invalid value for '--mode': 'foo' is not one of 'bm25', 'dense'" in done.stderr


def test_misspelt_setting_is_pointed_out(tmp_path: Path):
    (tmp_path / ".env").write_text("CHUNK_SIZES=400\nUNRELATED=1\n", encoding="utf-8")
    checks = [
        item
        for item in Shell(tmp_path).json("doctor", code=1)["checks"]
        if item["name"] == "settings"
    ]
    assert [item["sentence"] for item in checks] == [
        "CHUNK_SIZES in .env is not a setting: did you mean CHUNK_SIZE?"
    ]


def test_settings_are_listed(shell: Shell):
    listed = shell.json("settings")["settings"]
    assert {item["variable"] for item in listed} == {name.upper() for name in Settings.model_fields}
