"""``mcp --config``: what an MCP client needs to start this installation from anywhere.

Such a client gives the process it starts its own environment, in which nothing that was exported
in a shell is known. Settings of this shell are therefore written out; secrets are not, because
what is printed is pasted, shown and kept in files that others read.
"""

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import SecretStr

from selfrag.settings import Settings


def configuration(folder: Path) -> dict[str, Any]:
    """The configuration, as ``claude_desktop_config.json`` takes it.

    Args:
        folder: where the process is to work, and finds its ``.env``; an absolute path.
    """
    root = Path(__file__).resolve().parents[3]
    shown = {name: value for name, value in _exported().items() if not _secret(name, value)}
    started = {
        "command": sys.executable,
        "args": ["-m", "selfrag", "mcp", "--folder", str(folder)],
        "env": {"PYTHONPATH": str(root), **shown},
    }
    return {"mcpServers": {"self-rag": started}}


def unprinted(folder: Path) -> list[str]:
    """The variables that are left out as secrets, and that ``.env`` does not give as they are."""
    file = folder / ".env"
    kept = dotenv_values(file, encoding="utf-8") if file.is_file() else {}
    given = {name.upper(): value for name, value in kept.items()}
    return [
        name
        for name, value in _exported().items()
        if _secret(name, value) and given.get(name) != value
    ]


def _exported() -> dict[str, str]:
    """The settings that the environment gives; paths as they are meant from here."""
    given = {name.upper(): value for name, value in os.environ.items() if value}
    found = {}
    for name, field in Settings.model_fields.items():
        value = given.get(name.upper())
        if value is not None:
            path = field.annotation in (Path, Path | None)
            found[name.upper()] = str(Path(value).expanduser().resolve()) if path else value
    return found


def _secret(name: str, value: str) -> bool:
    """Whether it is a secret, or an address with a password in it."""
    if Settings.model_fields[name.lower()].annotation in (SecretStr, SecretStr | None):
        return True
    try:
        return urlsplit(value).password is not None
    except ValueError:  # no address
        return False
