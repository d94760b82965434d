"""The command line: everything the service can do, for people and for scripts.

``--json`` prints one JSON document on standard output and nothing else there. Exit codes: 0 done,
1 failed, 2 wrong usage.
"""

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from selfrag import settings as settings_module
from selfrag.diagnosis import Verdict, examine, examine_closed
from selfrag.documents.samples import sample_files
from selfrag.errors import ModelError, UserError
from selfrag.index import transfer
from selfrag.interfaces import sharing, show
from selfrag.records.documents import DocumentRecord, State
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from selfrag.settings import load_settings

app = typer.Typer(
    help="Answers questions about your own PDFs, and shows why each answer can be trusted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


@contextmanager
def _opened(as_json: bool, *, reset: bool = False) -> Iterator[SelfRag]:
    """The open service; what the person can put right is told and ends with exit code 1."""
    try:
        with SelfRag.open(reset=reset) as rag:
            yield rag
    except (UserError, ModelError) as error:
        _fail(str(error), as_json)


def _fail(message: str, as_json: bool) -> None:
    if as_json:
        _print_json({"error": message})
    else:
        Console(stderr=True).print(message, style="red", markup=False, highlight=False)
    raise typer.Exit(1)


def _print_json(data: Any) -> None:
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(data, ensure_ascii=not unicode, indent=2))


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="PDFs and folders; DATA_DIR where none is given.")
    ] = None,
    reset: Annotated[
        bool,
        typer.Option("--reset", help="Empty the index first and rebuild it with these settings."),
    ] = False,
    password: Annotated[
        str | None, typer.Option(help="Opens protected files; it is not stored.")
    ] = None,
    ocr: Annotated[
        bool, typer.Option("--ocr", help="Recognise text on scanned pages (needs tesseract).")
    ] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="The sample library: four short documents.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take PDFs into the library. The same file twice changes nothing."""
    with _opened(as_json, reset=reset) as rag:
        if sample:
            paths = [*(paths or []), *sample_files()]
        progress = show.IngestProgress(enabled=not as_json)
        results = []
        if paths or not reset or rag.settings.data_dir is not None or rag.unfinished:
            with progress:
                for result in rag.ingest(
                    paths or [], password=password, ocr=ocr, report=progress.file
                ):
                    progress.done(result)
                    results.append(result)
        if as_json:
            _print_json({"documents": [result.to_json() for result in results]})
        if any(result.status == "failed" for result in results):
            raise typer.Exit(1)


@app.command()
def documents(as_json: AsJson = False) -> None:
    """List the documents of the library."""
    with _opened(as_json) as rag:
        records = rag.documents()
        if as_json:
            _print_json({"documents": [_document_json(record) for record in records]})
        else:
            show.documents(records)


@app.command()
def delete(
    document_id: Annotated[str, typer.Argument(help="As `documents` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Remove a document: its chunks, its pages, its record and the library's copy."""
    with _opened(as_json) as rag:
        record = rag.delete(document_id)
        if as_json:
            _print_json({"deleted": _document_json(record)})
        else:
            typer.echo(f"{record.name} is deleted.")


@app.command()
def retrieve(
    query: Annotated[str, typer.Argument(help="What to look for.")],
    mode: Annotated[Mode, typer.Option(help="How far down the funnel.")] = Mode.FULL,
    k: Annotated[int | None, typer.Option("-k", "--k", help="How many passages, 1 to 100.")] = None,
    document: Annotated[
        list[str] | None, typer.Option(help="Id of a document to search in; may be repeated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Search, and show what every stage of the funnel did."""
    with _opened(as_json) as rag:
        found = rag.retrieve(query, mode, k, document or None)
        if as_json:
            _print_json(found.to_json())
        else:
            show.retrieval(found)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="About your documents.")],
    mode: Annotated[Mode, typer.Option(help="How far down the funnel.")] = Mode.FULL,
    document: Annotated[
        list[str] | None, typer.Option(help="Id of a document to search in; may be repeated.")
    ] = None,
    max_retries: Annotated[int | None, typer.Option(min=0, max=10, help="Of each kind.")] = None,
    strategy: Annotated[
        Strategy | None, typer.Option(help="How much is checked; STRATEGY where not given.")
    ] = None,
    retrieval: Annotated[
        RetrievalPolicy | None, typer.Option(help="Whether to look in the documents.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", "--k", min=1, max=100, help="Passages of each search.")
    ] = None,
    claim: Annotated[
        bool | None,
        typer.Option("--claim/--question", help="A statement to check, or not; told by itself."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Answer a question or check a statement, and show each step and what backs the answer."""
    with _opened(as_json) as rag:
        run = rag.start(
            question,
            mode=mode,
            documents=document or None,
            max_retries=max_retries,
            strategy=strategy,
            retrieval=retrieval,
            k=k,
            claim=claim,
        )
        try:
            if not as_json:
                show.steps(run.follow())
            end = run.result()
        except KeyboardInterrupt:
            run.stop()
            end = run.result()
        if as_json:
            _print_json(run.to_json())
        else:
            show.answer(end, run.log.kept())
        if end.status == "failed":
            raise typer.Exit(1)


@app.command()
def export(
    run_id: Annotated[str, typer.Argument(help="As `ask --json` and shared files name it.")],
    html: Annotated[
        Path | None, typer.Option(help="A report with page images; opens without a network.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option(help="The run's events, to be read back.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run of the records as a report for people, or as JSON for programs."""
    with _opened(as_json) as rag:
        if as_json and html is None and json_file is None:
            _print_json(rag.sharing.json(run_id))
            return
        made = sharing.write(rag, run_id, html, json_file)
    if as_json:
        _print_json({"written": [str(path) for path in made]})
    else:
        for path in made:
            typer.echo(f"{path} is written.")


@app.command()
def move(
    to: Annotated[
        str, typer.Option("--to", help="URL of a Qdrant server, or embedded: this machine.")
    ],
    as_json: AsJson = False,
) -> None:
    """Move the index to a Qdrant server or back, without embedding anything again."""
    try:
        copied = transfer.move(load_settings(), to)
    except UserError as error:
        _fail(str(error), as_json)
        return
    if as_json:
        _print_json({"moved": copied, "to": to})
    else:
        for name, count in copied.items():
            typer.echo(f"{name}: {count} points are at {to}.")
        step = "clear QDRANT_URL" if to == transfer.EMBEDDED else f"set QDRANT_URL={to}"
        typer.echo(f"To use them, {step} and start again. What was moved is still where it was.")


@app.command()
def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Finish or remove what an interruption left behind.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Say what is configured, reachable and missing, and how to mend it."""
    try:
        with SelfRag.open() as rag:
            if repair:
                with show.IngestProgress(enabled=not as_json) as progress:
                    for result in rag.finish(report=progress.file):
                        progress.done(result)
            checks = examine(rag, ask_endpoints=True)
    except UserError as error:
        try:
            checks = examine_closed(load_settings(), str(error), ask_endpoints=True)
        except UserError as wrong:
            _fail(str(wrong), as_json)
            return
    if as_json:
        found = [
            {"name": item.name, "verdict": item.verdict, "sentence": item.sentence}
            for item in checks
        ]
        _print_json({"checks": found})
    else:
        show.checks(checks)
    if any(item.verdict is Verdict.PROBLEM for item in checks):
        raise typer.Exit(1)


@app.command()
def settings(
    env_example: Annotated[
        bool, typer.Option("--env-example", help="Print the text of .env.example.")
    ] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the table of the README.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every setting with its default, its bounds and its meaning."""
    rows = settings_module.describe()
    if env_example:
        typer.echo(settings_module.env_example(), nl=False)
    elif markdown:
        typer.echo(settings_module.markdown_table())
    elif as_json:
        names = ("variable", "default", "allowed", "meaning")
        _print_json({"settings": [dict(zip(names, row, strict=True)) for row in rows]})
    else:
        show.settings(rows)


def _document_json(record: DocumentRecord) -> dict[str, Any]:
    status = record.state.value if record.state in (State.READY, State.FAILED) else "unfinished"
    return {
        "document": record.name,
        "document_id": record.id,
        "status": status,
        "pages": record.page_count,
        "pages_by_kind": record.pages,
        "chunks": record.children,
        "language": record.language,
        "bytes": record.bytes,
        "error": record.error,
        "notes": list(record.notes),
    }


def main() -> None:
    """Entry point; the log goes to standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console may not know every character
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    app(prog_name="python -m selfrag")
