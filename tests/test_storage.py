"""The library's folder is its owner's alone, where it is made here."""

import os
from pathlib import Path

import pytest

from selfrag.diagnosis import examine
from selfrag.storage import make_storage, others_can_read

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")


def test_new_library_is_closed_to_other_users(open_rag, tmp_path: Path):
    rag = open_rag(storage_dir=tmp_path / "store")
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700
    assert "privacy" not in {check.name for check in examine(rag)}


def test_folder_that_is_there_keeps_its_mode(tmp_path: Path):
    (tmp_path / "store").mkdir()
    (tmp_path / "store").chmod(0o755)
    make_storage(tmp_path / "store")
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o755


def test_doctor_says_that_others_can_read_an_open_folder(open_rag, tmp_path: Path):
    store = tmp_path / "store"
    store.mkdir()
    store.chmod(0o755)
    assert not others_can_read(store), "a folder above it is closed"
    rag = open_rag(storage_dir=store)
    closed = [up for up in store.resolve().parents if not up.stat().st_mode & 0o001]
    before = {up: up.stat().st_mode & 0o7777 for up in closed}
    try:
        for up in closed:
            up.chmod(before[up] | 0o001)
        (said,) = [check.sentence for check in examine(rag) if check.name == "privacy"]
        assert f"chmod 700 {store}" in said
    finally:
        for up, mode in before.items():
            up.chmod(mode)
