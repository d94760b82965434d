"""Commands that look after the installation: doctor, move, settings, completion."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from selfrag.interfaces.cli.app import COMPLETE, AsJson, app, examples, fail, print_json


@app.command(epilog=examples("move --to http://localhost:6333", "move --to embedded"))
def move(
    to: Annotated[
        str, typer.Option("--to", help="URL of a Qdrant server, or embedded: this machine.")
    ],
    as_json: AsJson = False,
) -> None:
    """Move the index to a Qdrant server or back, without embedding anything again."""
    from selfrag.errors import UserError
    from selfrag.index import transfer
    from selfrag.settings import load_settings
    from selfrag.wording import count

    try:
        copied = transfer.move(load_settings(), to)
    except UserError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"moved": copied, "to": to})
    else:
        for name, moved in copied.items():
            typer.echo(f"{name}: {count(moved, 'point')} {'is' if moved == 1 else 'are'} at {to}.")
        step = "clear QDRANT_URL" if to == transfer.EMBEDDED else f"set QDRANT_URL={to}"
        typer.echo(f"To use them, {step} and start again. What was moved is still where it was.")


@app.command(epilog=examples("doctor", "doctor --repair", "doctor --json"))
def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Finish or remove what an interruption left behind.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check every setting, model, index, server and key, and say how to mend what is wrong."""
    from selfrag.errors import UserError
    from selfrag.interfaces import diagnosing, show

    try:
        checks = diagnosing.diagnose(repair=repair, quiet=as_json)
    except UserError as error:
        fail(str(error), as_json)
    if as_json:
        print_json({"checks": [item.model_dump(mode="json") for item in checks]})
    else:
        show.checks(checks)
    if any(item.verdict == "problem" for item in checks):
        raise typer.Exit(1)


@app.command(epilog=examples("settings", "settings --env-example > .env"))
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
    from selfrag import settings as module
    from selfrag.interfaces import show

    rows = module.describe()
    if env_example:
        typer.echo(module.env_example(), nl=False)
    elif markdown:
        typer.echo(module.markdown_table())
    elif as_json:
        names = ("variable", "default", "allowed", "meaning")
        print_json({"settings": [dict(zip(names, row, strict=True)) for row in rows]})
    else:
        show.settings(rows)


_COMPLETIONS = {
    "bash": """selfrag() {{ {call} "$@"; }}
_selfrag() {{
    local IFS=$'\\n'
    COMPREPLY=( $(COMP_WORDS="${{COMP_WORDS[*]}}" COMP_CWORD=$COMP_CWORD \\
        {variable}=complete_bash {call}) )
}}
complete -o default -F _selfrag selfrag""",
    "zsh": """selfrag() {{ {call} "$@" }}
_selfrag() {{
    eval $(_TYPER_COMPLETE_ARGS="${{words[1,$CURRENT]}}" {variable}=complete_zsh {call})
}}
compdef _selfrag selfrag""",
    "fish": """function selfrag; {call} $argv; end
function _selfrag
    {variable}=complete_fish _TYPER_COMPLETE_FISH_ACTION=$argv[1] \\
        _TYPER_COMPLETE_ARGS=(commandline -cp) {call}
end
complete --command selfrag --no-files --arguments "(_selfrag get-args)" \\
    --condition "_selfrag is-args" """,
}


@app.command(
    epilog='\b\nExamples:\n  eval "$(python -m selfrag completion bash)"   # then: selfrag as<Tab>'
    "\n  python -m selfrag completion fish | source"
)
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="Yours.")],
    as_json: AsJson = False,
) -> None:
    """Print what gives your shell the command `selfrag`, with completion."""
    folder = shlex.quote(f"PYTHONPATH={Path(__file__).resolve().parents[3]}")
    call = f"env {folder} {shlex.quote(sys.executable)} -m selfrag"
    script = _COMPLETIONS[shell].format(call=call, variable=COMPLETE)
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        typer.echo(script)
