"""The funnel: from a question to the passages that are read.

    query -> dense top 100 ┐
             BM25  top 100 ┴ fusion -> top 20 -> MMR 15 -> rerank 4 -> parents

A mode says how far it goes. Every stage leaves a record: whether it ran, was skipped (and why)
or is not part of the mode, how long it took, and the rank and score it gave each passage.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from selfrag.errors import ModelError, UserError
from selfrag.models.rerankers import Reranker, RerankerState
from selfrag.retrieval.candidates import NO_WORDS, Candidates, Ranked, Retrievers, Searchable
from selfrag.retrieval.fusion import convex, rrf
from selfrag.retrieval.hits import by_parent, make_hit
from selfrag.retrieval.language_fit import language_fit
from selfrag.retrieval.mmr import mmr
from selfrag.retrieval.query import check_query
from selfrag.retrieval.result import Hit, Mode, Retrieval
from selfrag.retrieval.trace import Trace
from selfrag.settings import Settings

MAX_K = 100
RERANK_SLICE = 32  #: passages a cross-encoder reads at most: it costs some 10 ms a passage

#: Measured with lambda 0.8: nDCG@10 changed by -0.003 to +0.001 on six sets; the one change that
#: is no chance (-0.001 on XQuAD-es, p 0.006) is for the worse. On SciFact 0.5 costs 0.020.
MMR_OFF = "FULL_MMR is off: MMR improved no set that was measured"

USES_DENSE = frozenset(Mode) - {Mode.BM25}
USES_BM25 = frozenset(Mode) - {Mode.DENSE}
USES_FUSION = USES_DENSE & USES_BM25
RETRIEVERS = {"dense": USES_DENSE, "bm25": USES_BM25}
USES_MMR = frozenset({Mode.HYBRID_MMR, Mode.FULL})
USES_RERANK = frozenset({Mode.HYBRID_RERANK, Mode.FULL})
USES_PARENTS = frozenset({Mode.FULL})


@dataclass(frozen=True, slots=True)
class FunnelSettings:
    """Widths and weights of the funnel; see `selfrag.settings`."""

    candidates: int = 100
    k_initial: int = 20
    k_mmr: int = 15
    k_final: int = 4
    fusion: str = "convex"
    dense_weight: float = 0.4
    dense_weight_foreign: float = 0.2
    mmr_lambda: float = 0.8
    full_mmr: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """As the settings have it."""
        return cls(
            candidates=settings.retrieval_candidates,
            k_initial=settings.retrieval_k_initial,
            k_mmr=settings.retrieval_k_mmr,
            k_final=settings.retrieval_k_rerank,
            fusion=settings.fusion,
            dense_weight=settings.dense_weight,
            dense_weight_foreign=settings.dense_weight_foreign,
            mmr_lambda=settings.mmr_lambda,
            full_mmr=settings.full_mmr,
        )


class Funnel:
    """Searches an index.

    Args:
        index: the open index.
        embeddings: LangChain embeddings for the query.
        sparse: `Bm25Embeddings`.
        reranker: see `selfrag.models.rerankers`.
        languages: gives the languages of the library; a query is stemmed for each of them.
    """

    def __init__(
        self,
        index: Searchable,
        embeddings: Any,
        sparse: Any,
        reranker: Reranker,
        languages: Any,
        settings: FunnelSettings | None = None,
    ) -> None:
        self._index = index
        self._retrievers = Retrievers(index, embeddings, sparse, languages)
        self._reranker = reranker
        self.settings = settings or FunnelSettings()

    def embed(self, query: str) -> float:
        """Make the query's vector, which searches then find remembered.

        Returns:
            the seconds that it took, about none where it was remembered already.

        Raises:
            ModelError: the endpoint of the embedding model does not answer.
        """
        began = time.perf_counter()
        self._retrievers.embed(query)
        return time.perf_counter() - began

    def search(
        self,
        query: str,
        mode: Mode = Mode.FULL,
        *,
        k: int | None = None,
        documents: Sequence[str] | None = None,
        settings: FunnelSettings | None = None,
    ) -> Retrieval:
        """The ``k`` best passages for ``query``.

        Args:
            mode: how far down the funnel.
            k: 1 to 100; the settings' final width where None. Wider than a stage lets through
                widens that stage.
            documents: ids to search in; all where None.
            settings: widths and weights of this search alone; the funnel's own where None.

        Raises:
            UserError: the query is blank or too long, the mode unknown, or ``k`` out of bounds.
        """
        query, mode = check_query(query), check_mode(mode)
        settings = settings or self.settings
        k = settings.k_final if k is None else k
        if not 1 <= k <= MAX_K:
            raise UserError(f"k is {k}: ask for 1 to {MAX_K} passages.")
        began = time.perf_counter()
        trace = Trace()
        widths = replace(
            settings,
            candidates=max(settings.candidates, k),
            k_initial=max(settings.k_initial, k),
            k_mmr=max(settings.k_mmr, k),
        )
        used = [name for name, modes in RETRIEVERS.items() if mode in modes]
        found = self._retrievers.find(trace, query, used, widths.candidates, documents)
        ranked = self._fuse(trace, mode, found, widths)
        points = self._index.passages([item for item, _ in ranked])
        # One that was deleted since it was found is no more to be read.
        ranked = [(item, score) for item, score in ranked if item in points]
        ranked = self._diversify(trace, mode, ranked, widths)
        ranked = self._rerank(trace, mode, query, ranked, points)
        hits = self._read(trace, mode, ranked, points, k)
        return Retrieval(
            query=query,
            mode=mode,
            hits=tuple(hits),
            stages=tuple(trace.stages),
            seconds=time.perf_counter() - began,
            lists=trace.lists,
            scores=trace.scores,
            notes=_why_nothing(trace) if not hits else (),
        )

    def _fuse(self, trace: Trace, mode: Mode, found: Candidates, widths: FunnelSettings) -> Ranked:
        if mode not in USES_FUSION or len(found.lists) < 2:
            only = next(iter(found.lists.values()), [])
            if mode in USES_FUSION:
                trace.skipped("fusion", "there is only one list", len(only))
            else:
                trace.off("fusion")
            return only[: widths.k_initial]
        weights = (widths.dense_weight, widths.dense_weight_foreign)
        with trace.timed():
            foreign = language_fit(found.languages, self._retrievers.known)
            shares = foreign.shares(*weights)
            if widths.fusion == "rrf":
                fused = rrf(found.lists, fit=shares)
            else:
                fused = convex(found.lists, {"dense": weights[0], "bm25": 1 - weights[0]}, shares)
        note = foreign.note(self._retrievers.model, *weights)
        trace.ran("fusion", fused, len(found), note)
        return fused[: widths.k_initial]

    def _diversify(
        self, trace: Trace, mode: Mode, ranked: Ranked, widths: FunnelSettings
    ) -> Ranked:
        if mode not in USES_MMR:
            trace.off("mmr")
            return ranked
        if mode is Mode.FULL and not widths.full_mmr:
            trace.off("mmr", MMR_OFF)
            return ranked
        with trace.timed():
            vectors = self._index.vectors([item for item, _ in ranked])
            chosen = mmr(ranked, vectors, lambda_=widths.mmr_lambda, k=widths.k_mmr)
        trace.ran("mmr", chosen, len(ranked))
        return chosen

    def _rerank(
        self,
        trace: Trace,
        mode: Mode,
        query: str,
        ranked: Ranked,
        points: Mapping[str, dict[str, Any]],
    ) -> Ranked:
        if mode not in USES_RERANK:
            trace.off("rerank")
            return ranked
        if mode is Mode.FULL and self._reranker.state is RerankerState.OFF:
            trace.off("rerank", self._reranker.reason)
            return ranked
        head, tail = ranked[:RERANK_SLICE], ranked[RERANK_SLICE:]
        texts = [points[item]["page_content"] for item, _ in head]
        try:
            with trace.timed():
                scores = self._reranker.scores(query, texts) if texts else []
        except ModelError as error:
            trace.skipped("rerank", str(error), len(ranked))
            return ranked
        scored = [(item, score) for (item, _), score in zip(head, scores, strict=True)]
        order = sorted(range(len(scored)), key=lambda i: (-scored[i][1], i))
        reordered = [scored[i] for i in order]
        trace.ran("rerank", reordered, len(ranked))
        return [*reordered, *tail]

    def _read(
        self,
        trace: Trace,
        mode: Mode,
        ranked: Ranked,
        points: Mapping[str, dict[str, Any]],
        k: int,
    ) -> list[Hit]:
        """The final hits; in ``full`` children of one parent give it once, at its best rank."""
        with trace.timed():
            items = [item for item, _ in ranked]
            joined = mode in USES_PARENTS
            groups = (by_parent(items, points) if joined else [[item] for item in items])[:k]
            wanted = {points[group[0]]["metadata"]["parent_id"] for group in groups}
            parents = self._index.parents(sorted(wanted))
            hits = [
                make_hit(rank, group, points, parents, trace.scores)
                for rank, group in enumerate(groups, start=1)
            ]
        if mode in USES_PARENTS:
            trace.grouped("parents", [hit.chunk_id for hit in hits], len(ranked))
        else:
            trace.off("parents")
        return hits


def _why_nothing(trace: Trace) -> tuple[str, ...]:
    if any(stage.note == NO_WORDS for stage in trace.stages):
        return (f"The question has {NO_WORDS}. Name what it is about.",)
    return ()


def check_mode(mode: str) -> Mode:
    """The mode of that name; raises UserError where there is none."""
    try:
        return Mode(mode)
    except ValueError:
        raise UserError(f"There is no mode {mode!r}: choose one of {', '.join(Mode)}.") from None
