"""Ingestion: against the plain way, against embedding alone, and as documents grow.

The plain way is what most tutorials do: pypdf, recursive splitting, children and parents embedded
with FastEmbed's defaults, ``QdrantClient(path=...)``. All figures are ratios within one run, of
CPU time: on a shared machine the wall clock measures the neighbours. The quick ones alone, under
a minute:

    pytest tests/benchmarks/test_ingestion.py -m benchmark -k "plain or short"
"""

import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter
from pypdf import PdfReader
from qdrant_client import QdrantClient, models

from selfrag.models.packaged import load_minilm
from selfrag.service import SelfRag
from tests.benchmarks.prose import write_prose

pytestmark = pytest.mark.benchmark

PAGES = 24


def plain_way(pdf: Path, folder: Path, model) -> int:
    """Ingest as a tutorial would; returns the number of children."""
    text = "\n".join(page.extract_text() for page in PdfReader(pdf).pages)
    sizes = {"children": (600, 150), "parents": (1200, 0)}
    client = QdrantClient(path=str(folder))
    for name, (size, overlap) in sizes.items():
        splitter = RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=overlap)
        chunks = splitter.split_text(text)
        client.create_collection(
            name, vectors_config=models.VectorParams(size=384, distance=models.Distance.COSINE)
        )
        client.upsert(
            name,
            [
                models.PointStruct(id=number, vector=vector.tolist(), payload={"text": chunk})
                for number, (chunk, vector) in enumerate(
                    zip(chunks, model.embed(chunks), strict=True)
                )
            ],
        )
    count = client.count("children").count
    client.close()
    return count


def test_ingestion_is_at_least_four_times_as_fast_as_the_plain_way(
    rag: SelfRag, tmp_path: Path, said
):
    model = load_minilm(tmp_path / "models")
    list(model.embed(["warm-up"]))
    rag.embeddings.embed_query("warm-up")
    rag.library.ingest(write_prose(tmp_path / "warm-up.pdf", 1, seed=9))
    pdf = write_prose(tmp_path / "a.pdf", PAGES)

    with Clock() as ours:
        result = rag.library.ingest(pdf)
    with Clock() as plain:
        plain_way(pdf, tmp_path / "plain", model)
    texts = [child["page_content"] for child in rag.index.children(result.document_id or "")]
    with Clock() as embedding:
        rag.embeddings.embed_documents(texts)

    said(
        f"{PAGES} pages, {result.chunks} children: {PAGES / ours.wall:.1f} pages/s; "
        f"the plain way takes {plain.cpu / ours.cpu:.1f} times the CPU time "
        f"({plain.wall / ours.wall:.1f} times by the wall clock), embedding the children alone "
        f"takes 1/{ours.cpu / embedding.cpu:.2f} (1/{ours.wall / embedding.wall:.2f})"
    )
    assert ours.cpu / embedding.cpu <= 1.15
    assert plain.cpu / ours.cpu >= 4


class Clock:
    """Seconds by the wall clock, and of CPU time in this process and its children.

    Ratios are asserted on CPU time: on a shared machine the wall clock measures the neighbours.
    """

    def __enter__(self) -> "Clock":
        self._began = time.perf_counter(), cpu_seconds()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.perf_counter() - self._began[0]
        self.cpu = cpu_seconds() - self._began[1]


def cpu_seconds() -> float:
    me = psutil.Process()
    total = 0.0
    for process in (me, *me.children(recursive=True)):
        times = process.cpu_times()
        total += times.user + times.system
    return total


class Quick:
    """Vectors without a model: what remains is reading, chunking, indexing and records."""

    name = "quick"
    dimension = 384
    languages = None
    reads = None

    def vectors(self, texts, *, progress=None, cancel=None):
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), self.dimension))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def cut_off(self, texts):
        return 0


class Peak:
    """The most memory that this process and its children held together, in bytes."""

    def __enter__(self) -> "Peak":
        self.bytes = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._done.wait(0.1):
            total = 0
            for process in (me, *me.children(recursive=True)):
                try:
                    total += process.memory_info().rss
                except psutil.Error:
                    continue
            self.bytes = max(self.bytes, total)


def test_cost_of_a_short_page_does_not_rise_with_the_pages(rag: SelfRag, tmp_path: Path, said):
    """With the real model, on pages of a few lines, so that it ends."""
    growth, _, _ = grown(rag, tmp_path, small=100, large=1_000, characters=250)
    said(f"a short page costs {growth:.2f} times the CPU time in 1,000 pages as in 100, embedded")
    assert growth <= 1.1


def test_cost_of_a_page_does_not_rise_from_100_to_5000_pages(rag: SelfRag, tmp_path: Path, said):
    """Full pages without the model, which costs the same for each of them."""
    rag.embeddings.embed_query("the model is held in memory")
    rag.library._builder._embeddings = Quick()
    growth, rate, peak = grown(rag, tmp_path, small=100, large=5_000)
    said(
        f"a page costs {growth:.2f} times the CPU time in 5,000 pages as in 100 "
        f"({rate:.0f} pages a CPU second without embedding); "
        f"peak {peak / 2**30:.2f} GB in all processes"
    )
    assert growth <= 1.1
    assert peak < 1.5 * 2**30


def grown(
    rag: SelfRag, folder: Path, *, small: int, large: int, characters: int | None = None
) -> tuple[float, float, int]:
    """How much more a page costs in a large file, its pages a CPU second, and its peak in bytes.

    The small files together have several hundred pages, so that no one page decides.
    """
    rag.library.ingest(write_prose(folder / "warm-up.pdf", 20, 3, characters))
    few = [write_prose(folder / f"{n}.pdf", small, 10 + n, characters) for n in range(3)]
    many = write_prose(folder / "large.pdf", large, 2, characters)
    with Clock() as first:
        for path in few:
            assert rag.library.ingest(path).status == "ready"
    with Peak() as peak, Clock() as last:
        assert rag.library.ingest(many).status == "ready"
    return (last.cpu / large) / (first.cpu / (small * len(few))), large / last.cpu, peak.bytes
