"""REST as a client sees it: over a real port, with a real library."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from selfrag.interfaces.access.clients import Limits
from selfrag.interfaces.rest.endpoint import CLIENT_GONE, Call, Endpoint, serve
from selfrag.reflection.events import is_kept
from selfrag.retrieval.query import MAX_QUERY
from selfrag.service import SelfRag
from tests.interfaces.conftest import QUESTION, ROYALTY
from tests.support import own_loop
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

Serve = Callable[..., tuple[SelfRag, httpx.Client]]
PROBLEM = "application/problem+json"


def upload(api: httpx.Client, path: Path, **fields: str) -> httpx.Response:
    with path.open("rb") as file:
        return api.post("/api/documents", files={"file": (path.name, file)}, data=fields)


def events(api: httpx.Client, path: str, **request: Any) -> Iterator[tuple[str, int, dict]]:
    """The parsed events of a stream."""
    headers = {"Accept": "text/event-stream", **request.pop("headers", {})}
    with api.stream("GET", path, headers=headers, **request) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        event: dict[str, str] = {}
        for line in answer.iter_lines():
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                event[name] = value
            elif not line and event:
                yield event["event"], int(event["id"]), json.loads(event["data"])
                event = {}


def problem(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    told = answer.json()
    assert told["status"] == status
    assert told["detail"]
    return str(told["detail"])


@pytest.mark.parametrize("name", ["k", "max_retries"])
def test_true_is_no_number(api: httpx.Client, name: str):
    answer = api.post("/api/answer", json={"question": QUESTION, name: True})
    assert f"{name}: " in problem(answer, 422)
    assert "whole number" in answer.json()["detail"]


def test_client_that_goes_away_within_its_upload_is_no_error(caplog: pytest.LogCaptureFixture):
    async def broken_off(_: Call) -> Response:
        raise ClientDisconnect

    upload = Endpoint("POST", "/documents", broken_off, "Upload", {})
    scope = {"type": "http", "method": "POST", "path": "/api/documents", "headers": []}
    with caplog.at_level("INFO"):
        answered = own_loop.run(serve, upload, Request(scope), lambda: None, Limits())
    assert answered.status_code == CLIENT_GONE
    (said,) = [record for record in caplog.records if record.name.startswith("selfrag")]
    assert "the client went away" in said.getMessage() and said.exc_info is None


def test_document_is_added_listed_read_and_removed(api: httpx.Client, handbook: Path):
    (item,) = api.get("/api/documents").json()["documents"]
    assert (item["document"], item["status"], item["pages"]) == ("handbook.pdf", "ready", 2)
    one = f"/api/documents/{item['document_id']}"
    assert api.get(one).json() == item
    assert ROYALTY in api.get(f"{one}/pages/2").json()["text"]
    assert "has 2" in problem(api.get(f"{one}/pages/3"), 404)
    assert upload(api, handbook).json()["status"] == "unchanged"
    assert api.delete(one).json()["deleted"] == item
    assert api.get("/api/documents").json() == {"documents": []}
    problem(api.delete(one), 404)
    problem(api.get(one), 404)
    again = upload(api, handbook)
    assert (again.status_code, again.json()["status"], again.json()["pages"]) == (201, "ready", 2)


def test_upload_that_is_not_waited_for_gives_a_job(api: httpx.Client, tmp_path: Path):
    other = make_pdf(tmp_path / "other.pdf", ["The court sits in Lisbon on the first Monday."])
    begun = upload(api, other, wait="false")
    assert begun.status_code == 202
    place = begun.headers["location"]
    for _ in range(600):
        job = api.get(place).json()
        if job["stage"] == "done":
            break
        threading.Event().wait(0.05)
    assert job["result"]["status"] == "ready"
    problem(api.get("/api/jobs/nothing"), 404)


def test_file_that_is_no_pdf_is_refused_with_a_sentence(api: httpx.Client, tmp_path: Path):
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    assert "bad.pdf" in problem(upload(api, tmp_path / "bad.pdf"), 422)
    (tmp_path / "empty.pdf").write_bytes(b"")
    problem(upload(api, tmp_path / "empty.pdf"), 422)


def test_form_that_is_none_is_refused(api: httpx.Client):
    assert "curl -F" in problem(api.post("/api/documents", json={"file": "x"}), 415)
    assert "file" in problem(api.post("/api/documents", files={"other": b"x"}), 422)
    broken = {"Content-Type": "multipart/form-data"}
    problem(api.post("/api/documents", content=b"nonsense", headers=broken), 422)


def test_search_gives_hits_and_stages(api: httpx.Client):
    found = api.get("/api/search", params={"q": "patent royalty", "mode": "hybrid", "k": 1}).json()
    (hit,) = found["hits"]
    assert (hit["document"], hit["page"], hit["text"]) == ("handbook.pdf", 2, ROYALTY)
    assert {stage["name"] for stage in found["stages"]} >= {"dense", "bm25", "fusion"}


def test_search_in_chosen_documents_only(api: httpx.Client, tmp_path: Path):
    other = make_pdf(tmp_path / "other.pdf", ["A patent royalty of nine percent is owed."])
    chosen = upload(api, other).json()["document_id"]
    found = api.get("/api/search", params={"q": "patent royalty", "document": chosen}).json()
    assert {hit["document"] for hit in found["hits"]} == {"other.pdf"}
    asked = {"question": QUESTION, "documents": [chosen]}
    assert "nine" in api.post("/api/answer", json=asked).json()["answer"]
    unknown = api.get("/api/search", params={"q": "patent", "document": "0000"})
    assert "no document 0000" in problem(unknown, 400)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_answer_names_its_source(api: httpx.Client, method: str):
    asked = {"question": QUESTION}
    answer = api.request(
        method, "/api/answer", **({"params": asked} if method == "GET" else {"json": asked})
    ).json()
    assert (answer["status"], answer["question"]) == ("answered", QUESTION)
    assert answer["citations"][0]["page"] == 2
    assert answer["citations"][0]["quote"] == ROYALTY
    assert answer["notice"].startswith("no language model")
    assert api.get(f"/api/runs/{answer['run_id']}").json() == answer


def test_stream_is_the_log_of_the_run(serve: Serve):
    rag, api = serve()
    sent = list(events(api, "/api/answer", params={"question": QUESTION}))
    run = rag.run(sent[0][2]["run_id"])
    assert run is not None
    log = run.log.snapshot()
    assert [position for _, position, _ in sent] == list(range(len(log)))
    assert [name for name, _, _ in sent] == [event.step for event in log]
    assert [data for _, _, data in sent] == [event.model_dump(mode="json") for event in log]
    kept = [sent[number][2] for number, event in enumerate(log) if is_kept(event)]
    assert api.get(f"/api/runs/{run.id}").json()["events"] == kept


def test_run_can_be_followed_from_where_one_was(serve: Serve):
    _, api = serve()
    run_id = api.get("/api/answer", params={"question": QUESTION}).json()["run_id"]
    whole = list(events(api, f"/api/runs/{run_id}"))
    rest = list(events(api, f"/api/runs/{run_id}", headers={"Last-Event-ID": "4"}))
    assert rest == whole[5:]
    assert whole[-1][0] == "run_finished"


def test_run_is_exported_and_reported(api: httpx.Client):
    run_id = api.get("/api/answer", params={"question": QUESTION}).json()["run_id"]
    kept = api.get(f"/api/runs/{run_id}/export").json()
    assert kept["events"][-1]["step"] == "run_finished"
    report = api.get(f"/api/runs/{run_id}/report")
    assert report.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in report.headers["content-security-policy"]
    assert ROYALTY in report.text
    problem(api.get("/api/runs/none/report"), 404)


def test_document_is_renamed(api: httpx.Client):
    (item,) = api.get("/api/documents").json()["documents"]
    one = f"/api/documents/{item['document_id']}"
    assert api.patch(one, json={"name": "rules.pdf"}).json()["document"] == "rules.pdf"
    found = api.get("/api/search", params={"q": "royalty"}).json()
    assert {hit["document"] for hit in found["hits"]} == {"rules.pdf"}
    problem(api.patch(one, json={"name": ""}), 422)
    named = api.patch(one, json={"name": "Q1/Q2 <b>report</b>"}).json()["document"]
    assert named == "Q1-Q2 <b>report<-b>"
    problem(api.patch(one, json={"name": "\u200b"}), 400)
    pages = api.get(f"{one}/pages").json()["pages"]
    assert [entry["page"] for entry in pages] == [1, 2]


def test_run_of_an_earlier_process_is_read_from_the_records(serve: Serve):
    rag, api = serve()
    answer = api.get("/api/answer", params={"question": QUESTION}).json()
    until = time.monotonic() + 60
    while rag.recorded(answer["run_id"]).elapsed_s is None and time.monotonic() < until:
        time.sleep(0.01)  # it is written down once the answer is out
    rag._runs._live.clear()
    assert api.get(f"/api/runs/{answer['run_id']}").json() == answer
    problem(api.get("/api/runs/none"), 404)


@pytest.mark.parametrize("stream", [True, False])
def test_run_is_stopped_when_its_client_goes_away(
    serve: Serve, llm_server: LlmServer, stream: bool
):
    llm_server.delay = 30
    rag, api = serve(llm_base_url=llm_server.url)
    headers = {"Accept": "text/event-stream"} if stream else {}
    with pytest.raises(httpx.ReadTimeout):
        with api.stream(
            "GET", "/api/answer", params={"question": QUESTION}, headers=headers, timeout=2
        ) as answer:
            answer.read()
    (run,) = rag._runs._live.values()
    assert run.result(timeout=60).status == "stopped"
    assert llm_server.wait_for(lambda: bool(llm_server.requests))
    recorded = api.get(f"/api/runs/{run.id}").json()
    assert recorded["status"] == "stopped"


def test_run_under_way_can_be_watched_and_watching_stops_nothing(
    serve: Serve, llm_server: LlmServer
):
    llm_server.delay = 30
    rag, api = serve(llm_base_url=llm_server.url)
    run = rag.start(QUESTION)
    under_way = api.get(f"/api/runs/{run.id}")
    assert (under_way.status_code, under_way.json()["status"]) == (202, "running")
    with pytest.raises(httpx.ReadTimeout):
        list(events(api, f"/api/runs/{run.id}", timeout=1))
    assert not run.log.closed
    run.stop()
    assert list(events(api, f"/api/runs/{run.id}"))[-1][2]["status"] == "stopped"


def test_conversation_is_sent_along(serve: Serve, llm_server: LlmServer):
    _, api = serve(llm_base_url=llm_server.url)
    turns = [{"question": "What is a patent?", "answer": "A right to an invention."}]
    asked = {"question": "And its royalty?", "history": turns}
    answer = api.post("/api/answer", json=asked).json()
    assert "question_rewritten" in [event["step"] for event in answer["events"]]


@pytest.mark.parametrize(
    ("path", "parameters", "said"),
    [
        ("/api/search", {}, "q: Field required"),
        ("/api/search", {"q": "   "}, "empty"),
        ("/api/search", {"q": "x" * (MAX_QUERY + 1)}, f"{MAX_QUERY} characters"),
        ("/api/search", {"q": "patent", "k": "0"}, "greater than or equal to 1"),
        ("/api/search", {"q": "patent", "mode": "best"}, "hybrid_rerank"),
        ("/api/search", {"q": "patent", "kk": "1"}, "kk"),
        ("/api/search", [("q", "a"), ("q", "b")], "given twice"),
        ("/api/answer", {"question": "x", "max_retries": "11"}, "less than or equal to 10"),
        ("/api/answer", {"question": "x", "strategy": "guess"}, "critique"),
    ],
)
def test_bad_parameters_are_named(api: httpx.Client, path: str, parameters: Any, said: str):
    answer = api.get(path, params=parameters)
    assert said in problem(answer, answer.status_code)
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"{", "application/json", 422),
        (b"\xff\xfe", "application/json", 422),
        (b'{"question": "x"}', "text/plain", 415),
        (b'{"question": "' + b"x" * 1_000_001 + b'"}', "application/json", 413),
        (b"[" * 100_000, "application/json", 422),
    ],
)
def test_bad_bodies_are_refused(api: httpx.Client, content: bytes, kind: str, status: int):
    headers = {"Content-Type": kind}
    problem(api.post("/api/answer", content=content, headers=headers), status)


@pytest.mark.parametrize("content", [b"[]", b"null", b'"x"'])
def test_body_that_is_no_object_is_told_as_that(api: httpx.Client, content: bytes):
    answer = api.post("/api/answer", content=content, headers={"Content-Type": "application/json"})
    assert "body: a JSON object belongs here" in problem(answer, 422)


def test_upload_larger_than_allowed_is_refused_declared_or_not(serve: Serve, tmp_path: Path):
    _, api = serve(max_upload_mb=1)
    large = tmp_path / "large.pdf"
    large.write_bytes(b"%PDF-1.7" + b"x" * 1_200_000)
    assert "MAX_UPLOAD_MB" in problem(upload(api, large), 413)

    def pieces() -> Iterator[bytes]:
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x.pdf"\r\n\r\n'
        yield head
        yield from (b"x" * 100_000 for _ in range(12))

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    problem(api.post("/api/documents", content=pieces(), headers=headers), 413)


def test_empty_library_says_what_to_do(api: httpx.Client):
    (item,) = api.get("/api/documents").json()["documents"]
    api.delete(f"/api/documents/{item['document_id']}")
    assert "add a PDF" in problem(api.get("/api/answer", params={"question": "x"}), 409)
    found = api.get("/api/search", params={"q": "x"}).json()
    assert found["hits"] == []
    assert "add a PDF" in found["notes"][0]


def test_search_for_words_that_are_left_out_says_so(api: httpx.Client):
    found = api.get("/api/search", params={"q": "the of and", "mode": "bm25"}).json()
    assert found["hits"] == []
    assert "no word to look for" in found["notes"][0]
    assert api.get("/api/search", params={"q": "xyzzy", "mode": "bm25"}).json()["notes"] == []


def test_unknown_path_and_method_are_problems_and_no_page(api: httpx.Client):
    assert "/api/docs" in problem(api.get("/api/nothing"), 404)
    refused = api.put("/api/documents")
    problem(refused, 405)
    assert set(refused.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}


def test_ready_and_alive_are_told_apart(serve: Serve):
    rag, api = serve()
    ready = api.get("/api/health")
    assert (ready.status_code, ready.json()["status"], ready.json()["documents"]) == (200, "ok", 1)
    (record,) = rag.documents()
    rag.library.file(record.id).unlink()
    broken = api.get("/api/health")
    assert (broken.status_code, broken.json()["status"]) == (503, "problem")
    assert any("handbook.pdf" in check["sentence"] for check in broken.json()["checks"])
    assert api.get("/api/health/live").status_code == 200
