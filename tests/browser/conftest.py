"""The application as a person starts it, and a browser to use it with.

``running_app`` starts ``streamlit run app.py`` once for each module, on a free port, with a
storage folder of its own and an environment without keys; ``page`` is a fresh page of Chromium.
A module that needs settings parametrises it indirectly::

    @pytest.mark.parametrize("running_app", [{"LLM_BASE_URL": url}], indirect=True)

Pages should be opened with ``open_page``, which waits until the script has run.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
_START = 90.0  # seconds that the application may take to start on a busy machine
_PROGRAMS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
#: What a test run may inherit; everything else could hold a key or a setting.
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")


@dataclass(frozen=True)
class App:
    """The running application: ``url`` without a slash at the end, its storage, its log.

    ``kill_and_start`` ends it as a crash does, and starts it again over the same storage.
    """

    url: str
    storage: Path
    log: Path
    kill_and_start: Callable[[], None] = lambda: None


@pytest.fixture(scope="module")
def running_app(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """The application, started for this module and stopped after it."""
    folder = tmp_path_factory.mktemp("app")
    app = App(f"http://127.0.0.1:{_free_port()}", folder / "storage", folder / "app.log")
    settings: dict[str, str] = getattr(request, "param", {})
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    # An .env of the developer would bring their keys: the folder to start in has none.
    environment |= {"STORAGE_DIR": str(app.storage), "PYTHONPATH": str(ROOT), **settings}
    (folder / ".streamlit").symlink_to(ROOT / ".streamlit")
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")),
        *("--server.headless", "true", "--server.address", "127.0.0.1"),
        *("--server.port", app.url.rpartition(":")[2], "--server.fileWatcherType", "none"),
    ]
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        with app.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        running[:] = [process]
        _wait_until_healthy(app, process)

    def kill_and_start() -> None:
        running[0].kill()
        running[0].wait()
        start()

    try:
        start()
        yield replace(app, kill_and_start=kill_and_start)
    finally:
        for process in running:
            _stop(process)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window; skipped where there is none, except in CI."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        missing = f"no Chromium here (looked for {', '.join(_PROGRAMS)}): install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(_ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own: no cookie, no storage of another test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    context.close()


def open_page(page: Page, url: str) -> None:
    """Go to an address of the application and wait until its script has run."""
    page.goto(url)
    at_rest(page)


def at_rest(page: Page) -> None:
    """Wait until the script has run."""
    page.get_by_test_id("stApp").and_(
        page.locator("[data-test-script-state=notRunning]")
    ).wait_for()


def hears_arrow_keys(page: Page) -> None:
    """Wait until the steps of a run can be gone through with the arrow keys."""
    page.locator("[class*=st-key-keys-] .listening").wait_for(state="attached")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(app: App, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{app.url}/api/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the application did not start:\n{app.log.read_text(errors='replace')[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
