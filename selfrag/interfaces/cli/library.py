"""Commands on documents: take in, list, read, rename, remove."""

from pathlib import Path
from typing import Annotated

import typer

from selfrag.interfaces.cli.app import AsJson, app, examples, library, opened, print_json

DocumentId = Annotated[str, typer.Argument(help="As `documents` shows it.")]


@app.command(
    epilog=examples(
        "ingest report.pdf",
        "ingest ~/papers --ocr",
        "ingest --sample",
        "ingest --reset   # rebuild",
    )
)
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
    from selfrag.interfaces import show
    from selfrag.settings import load_settings

    if sample:
        from selfrag.documents.samples import sample_files

        paths = [*(paths or []), *sample_files()]
    results = []
    progress = show.IngestProgress(enabled=not as_json)
    if reset:
        from selfrag.interfaces.local import Local

        with opened(as_json, reset=True) as rag, progress:
            if paths or rag.settings.data_dir is not None or rag.unfinished:
                for item in Local(rag).ingest(paths or [], password, ocr, progress.file):
                    progress.done(item)
                    results.append(item)
    else:
        with library(as_json) as held, progress:
            folder = load_settings().data_dir
            chosen = paths or ([folder] if folder else [])
            for item in held.ingest(chosen, password, ocr, progress.file):
                progress.done(item)
                results.append(item)
    if as_json:
        print_json({"documents": [item.model_dump(mode="json") for item in results]})
    if any(item.status == "failed" for item in results):
        raise typer.Exit(1)


@app.command(epilog=examples("documents", "documents --json"))
def documents(as_json: AsJson = False) -> None:
    """List the documents of the library."""
    from selfrag.interfaces import show

    with library(as_json) as held:
        found = held.documents()
    if as_json:
        print_json({"documents": [item.model_dump(mode="json") for item in found]})
    else:
        show.documents(found)


@app.command(epilog=examples("read ID", "read ID --page 3"))
def read(
    document_id: DocumentId,
    page: Annotated[int | None, typer.Option(min=1, help="One page only, from 1.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the text of a document, as it was read."""
    from selfrag.errors import UserError

    with library(as_json) as held:
        pages = held.pages(document_id)
        if page is not None and not any(item.page == page for item in pages):
            raise UserError(f"There is no page {page}: the document has {len(pages)}.")
    found = [item for item in pages if page in (None, item.page)]
    if as_json:
        print_json({"pages": [item.model_dump(mode="json") for item in found]})
        return
    for item in found:
        label = f" ({item.label})" if item.label else ""
        typer.echo(f"--- {item.document}, page {item.page}{label}, {item.kind}\n{item.text}")


@app.command(epilog=examples('rename ID "Annual report 2025.pdf"'))
def rename(
    document_id: DocumentId,
    name: Annotated[str, typer.Argument(help="The new name.")],
    as_json: AsJson = False,
) -> None:
    """Show and cite a document under another name."""
    with library(as_json) as held:
        item = held.rename(document_id, name)
    if as_json:
        print_json({"renamed": item.model_dump(mode="json")})
    else:
        typer.echo(f"{item.document_id} is now called {item.document}.")


@app.command(epilog=examples("delete ID"))
def delete(document_id: DocumentId, as_json: AsJson = False) -> None:
    """Remove a document: its chunks, its pages, its record and the library's copy."""
    with library(as_json) as held:
        item = held.delete(document_id)
    if as_json:
        print_json({"deleted": item.model_dump(mode="json")})
    else:
        typer.echo(f"{item.document} is deleted.")
