"""How the command line shows results to a person: text, tables, and bars on a terminal only."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from selfrag.interfaces.consoles import console
from selfrag.interfaces.schemas import (
    AnswerResult,
    CheckItem,
    DocumentItem,
    IngestItem,
    RunItem,
    SearchResult,
)
from selfrag.reflection.events import Event, RunFinished, parse_event
from selfrag.reflection.grades import Support
from selfrag.reflection.story import price, tell, verdict
from selfrag.wording import count, duration, size

if TYPE_CHECKING:
    from selfrag.documents.results import Progress as FileProgress
    from selfrag.documents.results import Report

#: A document's state in the words of the pages.
STATES = {"unfinished": "waiting", "failed": "not taken in"}
MARKS = {"ok": "[green]✓[/]", "missing": "[yellow]-[/]", "problem": "[red]✗[/]"}


class IngestProgress:
    """A line for each file, and a bar under them while standard output is a terminal."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self.console = console()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            console=self.console,
            transient=True,
            disable=not (enabled and self.console.is_terminal),
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def file(self, path: Path, number: int, total: int) -> "Report | None":
        """A file begins; returns what is told as it goes on."""
        if not self._enabled:
            return None
        name = f"{number}/{total} {escape(path.name)}"
        task = self._task = self._bar.add_task(name, total=None)

        def report(progress: "FileProgress") -> None:
            self._bar.update(
                task,
                description=f"{name}: {progress.state.value}",
                completed=progress.done,
                total=progress.total or None,
            )

        return report

    def done(self, result: IngestItem) -> None:
        """A file is done."""
        if not self._enabled:
            return
        if self._task is not None:
            self._bar.remove_task(self._task)
        name = escape(result.document)
        if result.status == "failed":
            self.console.print(f"[red]✗[/] {_named(result.document, result.error or '')}")
            return
        found = f"{count(result.pages, 'page')}, {count(result.chunks, 'chunk')}"
        if result.status == "ready":
            self.console.print(f"[green]✓ {name}[/]: {found}, {result.seconds:.1f} s")
        else:
            self.console.print(f"- {name}: {result.status}, {found}")
        for note in result.notes:
            lines = "\n".join(f"    {line}" for line in note.splitlines() if line)
            self.console.print(escape(lines), style="dim", soft_wrap=True)


def _named(document: str, error: str) -> str:
    """An error that names its document once; most sentences begin with the name."""
    name = escape(document)
    if error.startswith(document):
        return f"[red]{name}[/]{escape(error.removeprefix(document))}"
    return f"[red]{name}[/]: {escape(error)}"


def documents(records: Sequence[DocumentItem]) -> None:
    """The library as a table."""
    to = console()
    if not records:
        to.print("Your library is empty. Add PDFs: python -m selfrag ingest FILE.pdf")
        return
    table = Table(box=None, header_style="bold")
    for name, side in (("id", "left"), ("document", "left"), ("state", "left")):
        table.add_column(name, justify=side, no_wrap=name == "id")  # type: ignore[arg-type]
    for name in ("pages", "chunks", "language", "size"):
        table.add_column(name, justify="right")
    for record in records:
        table.add_row(
            record.document_id,
            escape(record.document),
            STATES.get(record.status, record.status),
            str(record.pages),
            str(record.chunks),
            record.language or "-",
            size(record.bytes),
        )
    to.print(table)
    for record in records:
        if record.error:
            to.print(_named(record.document, record.error))


def runs(found: Sequence[RunItem]) -> None:
    """The latest runs as a table; times are this machine's."""
    to = console()
    if not found:
        to.print('Nothing was asked yet: python -m selfrag ask "..."')
        return
    table = Table(box=None, header_style="bold")
    for name in ("id", "asked", "ended"):
        table.add_column(name, no_wrap=True)
    table.add_column("question")
    for run in found:
        asked = datetime.fromtimestamp(run.started_at).strftime("%Y-%m-%d %H:%M")
        question = escape(" ".join(run.question.split()))
        table.add_row(run.run_id, asked, run.status, question)
    to.print(table)


def retrieval(found: SearchResult) -> None:
    """The hits with their ranks at every stage, and the stages."""
    to = console()
    if not found.hits:
        to.print("Nothing was found.")
    for note in found.notes:
        to.print(escape(note))
    for hit in found.hits:
        to.print(f"[bold]{hit.rank}. {escape(hit.document)}, page {hit.page}[/]")
        to.print(f"   {escape(' '.join(hit.text.split()))}")
        ranks = ", ".join(
            f"{name} #{score.rank} ({score.score:.3f})" for name, score in hit.scores.items()
        )
        to.print(f"   {ranks}", style="dim")
    for stage in found.stages:
        about = stage.reason or f"{stage.candidates_in} -> {stage.candidates_out}"
        if stage.note:
            about += f"; {stage.note}"
        to.print(
            f"{stage.name}: {stage.status.value}, {stage.seconds * 1000:.1f} ms, {escape(about)}",
            style="dim",
        )


def steps(events: Iterable[Event]) -> None:
    """One sentence for each step, as it comes."""
    to = console()
    for event in events:
        sentence = tell(event)
        if sentence is not None:
            took = f"  [dim]{event.seconds:.1f} s[/]" if event.seconds >= 0.05 else ""
            to.print(f"[dim]o[/] {escape(sentence)}{took}")


def answer(found: AnswerResult) -> None:
    """The verdict, the answer, and where each citation stands."""
    to = console()
    events = [parse_event(event) for event in found.events]
    end = events[-1]
    assert isinstance(end, RunFinished)
    to.print()
    said = verdict(end)
    if _answers_nothing(found, end):
        to.print("[bold]Only questions about your documents[/]")
    else:
        colour = {"good": "green", "fair": "yellow", "bad": "red"}[said.tone]
        to.print(f"[bold {colour}]{said.title}[/]")
        if said.remark:
            to.print(escape(said.remark), style="dim")
    if end.answer:
        to.print(escape(end.answer))
        if found.notice:
            to.print(f"({found.notice})", style="dim", soft_wrap=True)
    for citation in end.citations:
        where = escape(f"[{citation.number}] {citation.document}, page {citation.page}")
        quote = escape(" ".join(citation.quote.split()))
        to.print(f"  {where}: “{quote}”", style="dim")
    for item in end.evidence:
        side = "against" if item.against else "for"
        where = escape(f"{side}: {item.document}, page {item.page}")
        to.print(f"  {where}: “{escape(' '.join(item.quote.split()))}”", style="dim")
    usage = end.usage
    if usage and usage.llm_calls:
        tokens = usage.input_tokens + usage.output_tokens
        cost = "no price set (MODEL_PRICES)" if usage.cost_usd is None else price(usage.cost_usd)
        took = [count(usage.llm_calls, "call"), count(tokens, "token")]
        # What runs on this computer has no price to speak of.
        took += [cost] if usage.cost_usd != 0 else []
        to.print(", ".join([*took, duration(end.elapsed_s)]), style="dim")
    to.print(f"run {found.run_id}", style="dim", soft_wrap=True)


def _answers_nothing(found: AnswerResult, end: RunFinished) -> bool:
    """Whether it is only told what can be asked: no documents needed, and no model to talk."""
    without = end.status == "answered" and end.support is Support.NOT_APPLICABLE
    return without and end.verdict is None and found.notice is not None


def checks(found: Sequence[CheckItem]) -> None:
    """A line for each check."""
    to = console()
    for item in found:
        to.print(f"{MARKS[item.verdict]} [bold]{item.name}[/]: {escape(item.sentence)}")


def settings(rows: Sequence[tuple[str, str, str, str]]) -> None:
    """Every setting as a table."""
    table = Table("variable", "default", "allowed", "meaning", box=None, header_style="bold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    console().print(table)
