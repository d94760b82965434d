"""Started processes: commands beside a server, a graceful stop, what README says."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from selfrag.interfaces import note
from tests.interfaces.conftest import LEAVE, QUESTION, ROYALTY
from tests.support import own_loop, warm
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf
from tests.support.serving import ROOT, Server, environment, started


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with started("serve", tmp_path_factory.mktemp("served")) as running:
        make_pdf(running.storage.parent / "report.pdf", [LEAVE, ROYALTY])
        yield running


def shell(
    server: Server, *words: str | Path, stdin: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    env = environment(server.storage, **settings)
    return warm.run([*map(str, words)], server.storage.parent, env, stdin)


def upload(server: Server, file: Path) -> None:
    sent = {"file": (file.name, file.read_bytes())}
    answer = httpx.post(f"{server.url}/api/documents", files=sent, timeout=60)
    assert answer.status_code == 201, answer.text


def told(server: Server, *words: str | Path, code: int = 0) -> Any:
    done = shell(server, *words, "--json")
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout)


def test_commands_talk_to_the_server_that_holds_the_library(server: Server):
    folder = server.storage.parent
    (item,) = told(server, "ingest", folder / "report.pdf")["documents"]
    assert item["status"] in ("ready", "unchanged")
    assert [found["document"] for found in told(server, "documents")["documents"]] == ["report.pdf"]
    assert told(server, "retrieve", "royalty", "-k", "1")["hits"][0]["page"] == 2
    answer = told(server, "ask", QUESTION)
    assert (answer["status"], answer["citations"][0]["page"]) == ("answered", 2)
    assert told(server, "run", answer["run_id"]) == answer
    assert told(server, "ask", "hello")["status"] == "answered"
    assert ROYALTY in shell(server, "read", item["document_id"], "--page", "2").stdout
    spoken = shell(server, "ask", QUESTION)
    assert "Grounded, and may be the answer" in spoken.stdout
    assert "no language model configured: sentences quoted from your documents" in spoken.stdout
    latest = told(server, "run", "--limit", "1")["runs"]
    assert spoken.stdout.splitlines()[-1] == f"run {latest[0]['run_id']}"
    for words, listing in ((("read", "0"), "documents"), (("run", "0"), "run")):
        assert f"`python -m selfrag {listing}`" in told(server, *words, code=1)["error"]
    report = folder / "answer.html"
    told(server, "export", answer["run_id"], "--html", report)
    assert ROYALTY in report.read_text(encoding="utf-8")
    checks = {check["name"]: check for check in told(server, "doctor")["checks"]}
    assert (checks["server"]["verdict"], checks["index"]["verdict"]) == ("ok", "ok")
    assert server.url in checks["server"]["sentence"]
    assert (
        "no document 0000" in told(server, "ask", QUESTION, "--document", "0000", code=1)["error"]
    )
    (folder / "bad.pdf").write_bytes(b"nothing of the kind")
    failed = shell(server, "ingest", folder / "bad.pdf")
    assert failed.returncode == 1
    assert failed.stdout.count("bad.pdf") == 1


def test_command_that_needs_the_library_for_itself_names_the_server(server: Server):
    assert str(server.process.pid) in told(server, "ingest", "--reset", code=1)["error"]
    assert server.url in told(server, "doctor", "--repair", code=1)["error"]


def test_changed_file_takes_the_place_of_the_old_one_over_the_server_too(server: Server):
    path = server.storage.parent / "rules.pdf"
    text = "The office opens at nine and closes at six from Monday to Friday. Room {} is closed."
    make_pdf(path, [text.format(12)])
    told(server, "ingest", path)
    make_pdf(path, [text.format(14)])
    (item,) = told(server, "ingest", path)["documents"]
    found = [
        entry for entry in told(server, "documents")["documents"] if "rules" in entry["document"]
    ]
    assert [entry["document_id"] for entry in found] == [item["document_id"]]
    told(server, "delete", item["document_id"])


def test_terminal_client_answers_in_a_pipe_without_colour(server: Server):
    told(server, "ingest", server.storage.parent / "report.pdf")
    done = shell(server, "client", "--once", QUESTION)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "Found 1 passage" in done.stdout
    assert "five percent" in done.stdout
    assert "report.pdf" in done.stdout


def test_terminal_client_does_what_its_menu_says(server: Server):
    told(server, "ingest", server.storage.parent / "report.pdf")
    typed = f"1\n{QUESTION}\n2\nroyalty\n3\n4\n9\n5\n"
    done = shell(server, "client", "--url", server.url, stdin=typed)
    assert done.returncode == 0, done.stderr
    for said in (
        "Grounded, and may be the answer",
        "bm25 ran",
        "embeddings",
        "rag_answer",
        "type 1 to 5",
    ):
        assert said in done.stdout
    assert shell(server, "client", stdin="").returncode == 0


def test_terminal_client_says_when_no_server_answers(server: Server):
    done = shell(server, "client", "--url", "http://127.0.0.1:9", "--once", "x")
    assert done.returncode == 1
    assert "python -m selfrag serve" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_curl_examples_of_the_readme_work(server: Server):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```bash\n(curl .*?)```", readme, flags=re.DOTALL)
    lines = block.strip().splitlines()
    answers = []
    for line in lines:
        line = line.replace("http://localhost:8501", server.url)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        answers.append(done.stdout)
    health, added, found, answer = map(json.loads, answers[:4])
    assert health["status"] == "ok"
    assert added["status"] in ("ready", "unchanged")
    assert found["hits"][0]["page"] == 2
    assert found["hits"][0]["document"] == added["document"]
    assert (answer["status"], answer["support"]) == ("answered", "fully_supported")
    assert "event: run_finished" in answers[4]
    told(server, "delete", added["document_id"])


def test_configuration_for_mcp_clients_works_as_it_is_printed(server: Server):
    printed = json.loads(shell(server, "mcp", "--config").stdout)["mcpServers"]["self-rag"]
    example = re.search(
        r"```json\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert example is not None
    shown = json.loads(example[1])["mcpServers"]["self-rag"]
    assert shown.keys() == printed.keys()
    assert shown["args"][:-1] == printed["args"][:-1]
    command = StdioServerParameters(
        command=printed["command"],
        args=printed["args"],
        # As Claude Desktop does: its own environment, plus what the configuration says.
        env=environment(server.storage) | printed["env"],
    )

    async def talk() -> set[str]:
        async with Client(stdio_client(command)) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert "rag_answer" in own_loop.run(talk)


def test_configuration_for_mcp_clients_keeps_exported_settings_and_no_secrets(server: Server):
    folder = server.storage.parent / "elsewhere"
    folder.mkdir()
    (folder / ".env").write_text("QDRANT_API_KEY=kept-there\n", encoding="utf-8")
    exported = {
        "STORAGE_DIR": "my library",
        "LLM_BASE_URL": "http://localhost:11434/v1",
        "CHAT_MODEL": "a-model",
        "OPENAI_API_KEY": "sk-hidden",
        "QDRANT_API_KEY": "kept-there",
        "DATABASE_URL": "postgresql://me:sesame@host/records",
    }
    done = shell(server, "mcp", "--config", "--folder", folder, **exported)
    env = json.loads(done.stdout)["mcpServers"]["self-rag"]["env"]
    assert env == {
        "PYTHONPATH": str(ROOT),
        "LLM_BASE_URL": "http://localhost:11434/v1",
        "CHAT_MODEL": "a-model",
        "STORAGE_DIR": str((server.storage.parent / "my library").resolve()),
    }
    for secret in ("sk-hidden", "sesame", "kept-there"):
        assert secret not in done.stdout + done.stderr
    assert "OPENAI_API_KEY, DATABASE_URL. Write them into" in done.stderr
    assert str(folder / ".env") in done.stderr


def test_help_loads_nothing_heavy():
    imported = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "selfrag", "ask", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert " typer\n" in imported
    for heavy in ("selfrag.settings", "selfrag.service", "langchain_core", "streamlit", "httpx"):
        assert f" {heavy}\n" not in imported


def test_doctor_asks_the_server_and_loads_no_model_or_library(server: Server):
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "selfrag", "doctor"],
        cwd=server.storage.parent,
        env=environment(server.storage),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert f"{server.url} holds the library and answers" in done.stdout
    for heavy in ("selfrag.service", "langchain_core", "qdrant_client", "sqlalchemy"):
        assert not re.search(rf" {heavy}\n", done.stderr)


def test_shell_is_given_completions(server: Server):
    script = shell(server, "completion", "bash").stdout
    assert "complete -o default -F _selfrag selfrag" in script
    asked = {"COMP_WORDS": "selfrag re", "COMP_CWORD": "1", "_SELFRAG_COMPLETE": "complete_bash"}
    offered = shell(server, **asked).stdout.split()
    assert {"read", "rename", "retrieve"} <= set(offered)
    assert "ask" not in offered


@pytest.mark.parametrize("way", ["serve", "pages"])
def test_run_under_way_is_stopped_and_recorded_when_the_server_is_told_to_end(
    way: str, tmp_path: Path, llm_server: LlmServer
):
    llm_server.delay = 60
    answers: list[dict[str, Any]] = []
    with started(way, tmp_path, LLM_BASE_URL=llm_server.url) as server:
        file = make_pdf(tmp_path / "report.pdf", [ROYALTY])
        httpx.post(
            f"{server.url}/api/documents",
            files={"file": (file.name, file.read_bytes())},
            timeout=60,
        )

        def ask() -> None:
            asked = httpx.get(f"{server.url}/api/answer", params={"question": QUESTION}, timeout=90)
            answers.append(asked.json())

        client = threading.Thread(target=ask)
        client.start()
        assert llm_server.wait_for(lambda: bool(llm_server.requests), 60)
        server.stop()
        client.join(60)
        assert not (server.storage / "server.json").exists()
    (answer,) = answers
    assert answer["status"] == "stopped"
    with started("serve", tmp_path) as again:
        kept = httpx.get(f"{again.url}/api/runs/{answer['run_id']}", timeout=30).json()
        assert kept == answer


def test_commands_are_not_held_to_what_other_programs_may_ask_in_a_minute(tmp_path: Path):
    limits = {"SEARCHES_PER_MINUTE": "1", "ANSWERS_PER_MINUTE": "1"}
    with started("serve", tmp_path, **limits) as server:
        told(server, "ingest", make_pdf(tmp_path / "report.pdf", [LEAVE, ROYALTY]))
        for _ in range(3):
            assert told(server, "ask", QUESTION)["status"] == "answered"
            assert told(server, "retrieve", "royalty")["hits"]
        asked = f"{server.url}/api/search?q=royalty"
        wrong = {note.HEADER: "guessed"}
        codes = [httpx.get(asked, headers=given, timeout=60).status_code for given in ({}, wrong)]
        assert codes == [200, 429], "the first stranger's, and no more"
        left = server.storage / note.NAME
        assert (
            json.loads(left.read_text("utf-8"))["key"]
            not in httpx.get(f"{server.url}/api/health", timeout=60).text
        )
        if os.name != "nt":
            assert left.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_killed_in_the_middle_of_a_run_it_starts_again_and_the_run_is_closed(
    tmp_path: Path, llm_server: LlmServer
):
    llm_server.delay = 60
    with started("serve", tmp_path, LLM_BASE_URL=llm_server.url) as server:
        file = make_pdf(tmp_path / "report.pdf", [ROYALTY])
        httpx.post(
            f"{server.url}/api/documents",
            files={"file": (file.name, file.read_bytes())},
            timeout=60,
        )
        stream = {"Accept": "text/event-stream"}
        with pytest.raises(httpx.TransportError):
            with httpx.stream(
                "GET",
                f"{server.url}/api/answer",
                params={"question": QUESTION},
                headers=stream,
                timeout=60,
            ) as answer:
                run_id = answer.headers["x-run-id"]
                assert llm_server.wait_for(lambda: bool(llm_server.requests), 60)
                server.stop(signal.SIGKILL)
                answer.read()
        # Its note is left behind, and nobody is fooled by it.
        assert (server.storage / "server.json").exists()
        assert told(server, "documents")["documents"][0]["document"] == "report.pdf"
    with started("serve", tmp_path) as again:
        kept = httpx.get(f"{again.url}/api/runs/{run_id}", timeout=30).json()
        assert kept["status"] == "stopped"


def test_setting_that_is_wrong_stops_the_start_with_a_sentence(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-m", "selfrag", "serve"],
        cwd=tmp_path,
        env=environment(tmp_path / "storage", ALLOWED_HOSTS="http://x/y"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "ALLOWED_HOSTS is 'http://x/y'" in done.stderr
    assert "Traceback" not in done.stderr


def test_port_that_is_taken_is_named(server: Server, tmp_path: Path):
    port = server.url.rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "selfrag", "serve", "--port", port],
        cwd=tmp_path,
        env=environment(tmp_path / "storage"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert port in done.stderr
    assert "--port" in done.stderr
