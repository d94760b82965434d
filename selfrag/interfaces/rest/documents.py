"""The library: list, add, read and remove documents."""

import asyncio
import contextlib
import shutil
import uuid
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message

from selfrag import process
from selfrag.documents.jobs import JobView
from selfrag.documents.names import sent_name
from selfrag.interfaces.asking import Asked
from selfrag.interfaces.problems import Problem
from selfrag.interfaces.rest.endpoint import Call, Endpoint, in_thread
from selfrag.interfaces.rest.sending import send
from selfrag.interfaces.schemas import (
    Deleted,
    DocumentItem,
    DocumentList,
    IngestItem,
    JobItem,
    PageList,
    PageText,
)
from selfrag.service import SelfRag

_FORM_OVERHEAD = 100_000  #: bytes of a form besides its file
_ASKED_AGAIN = 0.1  #: seconds between two looks at a job that is waited for


class Upload(BaseModel):
    """A PDF to be taken in, as a form."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    file: Annotated[UploadFile, WithJsonSchema({"type": "string", "format": "binary"})] = Field(
        description="The PDF."
    )
    password: str | None = Field(
        default=None, max_length=1000, description="Opens a protected file; it is not stored."
    )
    ocr: bool = Field(default=False, description="Recognise text on scanned pages.")
    source: str | None = Field(
        default=None,
        max_length=4096,
        description="The path it came from: a changed file of the same path takes its place.",
    )
    wait: bool = Field(
        default=True,
        description="Answer when it is in; false answers at once with the job to look at.",
    )


async def listed(call: Call) -> Response:
    """Every document, in whatever state."""
    records = await in_thread(call.rag.documents)
    return send(DocumentList(documents=[DocumentItem.of(record) for record in records]))


async def one(call: Call) -> Response:
    """One document."""
    return send(DocumentItem.of(await _record(call)))


async def page(call: Call) -> Response:
    """The text of one page."""
    record = await _record(call)
    number = call.path("page")
    pages = await in_thread(lambda: call.rag.pages(record.id))
    found = next((item for item in pages if str(item.number) == number), None)
    if found is None:
        raise Problem(404, f"There is no such page: {record.name} has {len(pages)}.")
    return send(PageText.of(record, found))


async def pages(call: Call) -> Response:
    """The text of a document, page by page."""
    record = await _record(call)
    found = await in_thread(lambda: call.rag.pages(record.id))
    return send(PageList(pages=[PageText.of(record, item) for item in found]))


class NewName(Asked):
    """Another name for a document."""

    name: str = Field(min_length=1, max_length=255, examples=["Annual report 2025.pdf"])


async def rename(call: Call) -> Response:
    """Show and cite a document under another name."""
    record = await _record(call)
    asked: NewName = call.body
    return send(DocumentItem.of(await in_thread(lambda: call.rag.rename(record.id, asked.name))))


async def delete(call: Call) -> Response:
    """Remove a document with all that was made of it."""
    record = await _record(call)
    await in_thread(lambda: call.rag.delete(record.id))
    return send(Deleted(deleted=DocumentItem.of(record)))


async def add(call: Call) -> Response:
    """Take a PDF in. The same file twice changes nothing."""
    rag = call.rag
    waiting = rag.incoming / f"{uuid.uuid4().hex}.pdf"
    async with _form(call.request, rag.settings.max_upload_mb) as fields:
        upload = Upload.model_validate(fields)
        name = sent_name(upload.file.filename or "document.pdf")
        job_id = await in_thread(lambda: _submit(rag, upload, waiting, name))
    while True:
        view = _job(call, job_id)
        if view.result is not None or not upload.wait:
            break
        if process.stopping.is_set():
            raise Problem(503, f"The server is stopping: {name} is taken in at its next start.")
        await asyncio.sleep(_ASKED_AGAIN)
    where = {"Location": f"/api/jobs/{job_id}"}
    if view.result is None:
        return send(JobItem.of(view), 202, where)
    told = IngestItem.of(view.result)
    if told.status in ("failed", "cancelled"):
        stopped = f"{name} was not taken in: it was stopped or deleted meanwhile. Send it again."
        raise Problem(422, told.error or stopped, headers=where)
    return send(told, 201 if told.status == "ready" else 200, where)


async def job(call: Call) -> Response:
    """A file on its way into the library."""
    return send(JobItem.of(_job(call, call.path("job_id"))))


def _job(call: Call, job_id: str) -> JobView:
    for view in call.rag.jobs.views():
        if view.id == job_id:
            return view
    raise Problem(404, "There is no job with this id: adding a document gives one.")


async def _record(call: Call) -> Any:
    record = await in_thread(lambda: call.rag.library.find(call.path("document_id")))
    if record is None:
        raise Problem(404, "There is no document with this id: GET /api/documents lists them.")
    return record


@contextlib.asynccontextmanager
async def _form(request: Request, most_mb: int) -> Any:
    """The fields of a form, which may not be larger than the setting allows."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise Problem(415, "Send the PDF as a form: `curl -F file=@FILE.pdf URL`.")
    most = most_mb * 1_000_000 + _FORM_OVERHEAD
    too_large = Problem(413, f"This file is larger than {most_mb} MB: raise MAX_UPLOAD_MB.")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise too_large
    received = 0

    async def receive() -> Message:
        nonlocal received
        message = await request.receive()
        received += len(message.get("body", b""))
        if received > most:
            raise too_large
        return message

    counted = Request(request.scope, receive)
    try:
        form = await counted.form(max_files=1, max_fields=8)
    except MultiPartException as error:
        raise Problem(422, f"This form cannot be read: {error.message}") from None
    except HTTPException as error:
        raise Problem(422, f"This form cannot be read: {error.detail}") from None
    try:
        names = [name for name, _ in form.multi_items()]
        if len(set(names)) < len(names):
            raise Problem(422, "This request cannot be used: a field is given twice.")
        yield dict(form)
    finally:
        await form.close()


def _submit(rag: SelfRag, upload: Upload, waiting: Path, name: str) -> str:
    try:
        with waiting.open("wb") as file:
            shutil.copyfileobj(upload.file.file, file)
        return rag.submit(
            waiting, name, password=upload.password, ocr=upload.ocr, source=upload.source
        )
    finally:
        waiting.unlink(missing_ok=True)


_DOCUMENT = {"document_id": "As the list of documents gives it."}
_NO_DOCUMENT = {404: "There is no such document."}

ENDPOINTS = (
    Endpoint("GET", "/documents", listed, "List the documents", {200: DocumentList}),
    Endpoint(
        "POST",
        "/documents",
        add,
        "Add a PDF",
        {201: IngestItem, 200: IngestItem, 202: JobItem},
        form=Upload,
        problems={
            413: "The file is larger than MAX_UPLOAD_MB.",
            415: "It is no form.",
            503: "The server is stopping.",
        },
        description="201 once it is in, 200 where it was there already, 202 with a job to look at "
        "where `wait` is false, 422 with a sentence where it cannot be read.",
    ),
    Endpoint(
        "GET",
        "/documents/{document_id}",
        one,
        "One document",
        {200: DocumentItem},
        parts=_DOCUMENT,
        problems=_NO_DOCUMENT,
    ),
    Endpoint(
        "PATCH",
        "/documents/{document_id}",
        rename,
        "Rename a document",
        {200: DocumentItem},
        body=NewName,
        parts=_DOCUMENT,
        problems=_NO_DOCUMENT,
    ),
    Endpoint(
        "GET",
        "/documents/{document_id}/pages",
        pages,
        "The text of a document",
        {200: PageList},
        parts=_DOCUMENT,
        problems=_NO_DOCUMENT,
    ),
    Endpoint(
        "GET",
        "/documents/{document_id}/pages/{page}",
        page,
        "The text of a page",
        {200: PageText},
        parts={**_DOCUMENT, "page": "Position in the file, from 1."},
        problems={404: "There is no such document or page."},
    ),
    Endpoint(
        "DELETE",
        "/documents/{document_id}",
        delete,
        "Remove a document",
        {200: Deleted},
        parts=_DOCUMENT,
        problems=_NO_DOCUMENT,
    ),
    Endpoint(
        "GET",
        "/jobs/{job_id}",
        job,
        "A file on its way into the library",
        {200: JobItem},
        parts={"job_id": "As adding a document gives it."},
        problems={404: "There is no such job."},
    ),
)
