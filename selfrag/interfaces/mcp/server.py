"""The MCP server: four tools, and the documents and their pages as resources.

Everything that blocks runs in threads; a call that is cancelled ends its run. Errors that the
caller can act on are `ToolError` sentences, anything else is logged whole and masked by the SDK.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from anyio import CapacityLimiter, to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp_types import CallToolResult, Resource, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

from selfrag.errors import ModelError, UserError
from selfrag.interfaces import note
from selfrag.interfaces.access.clients import Limits, client_of
from selfrag.interfaces.asking import (
    MOST_PASSAGES,
    MOST_RETRIES,
    AnswerBody,
    SearchParameters,
    Whole,
)
from selfrag.interfaces.backend import Answering, Backend
from selfrag.interfaces.mcp import texts
from selfrag.interfaces.mcp.arguments import misfit, unknown
from selfrag.interfaces.mcp.progress import report_steps
from selfrag.interfaces.mcp.texts import AnswerForModel
from selfrag.interfaces.schemas import DocumentList, Health, PageText, SearchResult
from selfrag.retrieval.result import Mode
from selfrag.settings import Settings
from selfrag.wording import count

THREADS = CapacityLimiter(64)
MOST_TEXT = 400_000  #: characters of a document that are read at once

_ABOUT = """The user's own PDF documents. Use rag_answer for a question that they may answer or a
statement to be checked against them: it searches, checks its own claims and cites document and
page. Use retrieve to read passages yourself. Both see nothing but these documents."""

#: parameters of a search -> what the tool calls them
_ARGUMENTS = {"q": "query", "document": "documents"}

_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
#: A run is recorded, may cost money, and its answer may differ the next time.
_ASKS = ToolAnnotations(read_only_hint=True, idempotent_hint=False, open_world_hint=False)

Documents = Annotated[
    list[str] | None,
    Field(description="Ids of the documents to look in, from list_documents; all where null."),
]


class Library(MCPServer[Any]):
    """An MCP server whose list of resources is the library's list of documents."""

    backend: Callable[[], Backend]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """As the SDK does it, with a sentence where arguments do not fit."""
        schema = next((t.input_schema for t in await self.list_tools() if t.name == name), None)
        if schema is not None and (wrong := unknown(arguments, schema)):
            raise ToolError(wrong)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if schema is not None and isinstance(error.__cause__, ValidationError):
                raise ToolError(misfit(error.__cause__, schema)) from None
            raise

    async def list_resources(self) -> list[Resource]:
        """Every document that can be read, by its URI."""
        found = await in_thread(lambda: self.backend().documents())
        return [
            Resource(
                uri=f"selfrag://documents/{item.document_id}",
                name=item.document,
                description=f"{count(item.pages, 'page')}, {item.language or 'language unknown'}",
                mime_type="text/plain",
            )
            for item in found
            if item.status == "ready"
        ]


def build(
    backend: Callable[[], Backend],
    settings: Callable[[], Settings],
    limits: Limits | None = None,
) -> Library:
    """The server.

    Args:
        backend: gives what is asked; called for each request.
        limits: what each client has asked for lately; none over stdio, which has one client.
    """
    server = Library(
        "self-rag",
        title="Self-RAG",
        instructions=_ABOUT,
        version="1",
        log_level="WARNING",
    )
    server.backend = backend

    def within(kind: Literal["searches", "answers"], ctx: Context[Any, Any]) -> None:
        request = ctx.request_context.request
        if limits is None or request is None or note.of_owner(request.headers):
            return
        now = settings()
        most = {"searches": now.searches_per_minute, "answers": now.answers_per_minute}[kind]
        wait = limits.take(kind, client_of(request.scope, now.trusted_proxies), most)
        if wait:
            raise ToolError(
                f"{most} {kind} a minute are allowed: try again in {max(1, round(wait))} s, or "
                f"have the user set {kind.upper()}_PER_MINUTE higher (0 is no limit)."
            )

    @server.tool(
        title="Answer from the documents",
        description="Answer a question, or check a statement, from the user's PDF documents. "
        "Every claim is checked against the text; the result says whether the answer is backed "
        "and cites document and page. Takes seconds, with a language model up to a minute. Not "
        "for questions that have nothing to do with the documents.",
        annotations=_ASKS,
    )
    async def rag_answer(
        question: Annotated[
            str, Field(description="One self-contained question or statement, in any language.")
        ],
        ctx: Context[Any, Any],
        strategy: Annotated[
            Literal["plain", "critique", "selfrag"] | None,
            Field(description="selfrag checks every claim (usual), plain nothing, critique once."),
        ] = None,
        documents: Documents = None,
        max_retries: Annotated[
            Whole | None, Field(description=f"Tries to mend the answer, 0 to {MOST_RETRIES}.")
        ] = None,
    ) -> Annotated[CallToolResult, AnswerForModel]:
        notes: list[str] = []
        tries = clamp(max_retries, 0, MOST_RETRIES, "max_retries", notes)
        asked = _fits(
            AnswerBody,
            {
                "question": question,
                "strategy": strategy,
                "documents": documents,
                "max_retries": tries,
            },
        )
        within("answers", ctx)
        answering: Answering = await tried(lambda: backend().ask(asked))
        try:
            steps = await report_steps(answering, ctx)
            found = await tried(answering.result)
        except BaseException:
            answering.stop()  # the call was cancelled: nobody waits for this run any more
            raise
        if found.status == "failed":
            raise ToolError(f"{found.reason or 'It could not be answered.'}")
        told = AnswerForModel.of(found, steps, notes)
        return result(texts.answer(told), told)

    @server.tool(
        title="Search the documents",
        description="Find passages in the user's PDF documents, best first, with document and "
        "page. Fast; writes no answer. Use it to read for yourself or to see whether there is "
        "anything on a subject.",
        annotations=_READS,
    )
    async def retrieve(
        query: Annotated[str, Field(description="What to look for: words or a question.")],
        ctx: Context[Any, Any],
        mode: Annotated[
            Literal["bm25", "dense", "hybrid", "hybrid_mmr", "hybrid_rerank", "full"],
            Field(description="bm25 finds exact words, dense meanings, full both and the best."),
        ] = "full",
        k: Annotated[
            Whole | None, Field(description=f"Passages wanted, 1 to {MOST_PASSAGES}.")
        ] = None,
        documents: Documents = None,
    ) -> Annotated[CallToolResult, SearchResult]:
        notes: list[str] = []
        wanted = clamp(k, 1, MOST_PASSAGES, "k", notes)
        values = {"q": query, "mode": Mode(mode), "k": wanted, "document": documents}
        asked = _fits(SearchParameters, values)
        within("searches", ctx)
        found: SearchResult = await tried(lambda: backend().search(asked))
        told = found.model_copy(update={"notes": [*found.notes, *notes]})
        return result(texts.hits(told), told)

    @server.tool(
        title="Health",
        description="Whether the documents can be searched and whether a language model writes "
        "the answers; what is missing and how to mend it.",
        annotations=_READS,
    )
    async def server_health() -> Annotated[CallToolResult, Health]:
        told: Health = await tried(lambda: backend().health())
        return result(texts.health(told), told)

    @server.tool(
        title="List the documents",
        description="The user's PDF documents with their ids, pages and languages.",
        annotations=_READS,
    )
    async def list_documents() -> Annotated[CallToolResult, DocumentList]:
        told = DocumentList(documents=await tried(lambda: backend().documents()))
        return result(texts.documents(told), told)

    @server.resource(
        "selfrag://documents/{document_id}",
        name="document",
        description="The text of a document, page by page.",
        mime_type="text/plain",
    )
    async def document(document_id: str) -> str:
        pages = await _pages(backend, document_id)
        text = "\n".join([texts.DATA, *map(_page_text, pages)])
        if len(text) <= MOST_TEXT:
            return text
        return f"{text[:MOST_TEXT]}\n(The rest is left out: read single pages.)"

    @server.resource(
        "selfrag://documents/{document_id}/pages/{page}",
        name="page",
        description="The text of one page of a document, counted from 1.",
        mime_type="text/plain",
    )
    async def page(document_id: str, page: str) -> str:
        pages = await _pages(backend, document_id)
        found = next((item for item in pages if str(item.page) == page), None)
        if found is None:
            raise ResourceNotFoundError(f"There is no page {page}: there are {len(pages)}.")
        return f"{texts.DATA}\n{_page_text(found)}"

    return server


def clamp(value: int | None, low: int, high: int, name: str, notes: list[str]) -> int | None:
    """The value within its bounds; says so in ``notes`` where it was not."""
    if value is None or low <= value <= high:
        return value
    used = min(max(value, low), high)
    notes.append(f"{name} was {value}; {used} was used, as it may be {low} to {high}.")
    return used


def result(text: str, told: BaseModel) -> CallToolResult:
    """A result for models that read and for programs."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=told.model_dump(mode="json"),
    )


async def in_thread(work: Callable[[], Any]) -> Any:
    """Do what blocks beside the event loop; a cancelled call does not wait for it."""
    return await to_thread.run_sync(work, limiter=THREADS, abandon_on_cancel=True)


async def tried(work: Callable[[], Any]) -> Any:
    """As `in_thread`; what the person can mend is told to the caller."""
    try:
        return await in_thread(work)
    except (UserError, ModelError) as error:
        raise ToolError(str(error)) from None


def _fits(model: type[BaseModel], values: dict[str, Any]) -> Any:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        told = error.errors(include_input=False, include_url=False, include_context=False)[0]
        name = str(told["loc"][0]) if told["loc"] else "the arguments"
        name = _ARGUMENTS.get(name, name)
        if told["type"] == "string_too_short":
            raise ToolError(f"{name} is empty: write what is asked for.") from None
        said = str(told["msg"]).removeprefix("Value error, ")
        raise ToolError(f"{name} does not fit: {said}.") from None


async def _pages(backend: Callable[[], Backend], document_id: str) -> list[PageText]:
    try:
        found: list[PageText] = await in_thread(lambda: backend().pages(document_id))
    except UserError as error:
        raise ResourceError(str(error)) from None
    return found


def _page_text(page: PageText) -> str:
    return texts.fenced(page.text, document=page.document, page=page.page, label=page.label)
