"""A library that a running server holds, over its REST interface."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from selfrag.documents.finding import find_pdfs
from selfrag.errors import Missing, UserError
from selfrag.interfaces import note
from selfrag.interfaces.asking import AnswerBody, SearchParameters
from selfrag.interfaces.backend import Answering, FileReport
from selfrag.interfaces.schemas import (
    AnswerResult,
    DocumentItem,
    DocumentList,
    Health,
    IngestItem,
    JobItem,
    PageList,
    PageText,
    RunItem,
    RunList,
    SearchResult,
)
from selfrag.reflection.events import Event, RunFinished, RunStarted, is_kept, parse_event
from selfrag.settings import Settings

_TIMEOUT = httpx.Timeout(10.0, read=120.0)
_JOB_ASKED = 0.2  #: seconds between two looks at a file that is taken in

_NOTICED = 10.0  #: seconds in which a server notices that a client is gone


def find(settings: Settings) -> "Remote | None":
    """The server that holds the library of these settings; None where there is none.

    The note that a server leaves may be older than its death, and its port someone else's by
    now: only the process that wrote it knows what stands in it.
    """
    found = note.read(settings)
    if found is None:
        return None
    try:
        alive = httpx.get(f"{found.url}/api/health/live", timeout=5, trust_env=False)
        same = alive.status_code == 200 and alive.json().get("instance") == found.instance
    except (httpx.HTTPError, ValueError):
        return None
    token = settings.api_token.get_secret_value() if settings.api_token else None
    return Remote(found.url, token, found.headers) if same else None


class Remote:
    """A `Backend` over REST. Nothing of the index or the models is loaded here.

    Attributes:
        url: of the server, without a slash at its end.
    """

    def __init__(self, url: str, token: str | None, owner: Mapping[str, str]) -> None:
        self.url = url
        headers = {**owner, **({"Authorization": f"Bearer {token}"} if token else {})}
        # A proxy of the environment has no business between this machine and itself.
        self._http = httpx.Client(
            base_url=f"{url}/api", headers=headers, timeout=_TIMEOUT, trust_env=False
        )

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def documents(self) -> list[DocumentItem]:
        """Every document."""
        return DocumentList.model_validate(self._ask("GET", "/documents")).documents

    def pages(self, document_id: str) -> list[PageText]:
        """The text of a document, page by page."""
        told = self._ask("GET", f"/documents/{_part(document_id)}/pages")
        return PageList.model_validate(told).pages

    def search(self, asked: SearchParameters) -> SearchResult:
        """Search."""
        values = asked.model_dump(mode="json", exclude_none=True)
        return SearchResult.model_validate(self._ask("GET", "/search", params=values))

    def ask(self, asked: AnswerBody) -> Answering:
        """Begin to answer a question."""
        return RemoteAnswering(self._http, asked)

    def ingest(
        self, paths: Sequence[Path], password: str | None, ocr: bool, report: FileReport
    ) -> Iterator[IngestItem]:
        """Take files and folders in, one after another."""
        from selfrag.documents.results import Progress
        from selfrag.records.documents import State

        if not paths:
            raise UserError("There is nothing to take in: name PDFs or folders.")
        files = find_pdfs(paths)
        for number, path in enumerate(files, start=1):
            told = report(path, number, len(files))
            fields = {
                "wait": "false",
                "ocr": str(ocr).lower(),
                "source": str(path.resolve()),
                **({"password": password} if password else {}),
            }
            with path.open("rb") as file:
                sent = {"file": (path.name, file, "application/pdf")}
                begun = self._ask("POST", "/documents", data=fields, files=sent)
            while "job_id" in begun:
                job = JobItem.model_validate(begun)
                if job.result is not None:
                    begun = job.result.model_dump()
                    break
                if told is not None:
                    told(Progress(State(job.stage), job.done, job.total))
                time.sleep(_JOB_ASKED)
                begun = self._ask("GET", f"/jobs/{job.job_id}")
            yield IngestItem.model_validate(begun)

    def rename(self, document_id: str, name: str) -> DocumentItem:
        """Show and cite a document under another name."""
        told = self._ask("PATCH", f"/documents/{_part(document_id)}", json={"name": name})
        return DocumentItem.model_validate(told)

    def delete(self, document_id: str) -> DocumentItem:
        """Remove a document."""
        told = self._ask("DELETE", f"/documents/{_part(document_id)}")
        return DocumentItem.model_validate(told["deleted"])

    def runs(self, most: int) -> list[RunItem]:
        """The latest runs, newest first."""
        return RunList.model_validate(self._ask("GET", "/runs", params={"limit": most})).runs

    def run(self, run_id: str) -> AnswerResult:
        """A run that has ended."""
        return AnswerResult.model_validate(self._ask("GET", f"/runs/{_part(run_id)}"))

    def report(self, run_id: str) -> str:
        """A run as one self-contained HTML file."""
        return self._send("GET", f"/runs/{_part(run_id)}/report").text

    def exported(self, run_id: str) -> dict[str, Any]:
        """A run as a JSON object that can be read back."""
        told: dict[str, Any] = self._ask("GET", f"/runs/{_part(run_id)}/export")
        return told

    def exported_text(self, run_id: str) -> str:
        """The same as the text of a file."""
        return self._send("GET", f"/runs/{_part(run_id)}/export").text

    def health(self) -> Health:
        """How it stands."""
        try:
            answer = self._http.get("/health")
            return Health.model_validate(answer.json())
        except (httpx.HTTPError, ValueError) as error:
            raise _unreachable(self.url, error) from error

    def _ask(self, method: str, path: str, **request: Any) -> Any:
        return self._send(method, path, **request).json()

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        try:
            return _told(self._http.request(method, path, **request))
        except httpx.HTTPError as error:
            raise _unreachable(self.url, error) from error


class RemoteAnswering:
    """A run of the server, whose events are read as they are sent."""

    def __init__(self, http: httpx.Client, asked: AnswerBody) -> None:
        self._http = http
        self._log: list[Event] = []
        self._stopped = False
        request = http.build_request(
            "POST",
            "/answer",
            json=asked.model_dump(mode="json", exclude_none=True),
            headers={"Accept": "text/event-stream"},
        )
        try:
            self._answer = http.send(request, stream=True)
        except httpx.HTTPError as error:
            raise _unreachable(str(http.base_url), error) from error
        if self._answer.status_code != 200:
            self._answer.read()
            _told(self._answer)
        self._lines = self._answer.iter_lines()

    def events(self) -> Iterator[Event]:
        """Its events as they come, until it ends."""
        try:
            for line in self._lines:
                if line.startswith("data: "):
                    event = parse_event(json.loads(line.removeprefix("data: ")))
                    self._log.append(event)
                    yield event
        except (httpx.HTTPError, httpx.StreamError) as error:
            if not self._answer.is_closed:
                raise _unreachable(str(self._http.base_url), error) from error

    def result(self) -> AnswerResult:
        """Wait for its end."""
        for _ in self.events():
            pass
        started, end = self._log[0], self._log[-1]
        assert isinstance(started, RunStarted)
        if not isinstance(end, RunFinished) and self._stopped:
            return self._end_of(started.run_id)
        if not isinstance(end, RunFinished):
            raise UserError(
                "The server ended before the answer was finished: start it and ask again."
            )
        kept = [event for event in self._log if is_kept(event)]
        return AnswerResult.of(started.run_id, started.question, end, kept)

    def stop(self) -> None:
        """End it: the server stops a run whose client is gone."""
        self._stopped = True
        self._answer.close()

    def _end_of(self, run_id: str) -> AnswerResult:
        """The end of a run that was left, once the server has noticed."""
        until = time.monotonic() + _NOTICED
        while (answer := self._http.get(f"/runs/{run_id}")).status_code == 202:
            if time.monotonic() > until:
                raise UserError("The server goes on with this run: look at it later with `run`.")
            time.sleep(_JOB_ASKED)
        return AnswerResult.model_validate(_told(answer).json())


def _told(answer: httpx.Response) -> httpx.Response:
    """The answer.

    Raises:
        Missing: there is no such document or run; with the server's sentence, as all errors.
        UserError: it is another error.
    """
    if answer.is_success:
        return answer
    try:
        told = answer.json()
    except ValueError:
        told = None
    detail = told.get("detail") if isinstance(told, Mapping) else None
    sentence = detail or answer.text.strip() or f"The server answered {answer.status_code}."
    named = re.fullmatch(r".*/api/(document|run)s/[^/]+(/.*)?", answer.request.url.path)
    if answer.status_code == 404 and named:
        raise Missing(named[1], sentence)
    raise UserError(sentence)


def _unreachable(url: str, error: Exception) -> UserError:
    return UserError(
        f"The server at {url} does not answer ({error or type(error).__name__}). Start it with "
        "`python -m selfrag serve`, or look at what it says."
    )


def _part(text: str) -> str:
    """A part of a path, whatever a person typed."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in text) or "_"
