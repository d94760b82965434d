"""One file costs only itself."""

import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from selfrag.documents.errors import PasswordNeeded, ReadingStopped, TooManyPages
from selfrag.documents.reading import read_pdf
from selfrag.documents.render import boxes
from selfrag.documents.sandbox import Limits, Sandbox
from tests.support.pdf_factory import make_pdf, raw_pdf

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("own")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes a few seconds."""
    path = tmp_path_factory.mktemp("long") / "long.pdf"
    line = b"(Many words stand on this line of text) Tj 0 -10 Td "
    return raw_pdf(path, [b"BT /F 9 Tf 50 800 Td " + line * 70 + b"ET"] * 400)


def test_reading_is_the_same_as_without(sandbox: Sandbox, tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["# One\n\nText.", "Two."], outline=[("One", 1)])
    seen: list[tuple[int, int]] = []
    reading = sandbox.read(path, progress=lambda done, total: seen.append((done, total)))
    assert reading == read_pdf(path)
    assert seen == [(1, 2), (2, 2)]
    assert sandbox.boxes(path, 1, 0, 3) == boxes(path, 1, 0, 3)
    assert sandbox.page_image(path, 1).startswith(b"\x89PNG")


def test_errors_come_through_with_the_name_that_is_shown(sandbox: Sandbox, tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "6f3a.pdf", ["x", "y"], password="secret")
    with pytest.raises(PasswordNeeded, match=r"My report\.pdf") as raised:
        sandbox.read(path, password="no", name="My report.pdf")
    assert raised.value.wrong
    with pytest.raises(TooManyPages):
        sandbox.read(path, password="secret", limits=Limits(pages=1))
    with pytest.raises(IndexError):
        sandbox.page_image(path, 3, password="secret")


def test_too_long_is_stopped_and_the_next_file_is_read(
    sandbox: Sandbox, long: Path, tmp_path: Path
) -> None:
    with pytest.raises(ReadingStopped, match=r"more than 0\.2 seconds"):
        sandbox.read(long, limits=Limits(seconds=0.2))
    assert sandbox.read(make_pdf(tmp_path / "a.pdf", ["Words."])).pages[0].text == "Words."


def test_cancelling_stops_at_once(sandbox: Sandbox, long: Path) -> None:
    cancel = threading.Event()

    def stop_early(done: int, total: int) -> None:
        cancel.set()

    began = time.monotonic()
    with pytest.raises(ReadingStopped) as raised:
        sandbox.read(long, progress=stop_early, cancel=cancel)
    assert raised.value.cancelled
    assert time.monotonic() - began < 20


def test_a_bomb_costs_only_itself(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.read(make_pdf(tmp_path / "warm.pdf", ["x"]))
    bomb = zlib.compress(b"BT /F 9 Tf (A) Tj ET " * 30_000_000, 1)  # 630 MB
    path = raw_pdf(tmp_path / "bomb.pdf", [b""])
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(bomb), bomb)
    path.write_bytes(path.read_bytes().replace(b"<< /Length 0 >>\nstream\n\nendstream", stream))
    limits = Limits(seconds=5, memory_mb=300)
    try:
        reading = sandbox.read(path, limits=limits)
    except ReadingStopped as error:
        assert "bomb.pdf" in str(error)
    else:  # pdfium has a limit of its own for what a stream may unpack to
        assert len(reading.pages) == 1
    assert sandbox.read(make_pdf(tmp_path / "a.pdf", ["Words."])).pages[0].text == "Words."


def test_memory_above_the_limit_stops_the_file(sandbox: Sandbox, long: Path) -> None:
    with pytest.raises(ReadingStopped, match="memory"):
        sandbox.read(long, limits=Limits(memory_mb=20))


class Killer:
    """Kills the process that reads, so many times, when it has read so many pages."""

    def __init__(self, sandbox: Sandbox, times: int, after: int = 1) -> None:
        self.sandbox = sandbox
        self.left = times
        self.after = after
        self.told: list[int] = []

    def __call__(self, done: int, total: int) -> None:
        self.told.append(done)
        process = self.sandbox._reader._process
        if done >= self.after and self.left:
            assert process is not None
            self.left -= 1
            process.popen.kill()
            process.popen.wait()


def test_a_crash_is_a_sentence(sandbox: Sandbox, long: Path, tmp_path: Path) -> None:
    with pytest.raises(ReadingStopped, match=r"long\.pdf made the reader crash"):
        sandbox.read(long, progress=Killer(sandbox, 2))
    assert sandbox.read(make_pdf(tmp_path / "a.pdf", ["Words."])).pages[0].text == "Words."


def test_a_file_is_not_blamed_for_what_an_earlier_one_has_left(long: Path, tmp_path: Path) -> None:
    words = make_pdf(tmp_path / "a.pdf", ["Words."])
    with Sandbox() as sandbox:
        with pytest.raises(ReadingStopped, match="crash"):  # nothing was before it
            sandbox.read(long, progress=Killer(sandbox, 1))
        sandbox.read(words)
        killer = Killer(sandbox, 1, after=50)
        assert len(sandbox.read(long, progress=killer).pages) == 400
        assert not killer.left
        assert killer.told == sorted(set(killer.told)), "what was told of it went back"


def test_file_that_is_read_as_the_application_ends_is_not_called_damaged(long: Path) -> None:
    sandbox = Sandbox()

    def close(done: int, total: int) -> None:
        threading.Thread(target=sandbox.close).start()

    with pytest.raises(ReadingStopped, match="the application is closing"):
        sandbox.read(long, progress=close)


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
def test_what_is_reserved_and_not_used_does_not_count_as_memory() -> None:
    script = """
import mmap, psutil
from selfrag.documents.worker import _limit_memory
_limit_memory(8 << 30)
reserved = mmap.mmap(-1, 1 << 30)
_limit_memory((100 << 20) + psutil.Process().memory_info().rss)
bytearray(60 << 20)
try:
    bytearray(160 << 20)
except MemoryError:
    print("limited")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "limited\n", done.stderr


def test_drawing_goes_on_while_a_long_file_is_read(
    sandbox: Sandbox, long: Path, tmp_path: Path
) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["Words."])
    sandbox.page_image(path, 1)
    started, cancel = threading.Event(), threading.Event()
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(
            sandbox.read, long, progress=lambda done, total: started.set(), cancel=cancel
        )
        assert started.wait(20)
        images = list(pool.map(lambda _: sandbox.page_image(path, 1), range(4)))
        assert not reading.done()
        cancel.set()
        assert len(set(images)) == 1
        with pytest.raises(ReadingStopped):
            reading.result(20)


def test_worker_ends_when_the_application_is_killed(tmp_path: Path, long: Path) -> None:
    script = (
        "import sys, pathlib; from selfrag.documents.sandbox import Sandbox\n"
        "s = Sandbox()\n"
        "def told(done, total):\n"
        "    print(s._reader._process.popen.pid, flush=True)\n"
        "s.read(pathlib.Path(sys.argv[1]), progress=told)\n"
    )
    application = subprocess.Popen(
        [sys.executable, "-c", script, str(long)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert application.stdout is not None
    worker = psutil.Process(int(application.stdout.readline()))
    application.kill()
    application.wait()
    worker.wait(timeout=60)


def test_worker_imports_nothing_large(tmp_path: Path) -> None:
    script = (
        "import sys, selfrag.documents.worker\n"
        "print([m for m in ('streamlit', 'langchain_core', 'fastembed', 'qdrant_client', 'pypdf')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_closed_sandbox_says_so(tmp_path: Path) -> None:
    one = Sandbox()
    one.close()
    with pytest.raises(ReadingStopped, match="closing"):
        one.read(make_pdf(tmp_path / "a.pdf", ["x"]))
