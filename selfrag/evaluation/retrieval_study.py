"""Retrieval measured on a set in BEIR layout.

1. read what an earlier run kept; where nothing is missing, stop here;
2. embed and index the set in a folder of its own (vectors are kept for the next time);
3. search every question in every variant after a warm-up, keeping each search;
4. replay fusion from the two lists with other parameters;
5. measure and test.
"""

import statistics
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfrag.errors import UserError
from selfrag.evaluation.beir import BeirSet
from selfrag.evaluation.cutting import Cutting
from selfrag.evaluation.kept import Kept, made_of
from selfrag.evaluation.metrics import means, per_query
from selfrag.evaluation.study import MEASURES, Searched, Study, make_study
from selfrag.retrieval.funnel import FunnelSettings
from selfrag.retrieval.fusion import convex, rrf
from selfrag.retrieval.result import Mode, Retrieval, StageStatus
from selfrag.retrieval.variant import Variant
from selfrag.wording import count

if TYPE_CHECKING:
    from selfrag.evaluation.experiment import Experiment
    from selfrag.models.embeddings import EmbeddingModel
    from selfrag.models.rerankers import Reranker

RRF_KS = (1, 5, 10, 20, 60, 100, 200)
DENSE_WEIGHTS = tuple(round(0.1 * step, 1) for step in range(11))
_WARM_UP = 3  #: searches of each variant before time is taken
_TIMED = 20  #: questions that are embedded to say how long that takes
_TOGETHER = 20  #: searches that are kept at once

#: what is being done, how much of it is done, how much there is
Progress = Callable[[str, int, int], None]


class Cancelled(UserError):
    """The person ended it; what was searched is kept."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is measured with what.

    Attributes:
        data: the set.
        variants: in the order in which they are shown.
        models: what ``open_models`` will give, by name.
        open_models: gives the embedding model and the reranker; asked only where something
            has to be searched, since loading them takes longer than reading a kept study.
        labels: question id -> the stratum that it belongs to.
        measure: the one that is tested.
        folder: where studies and vectors are kept.
    """

    data: BeirSet
    variants: tuple[Variant, ...]
    models: Mapping[str, str]
    open_models: "Callable[[], tuple[EmbeddingModel, Reranker]]"
    folder: Path
    settings: FunnelSettings = field(default_factory=FunnelSettings)
    cutting: Cutting = field(default_factory=Cutting)
    labels: Mapping[str, str] = field(default_factory=dict)
    measure: str = MEASURES[0]

    @property
    def kept(self) -> Kept:
        """What is kept of it."""
        parts = made_of(
            self.data,
            models=self.models,
            settings=asdict(self.settings),
            cutting=asdict(self.cutting),
        )
        return Kept(self.folder / "studies", parts)

    @property
    def wanted(self) -> str:
        """What tells two studies of the same signature apart."""
        names = "|".join(map(str, self.variants))
        return f"{names}|{self.measure}|{sorted(self.labels.items())}"


@dataclass(frozen=True, slots=True)
class Measured:
    """A study, and how it came about.

    Attributes:
        again: whether all of it was there from an earlier run.
        signature: of everything that the numbers depend on.
        made_of: the same, by name.
    """

    study: Study
    again: bool
    signature: str
    made_of: dict[str, str]


def measure(
    task: Task,
    *,
    progress: Progress = lambda what, done, all_: None,
    cancel: threading.Event | None = None,
    fresh: bool = False,
) -> Measured:
    """Run a task, as far as it is not there yet.

    Args:
        fresh: forget what was kept of searches first; vectors stay.

    Raises:
        Cancelled: ``cancel`` was set; what was searched is kept.
        UserError: there is nothing to compare, or a question cannot be searched for.
        ModelError: the endpoint of the embedding model does not answer.
    """
    if not task.variants:
        raise UserError("No mode is chosen: name at least one.")
    if len(set(task.variants)) < len(task.variants):
        raise UserError("A mode is named twice: name each once.")
    kept = task.kept
    if fresh:
        kept.forget()
    stored = kept.result(task.wanted)
    if stored is None:
        study = _study(task, kept, progress, cancel or threading.Event())
        kept.keep(task.wanted, study.to_json())
    else:
        study = Study.from_json(stored)
    return Measured(_of_this_set(study, task.data), stored is not None, kept.signature, kept.parts)


def _of_this_set(study: Study, data: BeirSet) -> Study:
    """The study with what its numbers do not depend on: it may be kept of another folder."""
    notes = list(study.notes)
    if data.unjudged:
        notes.insert(
            1,
            f"{count(data.unjudged, 'question')} without qrels "
            f"{'was' if data.unjudged == 1 else 'were'} left out.",
        )
    return replace(study, name=data.name, notes=tuple(notes), left_out=data.left_out)


def _study(task: Task, kept: Kept, progress: Progress, cancel: threading.Event) -> Study:
    from selfrag.evaluation.experiment import experiment

    def embedded(done: int, all_: int) -> None:
        _go_on(cancel)
        progress("embedding passages", done, all_)

    def cut(done: int, all_: int) -> None:
        _go_on(cancel)
        progress("cutting documents", done, all_)

    progress("loading models", 0, 0)
    embeddings, reranker = task.open_models()
    with experiment(
        task.data,
        embeddings,
        cutting=task.cutting,
        settings=task.settings,
        reranker=reranker,
        cache_dir=task.folder / "vectors",
        progress=embedded,
        cut=cut,
    ) as opened:
        total = len(task.variants) * len(task.data.queries)
        found: dict[str, dict[str, Searched]] = {}
        for number, variant in enumerate(task.variants):
            before = number * len(task.data.queries)

            def done(more: int, before: int = before, variant: Variant = variant) -> None:
                _go_on(cancel)
                progress(f"searching, {variant.label}", before + more, total)

            found[str(variant)] = _search_all(task, opened, variant, kept, done)
        progress("measuring", 0, 1)
        sensitivity = _sensitivity(task, opened, cancel)
        made = make_study(
            task.data.name,
            task.data.queries,
            task.data.qrels,
            found,
            measure=task.measure,
            labels=task.labels,
            sensitivity=sensitivity,
            embedding=_embedding_seconds(task, embeddings),
            notes=[_size(task, opened, embeddings.name)],
        )
    progress("measuring", 1, 1)
    return made


def _go_on(cancel: threading.Event) -> None:
    if cancel.is_set():
        raise Cancelled("Cancelled. What was searched is kept: start it again to go on.")


def _search_all(
    task: Task,
    opened: "Experiment",
    variant: Variant,
    kept: Kept,
    done: Callable[[int], None],
) -> dict[str, Searched]:
    settings = variant.applied(task.settings)
    found = kept.searched(str(variant))
    missing = [query for query in task.data.queries if query not in found]

    def search(query: str) -> Retrieval:
        text = task.data.queries[query]
        return opened.funnel.search(text, variant.mode, k=variant.k, settings=settings)

    for query in missing[:_WARM_UP]:
        search(query)
    fresh: dict[str, Searched] = {}
    try:
        for query in missing:
            done(len(found) + len(fresh))
            made = search(query)
            fresh[query] = Searched(
                tuple(opened.ranking(made)),
                made.seconds,
                {
                    stage.name: stage.reason or "no reason was given"
                    for stage in made.stages
                    if stage.status is StageStatus.SKIPPED
                },
            )
            if len(fresh) >= _TOGETHER:
                kept.add(str(variant), fresh)
                found |= fresh
                fresh = {}
    finally:
        if fresh:
            kept.add(str(variant), fresh)
    found |= fresh
    done(len(found))
    return {query: found[query] for query in task.data.queries}


def _sensitivity(
    task: Task, opened: "Experiment", cancel: threading.Event
) -> dict[str, dict[str, float]]:
    """Means of the measure over fusion's parameters, from one search of each question."""
    lists = {}
    for query, text in task.data.queries.items():
        _go_on(cancel)
        made = opened.funnel.search(text, Mode.HYBRID, settings=task.settings)
        if not {"dense", "bm25"} <= made.lists.keys():
            return {}
        lists[query] = {
            name: [(item, made.scores[item][name].score) for item in made.lists[name]]
            for name in ("dense", "bm25")
        }

    def mean(fuse: Callable[[Any], list[tuple[str, float]]]) -> float:
        rankings = {
            query: opened.documents([item for item, _ in fuse(both)])
            for query, both in lists.items()
        }
        return means(per_query(task.data.qrels, rankings, [task.measure]))[task.measure] or 0.0

    return {
        "rrf_k": {str(k): mean(lambda both, k=k: rrf(both, k=k)) for k in RRF_KS},  # type: ignore[misc]
        "dense_weight": {
            str(weight): mean(
                lambda both, weight=weight: convex(both, {"dense": weight, "bm25": 1 - weight})  # type: ignore[misc]
            )
            for weight in DENSE_WEIGHTS
        },
    }


def _embedding_seconds(task: Task, embeddings: "EmbeddingModel") -> float | None:
    """The median over some questions, after one that loads the model."""
    seconds = []
    for place, text in enumerate(list(task.data.queries.values())[: _TIMED + 1]):
        began = time.perf_counter()
        # The text itself is remembered since it was embedded for the searches.
        embeddings.embed_query(f"{text} {place}")
        if place:
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds) if seconds else None


def _size(task: Task, opened: "Experiment", model: str) -> str:
    return (
        f"{count(len(task.data.queries), 'question')}, "
        f"{count(len(task.data.documents), 'document')} in {count(opened.children, 'passage')}, "
        f"{model}."
    )
