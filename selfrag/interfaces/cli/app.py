"""What all commands share: the program, how it opens a library, prints JSON and fails."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer.core import TyperGroup

from selfrag.interfaces.cli.output import output_fails

if TYPE_CHECKING:
    from selfrag.interfaces.backend import Backend
    from selfrag.service import SelfRag

PROGRAM = "python -m selfrag"
COMPLETE = "_SELFRAG_COMPLETE"  #: the variable by which a shell asks for completions


class _Plain(TyperGroup):
    """Wrong values are told in a sentence, without the name of the exception before it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    cls=_Plain,
    help="Ask your own PDFs, and see why each answer can or can't be trusted.",
    epilog='Begin with `python -m selfrag ingest FILE.pdf`, then `python -m selfrag ask "..."`. '
    "While the application runs on the same library, commands talk to it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Mode = Literal["bm25", "dense", "hybrid", "hybrid_mmr", "hybrid_rerank", "full"]
Strategy = Literal["plain", "critique", "selfrag"]
Policy = Literal["adaptive", "always", "never"]
DocumentIds = Annotated[
    list[str] | None, typer.Option(help="Id of a document to search in; may be repeated.")
]


def not_blank(value: str) -> str:
    """What was typed.

    Raises:
        typer.BadParameter: there is nothing in it.
    """
    if not value.strip():
        raise typer.BadParameter("it is empty: type what you want to know.")
    return value


def examples(*lines: str) -> str:
    """What stands below a command's help; the mark keeps its lines as they are."""
    return "\n".join(["\b", "Examples:", *(f"  {PROGRAM} {line}" for line in lines)])


@contextmanager
def library(as_json: bool) -> Iterator["Backend"]:
    """The library: a running server's, or opened here; `telling` what goes wrong."""
    from selfrag.interfaces import remote
    from selfrag.settings import load_settings

    with telling(as_json):
        settings = load_settings()
        found = remote.find(settings)
        if found is not None:
            yield found
            return
        from selfrag.interfaces.local import Local
        from selfrag.service import SelfRag

        with SelfRag.open(settings) as rag:
            yield Local(rag)


@contextmanager
def opened(as_json: bool, *, reset: bool = False) -> Iterator["SelfRag"]:
    """The library opened in this process, for what a server does not do for others."""
    from selfrag.service import SelfRag

    with telling(as_json), SelfRag.open(reset=reset) as rag:
        yield rag


@contextmanager
def telling(as_json: bool) -> Iterator[None]:
    """While inside, what the person can put right is told and ends with exit code 1."""
    from selfrag.errors import NO_ROOM, Missing, ModelError, UserError, disk_is_full

    try:
        yield
    except Missing as error:
        listing = {"document": "documents", "run": "run"}[error.kind]
        fail(f"There is no {error.kind} with this id: `{PROGRAM} {listing}` lists them.", as_json)
    except (UserError, ModelError) as error:
        fail(str(error), as_json)
    except OSError as error:
        if not disk_is_full(error) or output_fails():
            raise
        fail(NO_ROOM, as_json)


@contextmanager
def wrong_usage() -> Iterator[None]:
    """While inside, what the person typed is checked: what is refused ends with exit code 2."""
    from selfrag.errors import UserError

    try:
        yield
    except UserError as error:
        raise typer.BadParameter(str(error)) from None


def fail(message: str, as_json: bool) -> NoReturn:
    """Say what went wrong and end with exit code 1."""
    if as_json:
        print_json({"error": message})
    else:
        from selfrag.interfaces.consoles import console

        console(errors=True).print(message, style="red", markup=False)
    raise typer.Exit(1)


def print_json(data: Any) -> None:
    """One JSON document, in letters that the console has."""
    unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(data, ensure_ascii=not unicode, indent=2))
