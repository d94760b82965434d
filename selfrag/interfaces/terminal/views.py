"""What the terminal client shows: the menu, steps as they happen, answers, tables."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from selfrag.interfaces.mcp.texts import AnswerForModel
from selfrag.interfaces.schemas import Health, SearchResult
from selfrag.reflection.events import RunFinished
from selfrag.reflection.grades import Support, Verdict
from selfrag.reflection.story import verdict

MENU = {"1": "Ask", "2": "Search", "3": "Health", "4": "List tools", "5": "Exit"}
_TONES = {"good": "green", "fair": "yellow", "bad": "red"}
_MARKS = {"ok": "[green]✓[/]", "missing": "[yellow]-[/]", "problem": "[red]✗[/]"}


def menu(console: Console, url: str) -> None:
    """What can be done."""
    console.print()
    console.print(f"[bold]Self-RAG[/] [dim]at {escape(url)}[/]")
    for key, what in MENU.items():
        console.print(f"  [bold]{key}[/]  {what}")


def step(console: Console, number: float, sentence: str) -> None:
    """A step that was done."""
    console.print(f"[dim]{number:>3.0f}[/]  {escape(sentence)}")


def answer(console: Console, told: AnswerForModel) -> None:
    """The verdict, the answer, and a table of its sources."""
    end = RunFinished(
        status=told.status,  # type: ignore[arg-type]
        answer=told.answer,
        support=Support(told.support),
        useful=told.useful,
        retries=told.retries,
        verdict=Verdict(told.verdict) if told.verdict else None,
        reason=told.reason,
    )
    said = verdict(end)
    console.print()
    if told.notice and end.status == "answered" and end.support is Support.NOT_APPLICABLE:
        # It is only told what can be asked: there is no answer that a verdict could be on.
        console.print("[bold]Only questions about your documents[/]")
    else:
        console.print(f"[bold {_TONES[said.tone]}]{escape(said.title)}[/]")
        if said.remark:
            console.print(Text(said.remark, style="dim"), soft_wrap=True)
    console.print(Text(told.answer), soft_wrap=True)
    if told.notice:
        console.print(Text(f"({told.notice})", style="dim"), soft_wrap=True)
    if told.citations or told.evidence:
        table = Table(box=None, header_style="bold", pad_edge=False)
        table.add_column("", no_wrap=True)
        table.add_column("document")
        table.add_column("page", justify="right")
        table.add_column("quote")
        for item in told.citations:
            table.add_row(f"\\[{item.number}]", *_place(item.document, item.page, item.quote))
        for evidence in told.evidence:
            side = "against" if evidence.against else "for"
            table.add_row(side, *_place(evidence.document, evidence.page, evidence.quote))
        console.print()
        console.print(table)
    for note in told.notes:
        console.print(Text(note, style="yellow"))


def hits(console: Console, found: SearchResult) -> None:
    """The passages of a search as a table."""
    for note in found.notes:
        console.print(Text(note, style="yellow"))
    if not found.hits:
        console.print("Nothing was found.")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("", justify="right")
    table.add_column("document")
    table.add_column("page", justify="right")
    table.add_column("passage")
    for hit in found.hits:
        table.add_row(str(hit.rank), *_place(hit.document, hit.page, hit.text))
    console.print(table)
    stages = ", ".join(f"{stage.name} {stage.status.value}" for stage in found.stages)
    console.print(Text(f"{stages}; {found.seconds * 1000:.0f} ms", style="dim"))


def health(console: Console, told: Health) -> None:
    """A line for each check."""
    for item in told.checks:
        console.print(f"{_MARKS[item.verdict]} [bold]{item.name}[/]: {escape(item.sentence)}")


def tools(console: Console, listed: list[tuple[str, str]]) -> None:
    """What the server can be asked to do."""
    table = Table("tool", "what it does", box=None, header_style="bold", pad_edge=False)
    for name, what in listed:
        table.add_row(escape(name), escape(what))
    console.print(table)


def _place(document: str, page: int, text: str) -> tuple[str, str, str]:
    return escape(document), str(page), escape(" ".join(text.split()))
