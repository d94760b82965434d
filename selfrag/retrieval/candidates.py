"""Candidates: both retrievers' lists, asked of the index in one request.

They come without their texts: reading two hundred payloads takes five times as long as finding
them, and only the few that fusion lets through are read. Their languages come along where the
library holds one that the embedding model does not know.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from selfrag.errors import ModelError
from selfrag.index.payload import LANGUAGE, METADATA
from selfrag.retrieval.trace import Trace

Ranked = list[tuple[str, float]]

NO_WORDS = "no word to look for: words such as 'the' and 'of' are left out"


class Searchable(Protocol):
    """What the funnel asks of the index; `selfrag.index.store.Index` is one."""

    def search(
        self,
        dense: Any,
        sparse: Any,
        limit: int,
        documents: Sequence[str] | None = None,
        payload: bool | Sequence[str] = True,
    ) -> dict[str, list[Any]]: ...

    def passages(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]: ...

    def vectors(self, ids: Sequence[str]) -> dict[str, Any]: ...

    def parents(self, ids: Sequence[str]) -> dict[str, dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Candidates:
    """What was found.

    Attributes:
        lists: ``dense`` and ``bm25``, those that were asked for: ids and scores, best first.
        languages: id -> ISO 639-1 code, of passages whose language was asked for and is known.
    """

    lists: Mapping[str, Ranked]
    languages: Mapping[str, str]

    def __len__(self) -> int:
        return len({item for ranked in self.lists.values() for item, _ in ranked})


class Retrievers:
    """Dense and BM25 search of an index.

    Args:
        embeddings: LangChain embeddings for the query; their ``languages``, where they have
            any, are those that they know.
        sparse: `Bm25Embeddings`.
        languages: gives the languages of the library; a query is stemmed for each of them.
    """

    def __init__(
        self,
        index: Searchable,
        embeddings: Any,
        sparse: Any,
        languages: Callable[[], Iterable[str]],
    ) -> None:
        self._index = index
        self._embeddings = embeddings
        self._sparse = sparse
        self._languages = languages

    @property
    def known(self) -> frozenset[str] | None:
        """ISO 639-1 codes that the embedding model knows; None where it knows many."""
        known: frozenset[str] | None = getattr(self._embeddings, "languages", None)
        return known

    @property
    def model(self) -> str:
        """What the embedding model is called."""
        return getattr(self._embeddings, "name", "the model")

    def embed(self, query: str) -> list[float]:
        """The query's vector; raises ModelError where the model can't be asked."""
        vector: list[float] = self._embeddings.embed_query(query)
        return vector

    def find(
        self,
        trace: Trace,
        query: str,
        used: Collection[str],
        limit: int,
        documents: Sequence[str] | None,
    ) -> Candidates:
        """The lists, and a record of each retriever in ``trace``.

        Args:
            used: ``dense``, ``bm25`` or both. Dense search whose query cannot be embedded is
                recorded as skipped, with the reason.
            limit: length of each list.
            documents: ids to search in; all where None.
        """
        dense = sparse = None
        seconds = {"dense": 0.0, "bm25": 0.0}
        unavailable = None
        spoken = list(self._languages())
        if "dense" in used:
            try:
                with trace.timed():
                    dense = self.embed(query)
                seconds["dense"] = trace.seconds
            except ModelError as error:
                unavailable = str(error)
        if "bm25" in used:
            with trace.timed():
                sparse = self._sparse.embed_query_in(query, spoken)
            seconds["bm25"] = trace.seconds
        weighed = dense is not None and sparse is not None and self._foreign(spoken)
        with trace.timed():
            found = self._index.search(
                dense, sparse, limit, documents, [LANGUAGE] if weighed else False
            )
        # The two lists come from one request: each retriever is charged half of it.
        share = trace.seconds / max(1, sum(vector is not None for vector in (dense, sparse)))
        lists: dict[str, Ranked] = {}
        languages: dict[str, str] = {}
        for name in ("dense", "bm25"):
            if name not in used:
                trace.off(name)
            elif name == "dense" and unavailable is not None:
                trace.skipped(name, unavailable, 0)
            else:
                trace.seconds = seconds[name] + share
                lists[name] = [(str(point.id), float(point.score)) for point in found[name]]
                wordless = name == "bm25" and sparse is not None and not sparse.indices
                trace.ran(name, lists[name], len(lists[name]), NO_WORDS if wordless else None)
                languages |= _languages(found[name]) if weighed else {}
        return Candidates(lists, languages)

    def _foreign(self, spoken: Iterable[str]) -> bool:
        return self.known is not None and not self.known.issuperset(spoken)


def _languages(points: Iterable[Any]) -> dict[str, str]:
    return {
        str(point.id): language
        for point in points
        if (language := (point.payload or {}).get(METADATA, {}).get("language"))
    }
