"""Commands that serve, or talk to a server: serve, mcp, client."""

import os
from pathlib import Path
from typing import Annotated

import typer

from selfrag.interfaces.cli.app import app, examples, fail, print_json

PORT = 8501  #: the same as that of the pages, so that clients need not know which is running


@app.command(epilog=examples("serve", "serve --port 9000", "serve --host 0.0.0.0"))
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = PORT,
) -> None:
    """Serve REST and MCP, without pages."""
    from selfrag.errors import UserError
    from selfrag.interfaces import serving

    try:
        code = serving.serve(host, port)
    except UserError as error:
        fail(str(error), as_json=False)
    if code:
        raise typer.Exit(code)


@app.command(
    epilog=examples(
        "mcp --config   # for claude_desktop_config.json", "mcp   # started by a client"
    )
)
def mcp(
    folder: Annotated[
        Path | None,
        typer.Option(help="Work there: where your .env and a relative STORAGE_DIR are."),
    ] = None,
    config: Annotated[
        bool, typer.Option("--config", help="Print the configuration of an MCP client, and end.")
    ] = False,
) -> None:
    """Speak MCP over standard input and output, for a client that starts it."""
    from selfrag.errors import UserError

    here = (folder or Path()).expanduser().resolve()
    if config:
        from selfrag.interfaces.mcp.configuration import configuration, unprinted

        print_json(configuration(here))
        if hidden := unprinted(here):
            typer.echo(
                f"Not printed, as they are secrets that only this shell has: {', '.join(hidden)}. "
                f'Write them into {here / ".env"}, or into "env" by hand.',
                err=True,
            )
        return
    if not here.is_dir():
        fail(f"{here} is not there: check the path of --folder.", as_json=False)
    os.chdir(here)
    from selfrag.interfaces.mcp.stdio import run

    try:
        run()
    except UserError as error:
        fail(str(error), as_json=False)


@app.command(
    epilog=examples(
        "client", 'client --once "How much do the solar panels cost?"', "client --once ... | cat"
    )
)
def client(
    once: Annotated[
        str | None, typer.Option(help="Ask this and end, instead of showing the menu.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="Of the server; the one on this library, or this machine's usual port."),
    ] = None,
) -> None:
    """Ask a running server from the terminal, over MCP."""
    from selfrag.errors import UserError
    from selfrag.interfaces.terminal.client import run

    try:
        code = run(url, once, PORT)
    except UserError as error:
        fail(str(error), as_json=False)
    if code:
        raise typer.Exit(code)
