"""The OpenAPI description says what the server does; schemathesis tries it out."""

import html
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi import checks

from selfrag.retrieval.query import MAX_QUERY
from tests.support.pdf_factory import make_pdf

load_all_checks()


CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


def test_whatever_is_sent_every_answer_is_one_that_is_described(api: httpx.Client):
    description = schemathesis.openapi.from_url(f"{api.base_url}/api/openapi.json")
    tried = []
    for found in description.get_all_operations():
        operation = found.ok()
        asks = bool(operation.query or operation.body)  # else there is nothing to ask wrongly
        for mode in (GenerationMode.POSITIVE, *[GenerationMode.NEGATIVE] * asks):
            tried.append(f"{operation.label} {mode.value}")

            @given(case=operation.as_strategy(generation_mode=mode))
            @settings(
                max_examples=10,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def call(case: schemathesis.Case) -> None:
                case.call_and_validate(checks=CHECKS)

            call()
    assert len(tried) == 23


def test_every_endpoint_is_described(api: httpx.Client):
    described = api.get("/api/openapi.json").json()
    operations = {
        f"{method.upper()} {path}"
        for path, methods in described["paths"].items()
        for method in methods
    }
    assert operations == {
        "GET /api/health",
        "GET /api/health/live",
        "GET /api/documents",
        "POST /api/documents",
        "GET /api/documents/{document_id}",
        "DELETE /api/documents/{document_id}",
        "PATCH /api/documents/{document_id}",
        "GET /api/documents/{document_id}/pages",
        "GET /api/documents/{document_id}/pages/{page}",
        "GET /api/jobs/{job_id}",
        "GET /api/search",
        "GET /api/answer",
        "POST /api/answer",
        "GET /api/runs",
        "GET /api/runs/{run_id}",
        "GET /api/runs/{run_id}/export",
        "GET /api/runs/{run_id}/report",
    }
    q, *_ = described["paths"]["/api/search"]["get"]["parameters"]
    assert (q["name"], q["required"], q["schema"]["maxLength"]) == ("q", True, MAX_QUERY)


def test_docs_page_needs_no_network_and_runs_nothing(api: httpx.Client):
    page = api.get("/api/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert not re.search(r"<script|<link|<img|src=|@import|url\(", page.text)
    assert not re.findall(r"https?://(?!127\.0\.0\.1)", page.text)
    for path in api.get("/api/openapi.json").json()["paths"]:
        assert path in page.text


def test_every_example_of_the_docs_page_works_as_it_is_printed(api: httpx.Client, handbook: Path):
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    page = api.get("/api/docs").text
    shown = [html.unescape(line) for line in re.findall(r"<pre>(curl .*?)</pre>", page)]
    operations = [
        (method.upper(), path)
        for path, methods in api.get("/api/openapi.json").json()["paths"].items()
        for method in methods
    ]
    assert len(shown) == len(operations)
    (document,) = api.get("/api/documents").json()["documents"]
    other = make_pdf(handbook.with_name("other.pdf"), ["The office opens at nine on weekdays."])
    sent = {"file": (other.name, other.read_bytes())}
    job = api.post("/api/documents", files=sent, data={"wait": "false"}).json()
    run = api.get("/api/answer", params={"question": "How much is the patent royalty?"}).json()
    known = {
        "DOCUMENT_ID": document["document_id"],
        "JOB_ID": job["job_id"],
        "RUN_ID": run["run_id"],
        "PAGE": "1",
        "FILE.pdf": str(handbook),
    }
    # What removes the document that the others are about comes last.
    both = sorted(zip(operations, shown, strict=True), key=lambda item: item[0][0] == "DELETE")
    for (method, path), line in both:
        filled = re.sub("|".join(known), lambda name: known[name[0]], line)
        told = subprocess.run(
            [*shlex.split(filled), "-w", "\n%{method} %{http_code}"],
            capture_output=True,
            text=True,
            timeout=60,
        ).stdout
        answer, _, end = told.rpartition("\n")
        assert re.fullmatch(f"{method} 2..", end), f"{method} {path}: {line}\n{told}"
        if method == "PATCH":
            assert json.loads(answer)["document"] == "Annual report 2025.pdf"
