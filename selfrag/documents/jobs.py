"""Ingestion in the background: jobs outlive the page and the tab that started them.

One worker takes the jobs in their order, because embedding uses every core already; searching and
asking go on meanwhile.
"""

import logging
import queue
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from selfrag.documents.results import IngestResult, Progress, Report
from selfrag.errors import UserError
from selfrag.records.documents import State

logger = logging.getLogger(__name__)

KEPT = 200  #: finished jobs that are remembered

#: does the work of one job: (report, cancel) -> result
Work = Callable[[Report, threading.Event], IngestResult]


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as it stands at one moment.

    Attributes:
        document: the file's name.
        stage: queued, reading, embedding, indexing, or ``done``.
        done, total: pages while reading, chunks while embedding; total 0 where not known yet.
        seconds: since it left the queue.
        rate: pages or chunks per second in this stage, or None.
        remaining: seconds left in this stage at that rate, or None.
        result: what became of it, once done.
    """

    id: str
    document: str
    stage: str
    done: int = 0
    total: int = 0
    seconds: float = 0.0
    rate: float | None = None
    remaining: float | None = None
    result: IngestResult | None = None

    @property
    def finished(self) -> bool:
        """Whether it is done, well or badly."""
        return self.result is not None


@dataclass(slots=True)
class _Job:
    view: JobView
    work: Work
    document_id: str | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    began: float = 0.0
    stage_began: float = 0.0


class Jobs:
    """The queue and its worker."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._queue: queue.Queue[_Job | None] = queue.Queue()
        self._worker = threading.Thread(target=self._run, name="ingestion", daemon=True)
        self._closing = False
        self._worker.start()

    def submit(self, document: str, work: Work, document_id: str | None = None) -> str:
        """Queue a job; returns its id. ``document_id`` is the document it works on."""
        job = _Job(JobView(str(uuid.uuid4()), document, State.QUEUED.value), work, document_id)
        with self._lock:
            self._jobs[job.view.id] = job
            finished = [key for key, other in self._jobs.items() if other.view.finished]
            for key in finished[:-KEPT]:
                del self._jobs[key]
        self._queue.put(job)
        return job.view.id

    def cancel(self, job_id: str) -> None:
        """Give up a job; one that is done or unknown stays as it is."""
        with self._lock:
            job = self._jobs.get(job_id)
        if job is not None:
            job.cancel.set()

    def cancel_for(self, document_id: str) -> None:
        """Give up whatever is queued or under way for a document."""
        with self._lock:
            jobs = [job for job in self._jobs.values() if job.document_id == document_id]
        for job in jobs:
            job.cancel.set()

    def dismiss(self, job_id: str | None = None) -> None:
        """Forget a job that is done, or all of them."""
        with self._lock:
            self._jobs = {
                key: job
                for key, job in self._jobs.items()
                if not job.view.finished or job_id not in (None, key)
            }

    def views(self) -> list[JobView]:
        """Every job, oldest first."""
        with self._lock:
            return [job.view for job in self._jobs.values()]

    @property
    def busy(self) -> bool:
        """Whether any job is queued or under way."""
        return any(not view.finished for view in self.views())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is queued or under way; False where ``timeout`` seconds passed."""
        until = None if timeout is None else time.monotonic() + timeout
        while self.busy:
            if until is not None and time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        """Cancel what is under way and end the worker; what was queued is taken up next time."""
        self._closing = True
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel.set()
        self._queue.put(None)
        self._worker.join(timeout=30)

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            if self._closing:
                continue
            job.began = job.stage_began = time.monotonic()
            # One that was cancelled in the queue is begun too: its work knows what to clear away.
            result = self._do(job)
            self._set(job, stage="done", result=result, seconds=time.monotonic() - job.began)

    def _do(self, job: _Job) -> IngestResult:
        try:
            return job.work(lambda progress: self._report(job, progress), job.cancel)
        except UserError as error:  # such as: it was deleted while it waited
            return IngestResult(job.view.document, job.document_id, "failed", error=str(error))
        except Exception as error:
            logger.exception("the job for %s failed", job.view.document)
            why = f"something went wrong ({error or type(error).__name__}); try it again."
            return IngestResult(job.view.document, None, "failed", error=why)

    def _report(self, job: _Job, progress: Progress) -> None:
        now = time.monotonic()
        if progress.state.value != job.view.stage:
            job.stage_began = now
        spent = now - job.stage_began
        rate = progress.done / spent if progress.done and spent > 0.2 else None
        left = (progress.total - progress.done) / rate if rate else None
        self._set(
            job,
            stage=progress.state.value,
            done=progress.done,
            total=progress.total,
            rate=rate,
            remaining=left,
            seconds=now - job.began,
        )

    def _set(self, job: _Job, **values: object) -> None:
        with self._lock:
            job.view = replace(job.view, **values)  # type: ignore[arg-type]
