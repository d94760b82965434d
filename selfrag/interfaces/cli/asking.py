"""Commands that ask: search, answer, and what became of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from selfrag.interfaces.cli.app import (
    AsJson,
    DocumentIds,
    Mode,
    Policy,
    Strategy,
    app,
    examples,
    library,
    not_blank,
    print_json,
)

if TYPE_CHECKING:
    from selfrag.interfaces.schemas import AnswerResult

RunId = Annotated[str, typer.Argument(help="As `ask` and `run` show it.")]


@app.command(
    epilog=examples('retrieve "solar panels"', 'retrieve "parking spaces" --mode bm25 -k 10')
)
def retrieve(
    query: Annotated[str, typer.Argument(help="What to look for.", callback=not_blank)],
    mode: Annotated[Mode, typer.Option(help="How far down the funnel.")] = "full",
    k: Annotated[
        int | None, typer.Option("-k", "--k", min=1, max=100, help="How many passages.")
    ] = None,
    document: DocumentIds = None,
    as_json: AsJson = False,
) -> None:
    """Search, and show what every stage of the funnel did."""
    from selfrag.interfaces import show
    from selfrag.interfaces.asking import SearchParameters, fit

    with library(as_json) as held:
        values = {"q": query, "mode": mode, "k": k, "document": document or None}
        found = held.search(fit(SearchParameters, values))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show.retrieval(found)


@app.command(
    epilog=examples(
        'ask "How much do the solar panels cost?"',
        'ask "The solar panels cost 164,000 euros." --claim',
        'ask "..." --strategy plain --json',
    )
)
def ask(
    question: Annotated[str, typer.Argument(help="About your documents.", callback=not_blank)],
    mode: Annotated[Mode, typer.Option(help="How far down the funnel.")] = "full",
    document: DocumentIds = None,
    max_retries: Annotated[int | None, typer.Option(min=0, max=10, help="Of each kind.")] = None,
    strategy: Annotated[
        Strategy | None, typer.Option(help="How much is checked; STRATEGY where not given.")
    ] = None,
    retrieval: Annotated[
        Policy | None, typer.Option(help="Whether to look in the documents.")
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
    from selfrag.interfaces import show
    from selfrag.interfaces.asking import AnswerBody, fit

    values: dict[str, Any] = {
        "question": question,
        "mode": mode,
        "documents": document or None,
        "max_retries": max_retries,
        "strategy": strategy,
        "retrieval": retrieval,
        "k": k,
        "claim": claim,
    }
    with library(as_json) as held:
        answering = held.ask(fit(AnswerBody, values))
        try:
            if not as_json:
                show.steps(answering.events())
            found = answering.result()
        except KeyboardInterrupt:
            answering.stop()
            found = answering.result()
    _tell(found, as_json)


@app.command(epilog=examples("run", "run RUN_ID", "run RUN_ID --json"))
def run(
    run_id: Annotated[
        str | None, typer.Argument(help="Of a run; the latest are listed where none is given.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many are listed.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show a run that has ended, its answer and what backs it; or list the latest runs."""
    from selfrag.interfaces import show

    with library(as_json) as held:
        if run_id is None:
            listed = held.runs(limit)
            if as_json:
                print_json({"runs": [item.model_dump(mode="json") for item in listed]})
            else:
                show.runs(listed)
            return
        found = held.run(run_id)
    _tell(found, as_json)


@app.command(
    epilog=examples("export RUN_ID --html answer.html", "export RUN_ID --json-file run.json")
)
def export(
    run_id: RunId,
    html: Annotated[
        Path | None, typer.Option(help="A report with page images; opens without a network.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option(help="The run's events, to be read back.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run of the records as a report for people, or as JSON for programs."""
    from selfrag.interfaces import sharing

    if html is None and json_file is None and not as_json:
        raise typer.BadParameter(
            "say where to: --html FILE for people, --json-file FILE for programs."
        )
    with library(as_json) as held:
        if as_json and html is None and json_file is None:
            print_json(held.exported(run_id))
            return
        made = sharing.write(held, run_id, html, json_file)
    if as_json:
        print_json({"written": [str(path) for path in made]})
    else:
        for path in made:
            typer.echo(f"{path} is written.")


def _tell(found: "AnswerResult", as_json: bool) -> None:
    from selfrag.interfaces import show

    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        show.answer(found)
    if found.status == "failed":
        raise typer.Exit(1)
