"""What the labels of a library say about its modes.

Searches are remembered as long as the library holds the same documents: another label costs no
search.
"""

import hashlib
import statistics
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from selfrag.errors import ModelError
from selfrag.evaluation.kept import as_text, computed_by
from selfrag.evaluation.labelling import Labelling
from selfrag.evaluation.study import MEASURES, Searched, Study, make_study
from selfrag.models.query_cache import made_anew
from selfrag.records.documents import DocumentRecord
from selfrag.retrieval.funnel import MAX_K, Funnel
from selfrag.retrieval.result import Mode, Retrieval, StageStatus
from selfrag.retrieval.variant import Variant
from selfrag.wording import count

NAME = "Your labels"
_REMEMBERED = 20_000  #: searches
_TIMED = 20  #: questions that are embedded to say how long that takes
#: A stage narrows the list; what it left out stands behind what it kept, in the order before.
_FROM_THE_END = ("rerank", "mmr", "fusion", "bm25", "dense")


class LabelStudies:
    """Measures modes on the labels of a library.

    Args:
        funnel: gives the library's funnel.
        ready: gives the documents that can be searched.
        models: the models that a search asks, by what they do.
    """

    def __init__(
        self,
        labelling: Labelling,
        funnel: Callable[[], Funnel],
        ready: Callable[[], Sequence[DocumentRecord]],
        models: Mapping[str, str],
    ) -> None:
        self._labelling = labelling
        self._funnel = funnel
        self._ready = ready
        self._models = models
        self._lock = threading.Lock()
        self._known: dict[Any, Searched] = {}
        self._embedding: float | None = None

    def study(
        self,
        variants: Sequence[Variant],
        owner: str | None = None,
        progress: Callable[[int, int], None] = lambda done, all_: None,
        measure: str = MEASURES[0],
    ) -> Study:
        """Every variant on every labelled question.

        Args:
            progress: told searches done and searches in all.
            measure: the one that is tested.

        Raises:
            ModelError: the endpoint of the embedding model does not answer.
        """
        data = self._labelling.as_set(owner)
        state = tuple((item.id, item.children) for item in self._ready())
        funnel = self._funnel()
        asked = [
            question
            for question in data.queries.values()
            if any(
                (question, variant, variant.applied(funnel.settings), state) not in self._known
                for variant in variants
            )
        ]
        embedding = self._embedded(funnel, asked, variants)
        total = len(data.queries) * len(variants)
        found: dict[str, dict[str, Searched]] = {}
        for variant in variants:
            row = found.setdefault(str(variant), {})
            settings = variant.applied(funnel.settings)
            for key, question in data.queries.items():
                at = (question, variant, settings, state)
                if at not in self._known:
                    self._remember(at, searched(funnel, question, variant))
                row[key] = self._known[at]
                progress(len(found) * len(data.queries) - len(data.queries) + len(row), total)
        return make_study(
            NAME,
            data.queries,
            data.qrels,
            found,
            measure=measure,
            embedding=embedding,
            notes=_notes(data.without, data.gone),
        )

    def _embedded(
        self, funnel: Funnel, questions: Sequence[str], variants: Sequence[Variant]
    ) -> float | None:
        """Make the questions' vectors before anything is timed: else whichever variant comes first
        would be charged with them.

        Returns:
            the median of the seconds that one takes; None where none is needed, or can be had.
        """
        if all(variant.mode is Mode.BM25 for variant in variants):
            return None
        try:
            for question in questions:
                funnel.embed(question)
            if self._embedding is None:
                with made_anew():
                    timed = [funnel.embed(question) for question in questions[:_TIMED]]
                self._embedding = statistics.median(timed) if timed else None
        except ModelError:
            return None  # the searches say which of them went without
        return self._embedding

    def made_of(self, owner: str | None = None) -> dict[str, str]:
        """Everything that a study of these labels depends on, by name."""
        data, ready = self._labelling.as_set(owner), self._ready()
        return {
            "data": _digest(sorted(data.queries.items()), sorted(data.qrels.items())),
            "questions": str(len(data.queries)),
            "judgements": str(data.labels),
            "documents": str(len(ready)),
            "library": _digest(sorted((item.id, item.children) for item in ready)),
            **computed_by(),
            **as_text({"models": self._models, "settings": asdict(self._funnel().settings)}),
        }

    def _remember(self, at: Any, made: Searched) -> None:
        with self._lock:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[at] = made


def _digest(*values: Any) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


def searched(funnel: Funnel, question: str, variant: Variant) -> Searched:
    """One search, as deep as there are candidates."""
    settings = variant.applied(funnel.settings)
    width = variant.k or settings.k_final
    found = funnel.search(question, variant.mode, k=min(width, MAX_K), settings=settings)
    return Searched(
        ranking=tuple(ranking(found)),
        seconds=found.seconds,
        skipped={
            stage.name: stage.reason or "no reason was given"
            for stage in found.stages
            if stage.status is StageStatus.SKIPPED
        },
    )


def ranking(found: Retrieval) -> list[str]:
    """Every child in the order in which it is read: a parent brings all that led to it."""
    order = dict.fromkeys(child for hit in found.hits for child in (hit.chunk_id, *hit.children))
    for stage in _FROM_THE_END:
        order |= dict.fromkeys(found.lists.get(stage, ()))
    return list(order)


def _notes(without: int, gone: int) -> list[str]:
    said = ["Passages that nobody labelled count as not relevant."]
    if without:
        said.append(
            f"{count(without, 'question')} with no relevant passage "
            f"{'is' if without == 1 else 'are'} left out: nothing can be measured there."
        )
    if gone:
        said.append(
            f"{count(gone, 'label')} of passages that are no longer in your library "
            f"{'is' if gone == 1 else 'are'} left out."
        )
    return said
