"""Folders of measurements: removed at the end, also those of a process that was killed."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from selfrag.evaluation.scratch import scratch_folder

OTHER = """
import time
from selfrag.evaluation.scratch import scratch_folder
from selfrag.index.edge import EdgeClient
with scratch_folder() as folder:
    client = EdgeClient(folder)
    print(folder, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def age(folder: Path) -> None:
    before = time.time() - 3600
    os.utime(folder, (before, before))


def test_folder_of_a_killed_process_goes_and_that_of_a_live_one_stays(temporary: Path) -> None:
    command = [sys.executable, "-c", OTHER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        try:
            assert other.stdout is not None
            theirs = Path(other.stdout.readline().strip())
            age(theirs)
            with scratch_folder() as own:
                assert own.is_dir() and theirs.is_dir()
            assert not own.exists()
        finally:
            other.kill()
    assert theirs.is_dir()
    age(theirs)
    with scratch_folder() as own:
        assert list(temporary.glob("selfrag-*")) == [own]


def test_folder_that_was_made_just_now_stays(temporary: Path) -> None:
    theirs = Path(tempfile.mkdtemp(prefix="selfrag-evaluation-"))
    with scratch_folder():
        assert theirs.is_dir()
    age(theirs)
    with scratch_folder():
        assert not theirs.exists()
