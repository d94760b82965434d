"""``evaluate answers``: strategies on questions whose answers are known."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from selfrag.interfaces.cli.app import AsJson, examples, opened, print_json, telling, wrong_usage
from selfrag.interfaces.cli.evaluating import group

if TYPE_CHECKING:
    from selfrag.evaluation.answers.measuring import MeasuredAnswers
    from selfrag.evaluation.answers.plan import Plan
    from selfrag.evaluation.answers.study import AnswerStudy
    from selfrag.evaluation.background import Done


@group.command(
    epilog=examples(
        "evaluate answers questions.csv",
        "evaluate answers questions.csv --strategy plain --strategy selfrag --rounds 3 --oracle",
        "evaluate answers questions.csv --budget-calls 500   # the same again goes on from there",
    )
)
def answers(
    file: Annotated[
        Path,
        typer.Argument(help="CSV with question, ground_truth; may have answerable, label, gold."),
    ],
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="plain, critique or selfrag; may be repeated; all where not given."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="How often each question is answered; 5 where not given, and once without a "
            "language model, as its answers alone vary."
        ),
    ] = None,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Answer from the gold passages as well.")
    ] = False,
    budget_calls: Annotated[
        int | None, typer.Option(help="Calls of language models, for answers and grades.")
    ] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="Tokens, read and written.")] = None,
    budget_seconds: Annotated[float | None, typer.Option(help="Seconds of all of it.")] = None,
    budget_cost: Annotated[float | None, typer.Option(help="US dollars.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="A new folder is made in it; STORAGE_DIR/evaluation/answers/results."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Answer again what was kept of an earlier run.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure how strategies answer, and test whether they differ. The same again costs nothing.

    It needs the library to itself: while the application runs, its Evaluate page measures the same.
    """
    from selfrag.evaluation.answers.choice import (
        ONE_IS_ENOUGH,
        STRATEGIES,
        AnswerChoice,
        usual_rounds,
    )
    from selfrag.evaluation.answers.folder import must_take_results
    from selfrag.evaluation.answers.questions import read_file
    from selfrag.evaluation.answers.spending import StudyBudget
    from selfrag.interfaces.cli.measured import bar, leave
    from selfrag.settings import load_settings

    began = time.perf_counter()
    with telling(as_json):
        usual = usual_rounds(load_settings())
    with wrong_usage():
        budget = StudyBudget(budget_calls, budget_tokens, budget_seconds, budget_cost)
        choice = AnswerChoice(
            tuple(strategy or STRATEGIES), usual if rounds is None else rounds, oracle, budget
        )
    with telling(as_json):
        questions = read_file(file)
    try:
        with opened(as_json) as rag:
            must_take_results(out or rag.answers.results)
            if not as_json:
                why = ONE_IS_ENOUGH if rounds is None and usual == 1 else ""
                _announce(rag.answers.plan(questions, choice), why)
            with bar(quiet=as_json) as progress:
                made = rag.answers.measure(questions, choice, progress=progress, fresh=fresh)
            seconds = time.perf_counter() - began
            done = rag.answers.keep(made, folder=out, seconds=seconds)
    except KeyboardInterrupt:
        leave("Cancelled. What was answered is kept: run the same again to go on.", as_json)
    if as_json:
        about = {"signature": made.signature, "made_of": made.made_of, "folder": str(done.folder)}
        print_json({**made.study.to_json(), **about, "changes": list(done.changes)})
    else:
        _tell(made, done, seconds)
    if not made.study.measured_anything:
        raise typer.Exit(1)


def _announce(plan: "Plan", why: str) -> None:
    """What is going to happen, on standard error, before anything is spent."""
    from selfrag.interfaces.consoles import console
    from selfrag.wording import count

    said = f"{count(plan.answers, 'answer')}, graded by {plan.judge}"
    if plan.calls:
        cost = f", {plan.usd:.2f} US dollars" if plan.usd else ""
        said += (
            f". Usually about {count(plan.calls, 'call')} and {count(plan.tokens, 'token')}{cost}; "
            "what an earlier run kept costs nothing"
        )
    console(errors=True).print(f"{said}. {why}".strip(), markup=False)


def _tell(made: "MeasuredAnswers", done: "Done[AnswerStudy]", seconds: float) -> None:
    from selfrag.evaluation.answers.findings import sentences
    from selfrag.evaluation.answers.text import notes, tables
    from selfrag.interfaces.cli.measured import draw, tell
    from selfrag.interfaces.consoles import console
    from selfrag.wording import count, duration

    to = console()
    tell(to, sentences(made.study))
    draw(to, tables(made.study))
    said = notes(made.study)
    if made.again:
        said.append(f"All of it was there from an earlier run ({duration(seconds)}).")
    elif made.spent.llm_calls:
        cost = made.spent.cost_usd
        price = ", no price set (MODEL_PRICES)" if cost is None else f", {cost:.4f} US dollars"
        calls, tokens = count(made.spent.llm_calls, "call"), count(made.spent.tokens, "token")
        said.append(
            f"It took {duration(seconds)}, {calls} and {tokens}{price if cost != 0 else ''}."
        )
    if done.changes:
        said.append("Since the last run of this set: " + "; ".join(done.changes) + ".")
    if made.study.stopped is not None:
        said.append(
            "Run the same again to go on from here."
            if made.further
            else "Nothing could be finished, so the same again would go no further: give it more."
        )
    said.append(f"{done.folder} is written.")
    tell(to, said)
