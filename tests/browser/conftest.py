"""The application as a person starts it, and a browser to use it with.

``running_app`` starts ``streamlit run app.py`` once for each module, on a free port, with a
storage folder of its own and an environment without keys; ``page`` is a page of Chromium that
knows nothing of earlier tests. A module whose application needs settings says which::

    @pytest.fixture(scope="module")
    def settings(model: LlmServer) -> dict[str, str]:
        return {"LLM_BASE_URL": model.url}

Pages should be opened with ``open_page``, which waits until the script has run. Documents that a
test is not about are put into the library with ``take_in``, which is quicker than the page.
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
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

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
_PATIENCE = 60_000  # milliseconds for what takes a tenth of a second on a machine that is free
expect.set_options(timeout=_PATIENCE)
_TOLD = 6_000  # characters of the application's log that a failure shows
_SIZE: ViewportSize = {"width": 1280, "height": 900}
#: Connected, not running, with something drawn that is of no earlier run and does not move.
_AT_REST = """() => {
    const app = document.querySelector(
        "[data-testid=stApp][data-test-script-state=notRunning]" +
        "[data-test-connection-state=CONNECTED]");
    return app && app.querySelector("[data-testid=stMain] [data-testid=stElementContainer]")
        && !app.querySelector("[data-stale=true]")
        && document.getAnimations().every(it => it.playState !== "running"
            || it.effect.getComputedTiming().endTime === Infinity);
}"""
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
def settings() -> dict[str, str]:
    """The settings that the application of this module is started with."""
    return {}


@pytest.fixture(scope="module")
def running_app(
    settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[App]:
    """The application, started for this module and stopped after it."""
    folder = tmp_path_factory.mktemp("app")
    app = App(f"http://127.0.0.1:{_free_port()}", folder / "storage", folder / "app.log")
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


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """What the pages of a module share: that Streamlit's scripts have been read and compiled,
    which takes longer than most tests."""
    context = browser.new_context(viewport=_SIZE, reduced_motion="reduce")
    context.set_default_timeout(_PATIENCE)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page without a cookie or anything else that an earlier test has left."""
    page = context.pages[0] if context.pages else context.new_page()
    page.set_viewport_size(_SIZE)
    yield page
    for left in context.pages[1:]:
        left.close()
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    context.clear_cookies()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure is told with what the application wrote: the page only says that it failed."""
    report = yield
    app = getattr(item, "funcargs", {}).get("running_app")
    if report.failed and isinstance(app, App) and app.log.exists():
        written = app.log.read_text(encoding="utf-8", errors="replace")
        report.sections.append(("what the application wrote", written[-_TOLD:]))
    return report


def open_page(page: Page, url: str) -> None:
    """Go to an address of the application and wait until its script has run."""
    page.goto(url)
    at_rest(page)


def at_rest(page: Page) -> None:
    """Wait until the script has run, and what it has drawn is there and as it stays."""
    page.wait_for_function(_AT_REST)


def take_in(app: App, *files: Path) -> None:
    """Put documents into the library that are not there, and wait until they can be asked."""
    with httpx.Client(base_url=app.url, timeout=120) as api:
        there = {each["document"] for each in api.get("/api/documents").json()["documents"]}
        for file in files:
            if file.name not in there:
                sent = {"file": (file.name, file.read_bytes())}
                answer = api.post("/api/documents", files=sent)
                assert answer.json()["status"] == "ready", answer.text


@contextmanager
def appears(page: Page, selector: str) -> Iterator[None]:
    """What is done inside lets something appear, however soon it is gone again."""
    page.evaluate(
        """selector => {
            window.appeared = false
            new MutationObserver(() => { window.appeared ||= !!document.querySelector(selector) })
                .observe(document, { subtree: true, childList: true, attributes: true })
        }""",
        selector,
    )
    yield
    page.wait_for_function("window.appeared")


def type_question(page: Page, question: str) -> None:
    """Ask in the chat; what is typed into an input that is drawn anew meanwhile would be lost."""
    at_rest(page)
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")


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
