"""Measuring for the pages: the library's own labels and uploaded sets, in the background."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from selfrag.evaluation.background import Background, ByPerson, Done
from selfrag.evaluation.history import History, record_of
from selfrag.evaluation.kept import signature
from selfrag.evaluation.label_study import NAME, LabelStudies
from selfrag.evaluation.retrieval_study import Cancelled, Progress, measure
from selfrag.evaluation.set_task import task_of
from selfrag.evaluation.study import MEASURES, Study
from selfrag.evaluation.uploaded import Sets
from selfrag.records.results import ResultRecord
from selfrag.retrieval.variant import Variant
from selfrag.settings import Settings


@dataclass(frozen=True, slots=True)
class Asked:
    """What a study was asked for: a set or the labels, the variants, the tested measure."""

    name: str
    variants: tuple[Variant, ...]
    measure: str


class Studies:
    """What the Evaluate page starts and follows.

    Attributes:
        sets: those that were uploaded.
        history: what came of earlier ones.
    """

    def __init__(self, settings: Settings, labels: LabelStudies, history: History) -> None:
        self._settings = settings
        self._labels = labels
        self.history = history
        self.sets = Sets(settings.storage_dir.expanduser() / "evaluation" / "sets")
        self._backgrounds: ByPerson[Study] = ByPerson()

    def background(self, owner: str | None = None) -> Background[Study]:
        """What is measured for one person; nobody sees what another one asked."""
        return self._backgrounds.of(owner)

    def close(self) -> None:
        """End everything that is under way."""
        self._backgrounds.close()

    def start(
        self,
        name: str,
        variants: Sequence[Variant],
        measure_by: str = MEASURES[0],
        owner: str | None = None,
    ) -> None:
        """Measure variants on an uploaded set.

        Raises:
            UserError: there is no such set, or a study is under way.
        """
        folder = self.sets.path(name)

        def work(progress: Progress, cancel: threading.Event) -> Done[Study]:
            progress("reading", 0, 0)
            began = time.perf_counter()
            task = task_of(folder, self._settings, variants, measure=measure_by)
            made = measure(task, progress=progress, cancel=cancel)
            record = record_of(
                made.study,
                made.made_of,
                made.signature,
                task.wanted,
                seconds=time.perf_counter() - began,
            )
            return kept(self.history, record, made.study, owner, again=made.again)

        self.background(owner).start(name, work, Asked(name, tuple(variants), measure_by))

    def start_labels(
        self,
        variants: Sequence[Variant],
        measure_by: str = MEASURES[0],
        owner: str | None = None,
    ) -> None:
        """Measure variants on somebody's labels.

        Raises:
            UserError: a study is under way.
        """

        def work(progress: Progress, cancel: threading.Event) -> Done[Study]:
            def told(done: int, total: int) -> None:
                if cancel.is_set():
                    raise Cancelled("Cancelled. Start it again to go on where it was.")
                progress("searching", done, total)

            return self.measure_labels(variants, measure_by, owner, told)

        self.background(owner).start(NAME, work, Asked(NAME, tuple(variants), measure_by))

    def measure_labels(
        self,
        variants: Sequence[Variant],
        measure_by: str = MEASURES[0],
        owner: str | None = None,
        progress: Callable[[int, int], None] = lambda done, all_: None,
    ) -> Done[Study]:
        """Measure variants on somebody's labels, now.

        Raises:
            ModelError: the endpoint of the embedding model does not answer.
        """
        began = time.perf_counter()
        made_of = self._labels.made_of(owner)
        study = self._labels.study(variants, owner, progress, measure_by)
        record = record_of(
            study,
            made_of,
            signature(made_of),
            f"{'|'.join(map(str, variants))}|{measure_by}",
            seconds=time.perf_counter() - began,
        )
        return kept(self.history, record, study, owner)


def kept(
    history: History,
    record: ResultRecord,
    study: Study,
    owner: str | None = None,
    *,
    again: bool = False,
) -> Done[Study]:
    """A study that is over, put into the history.

    One without any question is not: it says nothing that could be compared later.
    """
    if not study.questions:
        return Done(study)
    there = history.keep(record, study.to_json(), owner)
    return Done(
        study,
        again,
        history.changes(there, owner),
        there.id,
        kept_before=there.id != record.id,
    )
