"""``python -m selfrag`` without its start: a process that has imported everything, and forks.

    code, out, err = run(("documents", "--json"), folder, environment)

Every command is still a process of its own, with its own memory, environment, folder and exit code.
What it does not do again is to import the libraries, which takes seconds and is the same every
time. Tests of the start itself, of signals and of servers start ``python -m selfrag``; so does
everything where the system cannot fork safely.

    here: JSON line (words, folder, environment, files for its streams) -> the warm process
    warm process: fork -> the child becomes the command; its exit code -> JSON line
"""

import atexit
import importlib
import json
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What a command imports when it opens the library.
_IMPORTED = (
    "httpx",
    "selfrag.interfaces.cli",
    "selfrag.interfaces.local",
    "selfrag.interfaces.remote",
    "selfrag.interfaces.show",
    "selfrag.service",
)


def run(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdin: str = "",
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """``python -m selfrag WORDS`` in a folder, given ``stdin`` to read, and what came of it.

    Raises:
        subprocess.TimeoutExpired: it ran longer than ``timeout`` seconds, and was killed.
    """
    if sys.platform != "linux":
        return subprocess.run(
            [sys.executable, "-m", "selfrag", *words],
            cwd=folder,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
        )
    with tempfile.TemporaryDirectory() as made:
        files = [Path(made) / name for name in ("in", "out", "err")]
        files[0].write_text(stdin, encoding="utf-8")
        place = [str(folder), dict(environment), [str(file) for file in files]]
        asked = {"words": list(words), "place": place, "timeout": timeout}
        process = _process()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        code = json.loads(process.stdout.readline())
        if code is None:
            raise subprocess.TimeoutExpired(list(words), timeout)
        out, err = (file.read_text(encoding="utf-8") for file in files[1:])
    return subprocess.CompletedProcess(list(words), code, out, err)


@cache
def _process() -> subprocess.Popen[str]:
    """The warm process; it ends with this one, when its input closes."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.support.warm"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def main() -> None:
    """Serves until its input closes."""
    warnings.simplefilter("ignore", DeprecationWarning)
    for module in _IMPORTED:
        importlib.import_module(module)
    fork = multiprocessing.get_context("fork")
    for line in sys.stdin:
        asked = json.loads(line)
        command = fork.Process(target=_command, args=(asked["words"], *asked["place"]))
        command.start()
        command.join(asked["timeout"])
        code = command.exitcode
        if code is None:
            command.kill()
            command.join()
        sys.stdout.write(json.dumps(code) + "\n")
        sys.stdout.flush()


def _command(
    words: Sequence[str], folder: str, environment: Mapping[str, str], files: Sequence[str]
) -> None:
    """Be the command that would have been started there."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    ways = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for number, (file, way) in enumerate(zip(files, ways, strict=True)):
        descriptor = os.open(file, way)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv = ["selfrag", *words]
    with open(0, encoding="utf-8", closefd=False) as sys.stdin:
        try:
            runpy.run_module("selfrag", run_name="__main__", alter_sys=True)
        finally:
            atexit._run_exitfuncs()  # a forked process leaves them out


if __name__ == "__main__":
    main()
