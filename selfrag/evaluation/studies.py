"""Measuring for the pages: the library's own labels and uploaded sets, in the background."""

import threading
from collections.abc import Sequence

from selfrag.evaluation.background import Background
from selfrag.evaluation.label_study import NAME, LabelStudies
from selfrag.evaluation.retrieval_study import Cancelled, Progress, measure
from selfrag.evaluation.set_task import task_of
from selfrag.evaluation.study import MEASURES, Study
from selfrag.evaluation.uploaded import Sets
from selfrag.retrieval.variant import Variant
from selfrag.settings import Settings


class Studies:
    """What the Evaluate page starts and follows.

    Attributes:
        sets: those that were uploaded.
    """

    def __init__(self, settings: Settings, labels: LabelStudies) -> None:
        self._settings = settings
        self._labels = labels
        self.sets = Sets(settings.storage_dir.expanduser() / "evaluation" / "sets")
        self._lock = threading.Lock()
        self._backgrounds: dict[str | None, Background] = {}

    def background(self, owner: str | None = None) -> Background:
        """What is measured for one person; nobody sees what another one asked."""
        with self._lock:
            return self._backgrounds.setdefault(owner, Background())

    def close(self) -> None:
        """End everything that is under way."""
        for each in list(self._backgrounds.values()):
            each.cancel()
        for each in list(self._backgrounds.values()):
            each.close()

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

        def work(
            progress: Progress, cancel: threading.Event
        ) -> tuple[Study, bool, tuple[str, ...]]:
            progress("reading", 0, 0)
            task = task_of(folder, self._settings, variants, measure=measure_by)
            made = measure(task, progress=progress, cancel=cancel)
            return made.study, made.again, made.changes

        self.background(owner).start(name, work)

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

        def work(
            progress: Progress, cancel: threading.Event
        ) -> tuple[Study, bool, tuple[str, ...]]:
            def told(done: int, total: int) -> None:
                if cancel.is_set():
                    raise Cancelled("Cancelled. Start it again to go on where it was.")
                progress("searching", done, total)

            return self._labels.study(variants, owner, told, measure_by), False, ()

        self.background(owner).start(NAME, work)
