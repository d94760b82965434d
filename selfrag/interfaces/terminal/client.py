"""``python -m selfrag client``: a menu, or one question, over MCP (SSE).

Colours and the moving line appear on a terminal only, and never where NO_COLOR is set.
"""

import sys
from typing import Any

import anyio
import httpx2
from anyio import to_thread
from mcp import Client
from mcp.client.sse import sse_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent
from rich.console import Console

from selfrag.errors import UserError
from selfrag.interfaces import note
from selfrag.interfaces.consoles import console
from selfrag.interfaces.mcp.texts import AnswerForModel
from selfrag.interfaces.schemas import Health, SearchResult
from selfrag.interfaces.terminal import views
from selfrag.settings import Settings, load_settings

_CONNECT = 5.0  #: seconds
_SILENCE = 3600.0  #: seconds between two messages of a server that is at work


def run(url: str | None, once: str | None, port: int) -> int:
    """Talk to a server until the person leaves; returns the exit code.

    Args:
        url: of the server; that of the library's server, or of the usual port, where None.
        once: a question to ask instead of showing the menu.

    Raises:
        UserError: no server answers.
    """
    settings = load_settings()
    left = note.read(settings)
    base = (url or (left.url if left else f"http://127.0.0.1:{port}")).rstrip("/")
    base = base.removesuffix("/sse")
    if not base.startswith(("http://", "https://")):
        raise UserError(f"{base} is no address: write it as http://127.0.0.1:{port}.")
    try:
        owner = left.headers if left is not None and left.url == base else {}
        return anyio.run(_talk, base, settings, once, owner)
    except* (httpx2.HTTPError, MCPError, OSError) as group:
        raise UserError(_why(base, _first(group))) from None


async def _talk(base: str, settings: Settings, once: str | None, owner: dict[str, str]) -> int:
    token = settings.api_token
    headers = {
        **owner,
        **({"Authorization": f"Bearer {token.get_secret_value()}"} if token else {}),
    }
    transport = sse_client(
        f"{base}/sse", headers=headers, timeout=_CONNECT, sse_read_timeout=_SILENCE
    )
    async with Client(transport) as client:
        talk = _Talk(client, console())
        if once is not None:
            return 0 if await talk.ask(once) else 1
        return await talk.menu(base)


class _Talk:
    """One conversation with a server."""

    def __init__(self, client: Client, console: Console) -> None:
        self._client = client
        self._console = console

    async def menu(self, url: str) -> int:
        """Do what is chosen until the person leaves."""
        while True:
            views.menu(self._console, url)
            match (await self._input("> ") or "5").strip().lower():
                case "1" | "ask":
                    if question := await self._input("Question: "):
                        await self.ask(question)
                case "2" | "search":
                    if query := await self._input("Search for: "):
                        await self.search(query)
                case "3" | "health":
                    await self.health()
                case "4" | "list tools" | "tools":
                    await self.tools()
                case "5" | "exit" | "quit" | "q":
                    return 0
                case other:
                    self._console.print(f"There is no {other!r} here: type 1 to 5.", markup=False)

    async def ask(self, question: str) -> bool:
        """Ask, show each step as it happens, and the answer; whether there is one."""

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            views.step(self._console, progress, message or "")

        with self._console.status("Working on it"):
            called = await self._client.call_tool(
                "rag_answer", {"question": question}, progress_callback=progress
            )
        if self._failed(called):
            return False
        views.answer(self._console, AnswerForModel.model_validate(called.structured_content))
        return True

    async def search(self, query: str) -> None:
        """Search and show the passages."""
        called = await self._client.call_tool("retrieve", {"query": query})
        if not self._failed(called):
            views.hits(self._console, SearchResult.model_validate(called.structured_content))

    async def health(self) -> None:
        """Show how the server stands."""
        called = await self._client.call_tool("server_health", {})
        if not self._failed(called):
            views.health(self._console, Health.model_validate(called.structured_content))

    async def tools(self) -> None:
        """Show what the server can be asked to do."""
        listed = (await self._client.list_tools()).tools
        views.tools(self._console, [(tool.name, tool.description or "") for tool in listed])

    def _failed(self, called: CallToolResult) -> bool:
        if called.is_error:
            said = " ".join(item.text for item in called.content if isinstance(item, TextContent))
            sentence = said.partition(": ")[2] if said.startswith("Error executing tool") else said
            console(errors=True).print(sentence, style="red", markup=False)
        return bool(called.is_error)

    async def _input(self, prompt: str) -> str | None:
        """A line; None where there are no more."""
        self._console.print(prompt, end="")
        line = await to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        return line.strip() if line else None


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _why(base: str, error: BaseException) -> str:
    response: Any = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    if status == 401:
        return f"The server at {base} asks for a token: set API_TOKEN to the server's."
    if status is not None:
        return f"There is no Self-RAG at {base} (it answers {status}): give its address by --url."
    return (
        f"No server answers at {base}. Start one with `streamlit run app.py` or "
        "`python -m selfrag serve`, or give its address by --url."
    )
