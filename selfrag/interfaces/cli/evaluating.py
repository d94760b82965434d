"""Commands that measure: what each mode of retrieval finds, with tests between them."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.interfaces.cli.app import (
    AsJson,
    app,
    examples,
    opened,
    print_json,
    telling,
    wrong_usage,
)

if TYPE_CHECKING:
    from selfrag.evaluation.background import Done
    from selfrag.evaluation.retrieval_study import Measured, Task
    from selfrag.evaluation.study import Study
    from selfrag.settings import Settings

group = typer.Typer(
    help="Measure on labelled questions, with intervals and significance tests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(group, name="evaluate")

_USUAL = ("bm25", "dense", "hybrid", "hybrid_mmr", "hybrid_rerank", "full")


@group.command(
    epilog=examples(
        "evaluate retrieval scifact",
        "evaluate retrieval scifact --mode bm25 --mode hybrid:fusion=rrf --html scifact.html",
        "evaluate retrieval --labels   # your own, from Compare search",
    )
)
def retrieval(
    folder: Annotated[
        Path | None,
        typer.Argument(help="In BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv."),
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="Measure on your own labels instead of a folder.")
    ] = False,
    mode: Annotated[
        list[str] | None,
        typer.Option(help="May be repeated, and may have parameters: hybrid:fusion=rrf,k=10."),
    ] = None,
    split: Annotated[str, typer.Option(help="The file of qrels/ that is taken.")] = "test",
    measure: Annotated[
        str,
        typer.Option(
            help="The one that is tested, as ir-measures writes it (RR@10 for MRR@10, AP for MAP)."
        ),
    ] = "nDCG@10",
    chunked: Annotated[
        bool, typer.Option("--chunked", help="Cut documents as PDFs are cut.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Search again what was kept of an earlier run.")
    ] = False,
    csv: Annotated[
        Path | None, typer.Option(help="Write every value, a row per mode and question.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the tables as a page.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what modes find, and test whether they differ. The same again costs nothing."""
    from selfrag.errors import UserError
    from selfrag.evaluation.set_task import task_of
    from selfrag.evaluation.study_text import as_csv, as_html
    from selfrag.interfaces.cli.measured import bar
    from selfrag.retrieval.variant import parse_variants
    from selfrag.settings import load_settings

    with wrong_usage():
        if labels == (folder is not None):
            raise UserError("Name a folder in BEIR layout, or --labels for your own.")
        variants = parse_variants(mode or _USUAL)
        tested = _known(measure)
    with telling(as_json):
        began = time.perf_counter()
        if folder is None:
            with opened(as_json) as rag, bar(quiet=as_json) as progress:
                done, made = (
                    rag.studies.measure_labels(
                        variants, tested, progress=partial(progress, "Your labels")
                    ),
                    None,
                )
        else:
            settings = load_settings()
            task = task_of(
                folder,
                settings,
                variants,
                split=split,
                measure=tested,
                chunked=chunked,
            )
            made = _run(task, fresh=fresh, quiet=as_json)
            done = _keep(settings, task, made, time.perf_counter() - began)
        study = done.study
        for path, text in (
            (csv, lambda: as_csv(study)),
            (html, lambda: as_html(study, list(made.made_of.items()) if made else ())),
        ):
            if path is not None:
                _write(path, text())
    if as_json:
        about = {"signature": made.signature, "made_of": made.made_of} if made else {}
        print_json({**study.to_json(), **about})
    else:
        _tell(done, time.perf_counter() - began, [p for p in (csv, html) if p])


def _known(measure: str) -> str:
    """The measure, refused where ir-measures has none of that name."""
    import ir_measures

    from selfrag.errors import UserError

    try:
        return str(ir_measures.parse_measure(measure))
    except (NameError, ValueError, SyntaxError, KeyError, TypeError):
        raise UserError(
            f"There is no measure {measure!r}: take one such as nDCG@10, R@20, RR@10 or P@5."
        ) from None


def _run(task: "Task", *, fresh: bool, quiet: bool) -> "Measured":
    from selfrag.evaluation.retrieval_study import measure
    from selfrag.interfaces.cli.measured import bar
    from selfrag.interfaces.consoles import console

    try:
        with bar(quiet=quiet) as progress:
            return measure(task, progress=progress, fresh=fresh)
    except KeyboardInterrupt:
        said = "Cancelled. What was embedded and searched is kept: run the same again to go on."
        console(errors=True).print(said)
        raise typer.Exit(130) from None


def _keep(settings: "Settings", task: "Task", made: "Measured", seconds: float) -> "Done[Study]":
    """Put it into the history, which the Evaluate page shows."""
    from selfrag.evaluation.history import History, record_of
    from selfrag.evaluation.studies import kept
    from selfrag.models.tracing import Tracing, switch_off
    from selfrag.records.database import open_database
    from selfrag.records.results import Results

    record = record_of(made.study, made.made_of, made.signature, task.wanted, seconds=seconds)
    switch_off()
    tracing = Tracing(settings)
    engine = open_database(settings.database_url, settings.storage_dir.expanduser())
    try:
        return kept(History(Results(engine), tracing), record, made.study, again=made.again)
    finally:
        engine.dispose()
        tracing.close()


def _write(path: Path, text: str) -> None:
    from selfrag.errors import UserError

    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror}): name another.") from None


def _tell(done: "Done[Study]", seconds: float, written: list[Path]) -> None:
    from selfrag.evaluation.study_text import notes, tables
    from selfrag.evaluation.verdict import verdict
    from selfrag.interfaces.cli.measured import draw, tell
    from selfrag.interfaces.consoles import console
    from selfrag.wording import duration

    study = done.study
    to = console()
    tell(to, verdict(study))
    draw(to, tables(study))
    said = notes(study)
    if study.embedding is not None:
        said.append(
            "ms: a search without embedding the question, which takes "
            f"{study.embedding * 1000:.1f}."
        )
    if done.again:
        said.append(f"All of it was there from an earlier run ({duration(seconds)}).")
    if done.changes:
        said.append("Since the last run of this set: " + "; ".join(done.changes) + ".")
    said += [f"{path} is written." for path in written]
    tell(to, said)
