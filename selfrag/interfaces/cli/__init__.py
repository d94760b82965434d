"""The command line: everything the service can do, for people and for scripts.

``--json`` prints one JSON document on standard output and nothing else there. Exit codes: 0 done,
1 failed, 2 wrong usage. What a command needs is imported when it runs: ``--help`` and completion
answer at once, and a command that a running server does for it never loads the models.
"""

import logging
import os
import sys
from io import TextIOWrapper

from typer.completion import completion_init
from typer.models import CommandInfo

from selfrag.interfaces.cli import (  # noqa: F401  (their commands)
    asking,
    care,
    evaluating,
    evaluating_answers,
    library,
    servers,
)
from selfrag.interfaces.cli.app import COMPLETE, PROGRAM, app
from selfrag.interfaces.cli.output import told_output


def _name(command: CommandInfo) -> str:
    return str(command.name or getattr(command.callback, "__name__", ""))


#: As they are listed: from the first that one needs to the last.
_ORDER = (
    *("ingest", "documents", "ask", "retrieve", "read", "rename", "delete", "run", "export"),
    *("serve", "client", "mcp", "doctor", "settings", "move", "completion"),
)
app.registered_commands.sort(key=lambda command: _ORDER.index(_name(command)))


def main() -> None:
    """Entry point; the log goes to standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console may not know every character
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    completing = COMPLETE in os.environ
    if completing:
        completion_init()  # Typer's own options for it are for programs that are installed
    with told_output():
        app(prog_name="selfrag" if completing else PROGRAM, complete_var=COMPLETE)
