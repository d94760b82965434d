"""The command line as a person uses it: words in; an exit code, text or JSON out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from selfrag.settings import Settings
from tests.support import warm

ROOT = Path(__file__).resolve().parents[2]


class Shell:
    """Runs ``python -m selfrag`` with a storage folder of its own and no other settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = {name.upper() for name in Settings.model_fields}
        self.env = {key: value for key, value in os.environ.items() if key not in names}
        self.env |= {"STORAGE_DIR": str(folder / "store"), "PYTHONPATH": str(ROOT)}

    def run(self, *words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        """A command, in a process of its own that need not import anything (``warm``)."""
        return warm.run([*map(str, words)], self.folder, self.env | env)

    def start(self, *words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        """A command, started as a person starts it."""
        return subprocess.run(
            [sys.executable, "-m", "selfrag", *map(str, words)],
            cwd=self.folder,
            env=self.env | env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
        )

    def json(self, *words: str | Path, code: int = 0, **env: str) -> Any:
        """What a command prints with ``--json``; it must end with ``code``."""
        done = self.run(*words, "--json", **env)
        assert done.returncode == code, done.stderr + done.stdout
        return json.loads(done.stdout)
