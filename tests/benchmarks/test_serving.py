"""Fifty clients at once over REST and its event streams, on 20,000 chunks: nothing is lost."""

import asyncio
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from selfrag.index.store import DOCUMENTS
from selfrag.service import SelfRag
from tests.benchmarks.test_retrieval_speed import points
from tests.interfaces.conftest import LEAVE, QUESTION, ROYALTY
from tests.support.library import add_records
from tests.support.pdf_factory import make_pdf
from tests.support.serving import Server, started

pytestmark = pytest.mark.benchmark

CHUNKS = 20_000
CLIENTS = 50
SEARCHES = 10  #: of each client
WORDS = """
system index document passage retrieval evidence claim source question answer page library royalty
patent contract invoice payment employee department report quarter budget review measure result
figure table method model training network vector language search engine
""".split()  # noqa: SIM905
Said = Callable[[str], None]


@pytest.fixture
def server(open_rag: Callable[..., SelfRag], tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "served"
    rag = open_rag(storage_dir=folder / "storage")
    list(rag.ingest([make_pdf(tmp_path / "handbook.pdf", [LEAVE, ROYALTY])]))
    add_records(rag, 1)
    filler = next(record for record in rag.documents() if record.name != "handbook.pdf")
    number = 0
    for batch in points(CHUNKS, seed=1):
        for point in batch:
            words = (WORDS[(number * 7 + place * 13) % len(WORDS)] for place in range(90))
            point.payload = {
                "page_content": " ".join(words),
                "metadata": {
                    "chunk_id": point.id,
                    "document_id": filler.id,
                    "document": filler.name,
                    "language": "en",
                    "page": 1,
                    "parent_id": point.id,
                    "position": number,
                    "heading": None,
                    "start": 0,
                    "end": 500,
                    "spans": [[1, 0, 500]],
                },
            }
            number += 1
        rag.index._client.upsert(DOCUMENTS, batch)
    rag.library.file(filler.id).write_bytes(b"%PDF")
    rag._documents.update(filler.id, children=CHUNKS)
    rag.close()
    unlimited = {"SEARCHES_PER_MINUTE": "0", "ANSWERS_PER_MINUTE": "0"}
    with started("serve", folder, **unlimited) as running:
        yield running


def test_fifty_clients_lose_nothing(server: Server, said: Said):
    took: list[float] = []
    ended: list[str] = []

    async def search(http: httpx.AsyncClient, number: int) -> None:
        for turn in range(SEARCHES):
            word = WORDS[(number * SEARCHES + turn) % len(WORDS)]
            began = time.perf_counter()
            asked = {"q": f"{word} of the patent royalty", "mode": "hybrid"}
            answer = await http.get("/api/search", params=asked)
            took.append(time.perf_counter() - began)
            assert answer.status_code == 200, answer.text
            assert answer.json()["hits"]

    async def ask(http: httpx.AsyncClient) -> None:
        stream = {"Accept": "text/event-stream"}
        async with http.stream(
            "GET", "/api/answer", params={"question": QUESTION}, headers=stream
        ) as answer:
            lines = [line async for line in answer.aiter_lines()]
        events = [line for line in lines if line.startswith("event: ")]
        numbers = [int(line[4:]) for line in lines if line.startswith("id: ")]
        assert numbers == list(range(len(events)))
        ended.append(events[-1])

    async def all_at_once() -> tuple[float, float]:
        limits = httpx.Limits(max_connections=CLIENTS)
        async with httpx.AsyncClient(base_url=server.url, timeout=300, limits=limits) as http:
            began = time.perf_counter()
            await asyncio.gather(*(search(http, number) for number in range(CLIENTS)))
            searched = time.perf_counter()
            await asyncio.gather(*(ask(http) for _ in range(CLIENTS)))
            return searched - began, time.perf_counter() - searched

    async def one() -> list[float]:
        async with httpx.AsyncClient(base_url=server.url, timeout=60) as http:
            await search(http, 0)
            alone, took[:] = sorted(took), []
            return alone

    alone = asyncio.run(one())
    searching, asking = asyncio.run(all_at_once())
    assert len(took) == CLIENTS * SEARCHES
    assert ended == ["event: run_finished"] * CLIENTS
    p95 = statistics.quantiles(took, n=20)[-1]
    said(
        f"{CHUNKS} chunks, one client: {statistics.median(alone) * 1000:.0f} ms a search; "
        f"{CLIENTS} clients: {len(took) / searching:.0f} searches/s, p95 {p95 * 1000:.0f} ms"
    )
    said(f"{CLIENTS} event streams at once: all complete in {asking:.1f} s")
    # Waiting in turn is all that fifty clients may cost: nothing is done twice for being asked
    # at once.
    assert searching < 3 * CLIENTS * SEARCHES * statistics.median(alone)
