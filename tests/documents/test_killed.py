"""Killed at any instant: what a real process leaves behind is whole again at the next start."""

import random
import subprocess
import sys
import time
from pathlib import Path

from selfrag.diagnosis import disagreements
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

ROOT = Path(__file__).resolve().parents[2]
KILLS = 4

#: Takes a folder in and deletes a document, telling each stage as it is entered.
APPLICATION = """
import sys
from pathlib import Path
from selfrag.service import SelfRag
from selfrag.settings import Settings
from tests.conftest import plain_settings

def told(*_):
    seen = []
    def stage(progress):
        if progress.state not in seen:
            seen.append(progress.state)
            print(progress.state.value, flush=True)
    return stage

storage, folder = map(Path, sys.argv[1:])
rag = SelfRag(Settings(_env_file=None, **{**plain_settings(), "storage_dir": storage}))
list(rag.finish(report=told))
for result in rag.ingest([folder], report=told):
    assert result.status in ("ready", "unchanged"), result
    print("file", flush=True)
rag.delete(rag.ready()[0].id)
print("deleted", flush=True)
"""


def write(folder: Path, name: str, version: int) -> None:
    lines = [f"The {name} has {version * 10 + n} rooms on floor {n}. " * 15 for n in range(3)]
    make_pdf(folder / f"{name}.pdf", lines)


def run_and_kill(storage: Path, folder: Path, after: int, delay: float) -> list[str]:
    """Run the application and kill it ``delay`` seconds after it has told ``after`` stages."""
    process = subprocess.Popen(
        [sys.executable, "-c", APPLICATION, str(storage), str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    told: list[str] = []
    for line in process.stdout:
        told.append(line.strip())
        if len(told) == after:
            time.sleep(delay)
            process.kill()
    process.wait(60)
    return told


def check(rag: SelfRag, folder: Path) -> None:
    """Manifest, index and files agree, and what is found is what is there."""
    assert disagreements(rag) == []
    ready = {record.id: record for record in rag.ready()}
    assert [record.id for record in rag.documents()] == list(ready)
    assert sorted(path.stem for path in rag.library.file("x").parent.iterdir()) == sorted(ready)
    sources = [record.source for record in ready.values()]
    assert len(set(sources)) == len(sources), "two versions of one file"
    for document_id, record in ready.items():
        parents, children = rag.chunks(document_id)
        assert len(rag.pages(document_id)) == record.page_count == 3
        assert {child.parent_id for child in children} <= {parent.id for parent in parents}
    hits = rag.retrieve("rooms on the floor", k=50).hits
    assert {hit.document_id for hit in hits} == set(ready)


def test_killed_at_any_instant_no_document_is_half_there(open_rag, tmp_path: Path) -> None:
    storage, folder = tmp_path / "store", tmp_path / "papers"
    folder.mkdir()
    for name in ("castle", "station", "mill"):
        write(folder, name, 1)
    chance = random.Random(time.time_ns())
    seen = []
    for version in range(2, KILLS + 2):
        after, delay = chance.randint(1, 9), chance.choice([0.0, 0.005, 0.03, 0.2])
        told = run_and_kill(storage, folder, after, delay)
        seen.append(f"killed {delay} s after {after} of {told}")
        print(seen[-1])  # noqa: T201 - shown where the test fails
        rag = open_rag(storage_dir=storage)
        assert [result.status for result in rag.finish() if result.status != "ready"] == []
        check(rag, folder)
        rag.close()
        write(folder, chance.choice(["castle", "station", "mill"]), version)
    rag = open_rag(storage_dir=storage)
    results = list(rag.ingest([folder]))
    assert {result.status for result in results} <= {"ready", "unchanged"}
    assert len(rag.ready()) == 3
    check(rag, folder)
