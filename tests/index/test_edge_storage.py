"""What lies on disk: who may open it, what survives a kill, what damage does."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from qdrant_client import models

from selfrag.errors import UserError
from selfrag.index.collection import EdgeCollection
from selfrag.index.edge import EdgeClient
from selfrag.index.lock import HOLDER_FILE
from tests.index.conftest import SIZE, make, random_points

PROJECT = Path(__file__).resolve().parents[2]

WRITER = """
import sys
from pathlib import Path
from selfrag.index.edge import EdgeClient
from tests.index.conftest import make, random_points
client = EdgeClient(Path(sys.argv[1]))
make(client, random_points(count=1))
for batch in range(20):
    client.upsert("c", random_points(seed=batch + 1, count=50))
    if batch == 10:
        client.tidy("c")
client.delete("c", [random_points(count=1)[0].id])
print("written", flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has written a thousand points and holds the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "written"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_second_process_is_told_who_holds_the_folder_and_harms_nothing(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        with pytest.raises(UserError) as caught:
            EdgeClient(tmp_path)
        text = str(caught.value)
        assert str(process.pid) in text
        assert "-c" in text
        assert "stop that process" in text
        assert "QDRANT_URL" in text and "STORAGE_DIR" in text
        # The holder ends properly: it could not, had its files been touched.
        process.communicate("")
        assert process.returncode == 0
    with EdgeClient(tmp_path) as client:
        assert client.count("c").count == 1000


def test_writes_survive_a_kill_and_the_lock_does_not(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.wait()
        assert (tmp_path / HOLDER_FILE).exists()
        with EdgeClient(tmp_path) as client:
            assert client.count("c").count == 1000
            wanted = random_points(seed=20, count=50)
            found = client.retrieve("c", [point.id for point in wanted])
            assert [point.payload for point in found] == [point.payload for point in wanted]
            assert len(client.query_points("c", [1.0] * SIZE, using="dense").points) == 10
            client.tidy("c")


def test_second_client_in_the_same_process_is_refused(tmp_path: Path) -> None:
    with EdgeClient(tmp_path):
        with pytest.raises(UserError, match="this same process"):
            EdgeClient(tmp_path)
    EdgeClient(tmp_path).close()


def test_command_of_the_holder_is_shown_as_one_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "selfrag" / "__main__.py"), "ingest", "a b"])
    with EdgeClient(tmp_path):
        note = json.loads((tmp_path / HOLDER_FILE).read_text())
    assert note["command"] == "python -m selfrag ingest 'a b'"
    assert not (tmp_path / HOLDER_FILE).exists()


def test_missing_or_damaged_note_of_the_holder_still_refuses(tmp_path: Path) -> None:
    with EdgeClient(tmp_path):
        for note in ("", "[]", "{}"):
            (tmp_path / HOLDER_FILE).write_text(note)
            with pytest.raises(UserError, match="another process"):
                EdgeClient(tmp_path)


def test_folder_that_cannot_be_made_is_the_persons_to_change(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="STORAGE_DIR"):
        EdgeClient(tmp_path / "file" / "index")


def victims(folder: Path) -> dict[str, Path]:
    """One file of each kind that a collection cannot be opened without."""
    (segment,) = [each for each in (folder / "shard" / "segments").iterdir() if each.is_dir()]
    return {
        "description": folder / "collection.json",
        "engine config": folder / "shard" / "edge_config.json",
        "segment": segment / "segment.json",
        "vectors": next(segment.glob("vector_storage-dense/vectors/status.dat")),
        "log": folder / "shard" / "wal" / "first-index",
    }


@pytest.mark.parametrize("kind", ["description", "engine config", "segment", "vectors", "log"])
def test_damaged_collection_is_named_and_the_others_stay_usable(tmp_path: Path, kind: str) -> None:
    with EdgeClient(tmp_path) as client:
        make(client, random_points(count=50), "broken")
        make(client, random_points(count=50), "whole")
    victim = victims(tmp_path / "broken")[kind]
    victim.write_bytes(victim.read_bytes()[: victim.stat().st_size // 2])
    with EdgeClient(tmp_path) as client:
        for _ in range(2):
            with pytest.raises(UserError) as caught:
                client.count("broken")
            assert "broken" in str(caught.value)
            assert "python -m selfrag ingest --reset" in str(caught.value)
        assert client.collection_exists("broken")
        assert client.count("whole").count == 50
        assert client.delete_collection("broken")
        make(client, random_points(count=5), "broken")
        assert client.count("broken").count == 5


def test_unfinished_creation_and_removal_are_cleared_away(tmp_path: Path) -> None:
    for name in (".new-1", ".deleted-1"):
        (tmp_path / name / "shard").mkdir(parents=True)
    with EdgeClient(tmp_path) as client:
        assert client.get_collections() == models.CollectionsResponse(collections=[])
        assert not list(tmp_path.glob(".*"))


def test_reclaiming_shrinks_the_files(tmp_path: Path) -> None:
    filler = "lorem ipsum " * 300
    with EdgeClient(tmp_path) as client:
        client.create_collection("p")
        points = [
            models.PointStruct(id=number, vector={}, payload={"text": f"{number} {filler}"})
            for number in range(4000)
        ]
        client.upsert("p", points)
        client.tidy("p")
        before = used(tmp_path / "p" / "shard" / "segments")
        client.delete("p", list(range(3900)))
        client.tidy("p")
        assert client.count("p").count == 100
        assert used(tmp_path / "p" / "shard" / "segments") < before


def test_large_collection_is_reclaimed_when_opened_not_while_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("selfrag.index.collection.RECLAIM_TO", 50)
    reclaimed: list[bool] = []
    reclaim = EdgeCollection._reclaim

    def told(self: EdgeCollection) -> bool:
        reclaimed.append(reclaim(self))
        return reclaimed[-1]

    monkeypatch.setattr(EdgeCollection, "_reclaim", told)
    with EdgeClient(tmp_path) as client:
        make(client, random_points())
        client.delete("c", [point.id for point in random_points()[:300]])
        client.tidy("c")
        assert reclaimed == []
    with EdgeClient(tmp_path) as client:
        assert client.count("c").count == 100
        assert reclaimed == [True]
        assert len(client.query_points("c", [1.0] * SIZE, using="dense", limit=200).points) == 100


def used(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="mounts a small file system, which takes root on Linux",
)
def test_full_disk_is_told_and_the_index_stays_as_it_was(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400m", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        with EdgeClient(small) as client:
            make(client, random_points(count=50))
            written = 50
            with pytest.raises(UserError, match=r"is full: nothing was written.*STORAGE_DIR"):
                for batch in range(400):
                    client.upsert("c", heavy(batch))
                    written += 100
            assert written > 50
            assert client.count("c").count == written
            assert len(client.query_points("c", [1.0] * SIZE, using="dense").points) == 10
            client.delete("c", [point.id for point in random_points(count=50)])
            assert client.count("c").count == written - 50
        with EdgeClient(small) as client:
            assert client.count("c").count == written - 50
    finally:
        subprocess.run(["umount", str(small)], check=True)


def heavy(batch: int) -> list[models.PointStruct]:
    """A hundred points of 20,000 characters each."""
    return [
        models.PointStruct(id=batch * 100 + n + 1, vector=p.vector, payload={"text": "x" * 20_000})
        for n, p in enumerate(random_points(count=100))
    ]


def test_nothing_is_written_where_little_room_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EdgeClient(tmp_path) as client:
        make(client, random_points(count=5))
        left = type("usage", (), {"free": 100 * 2**20})
        monkeypatch.setattr("selfrag.index.space.shutil.disk_usage", lambda _: left)
        with pytest.raises(UserError, match="full"):
            client.upsert("c", random_points(seed=1, count=5))
        with pytest.raises(UserError, match="full"):
            client.create_collection("d")
        client.delete("c", [random_points(count=5)[0].id])
        client.tidy("c")
        assert client.count("c").count == 4
