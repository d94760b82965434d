"""Search without an answer."""

from starlette.responses import Response

from selfrag.interfaces.asking import SearchParameters
from selfrag.interfaces.rest.endpoint import Call, Endpoint, in_thread
from selfrag.interfaces.rest.sending import send
from selfrag.interfaces.schemas import SearchResult


async def search(call: Call) -> Response:
    """Search, and tell what every stage of the funnel did."""
    asked: SearchParameters = call.query
    found = await in_thread(lambda: call.rag.retrieve(asked.q, asked.mode, asked.k, asked.document))
    return send(SearchResult.of(found))


ENDPOINTS = (
    Endpoint(
        "GET",
        "/search",
        search,
        "Search the documents",
        {200: SearchResult},
        query=SearchParameters,
        limited="searches",
    ),
)
