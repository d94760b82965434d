"""SelfRag: the one façade that pages, REST, MCP and the command line call.

It opens what one process needs (records, index, models, the reader's sandbox), and closes it
again. Everything below is reached through it; nothing below knows of it.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Self

from selfrag.assembly import (
    Packaged,
    make_funnel,
    make_library,
    open_client,
    open_index,
)
from selfrag.documents.finding import find_pdfs
from selfrag.documents.jobs import Jobs
from selfrag.documents.render import Box
from selfrag.documents.results import IngestResult, Report
from selfrag.documents.samples import Samples
from selfrag.documents.sandbox import Sandbox
from selfrag.documents.sizes import ChunkSizes
from selfrag.documents.viewer import Viewer
from selfrag.errors import UserError
from selfrag.evaluation.answers.studies import AnswerStudies, Open
from selfrag.evaluation.history import History
from selfrag.evaluation.label_study import LabelStudies
from selfrag.evaluation.labelling import Labelling
from selfrag.evaluation.mapping import Maps
from selfrag.evaluation.set_task import models_of
from selfrag.evaluation.studies import Studies
from selfrag.index.bm25 import Bm25Embeddings, average_words
from selfrag.index.question import understood
from selfrag.index.server import ServerClient, ServerHealth, server_health
from selfrag.index.store import Index
from selfrag.models.embeddings import EmbeddingModel, make_embeddings
from selfrag.models.overview import named_for_overview
from selfrag.models.own_key import OwnKey
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.models.rerankers import make_reranker
from selfrag.models.tracing import Tracing, switch_off
from selfrag.pages import Chunk, Page
from selfrag.records.conversations import Conversations, Place
from selfrag.records.database import open_database
from selfrag.records.documents import DocumentRecord, Documents, State
from selfrag.records.feedback import Feedback
from selfrag.records.labels import Labels
from selfrag.records.results import Results
from selfrag.records.runs import RunRecord, RunSummary
from selfrag.reflection.budget import Budget
from selfrag.reflection.casting import Casting
from selfrag.reflection.events import Event
from selfrag.reflection.follow_up import within
from selfrag.reflection.options import RunOptions
from selfrag.reflection.planning import make_plan
from selfrag.reflection.registry import Registry
from selfrag.reflection.roles import Turn
from selfrag.reflection.run import Run
from selfrag.reflection.strategy import RetrievalPolicy
from selfrag.reflection.suggesting import Suggestions
from selfrag.reflection.trials import Trials
from selfrag.retrieval import comparison
from selfrag.retrieval.query import check_query
from selfrag.retrieval.result import Mode, Retrieval
from selfrag.retrieval.variant import Variant
from selfrag.settings import Settings, load_settings
from selfrag.sharing.shared import Sharing

logger = logging.getLogger(__name__)

EMPTY_LIBRARY = (
    "Your library is empty: add a PDF first, on the Documents page or with "
    "`python -m selfrag ingest FILE.pdf`."
)


class SelfRag:
    """An open library and all that answers questions about it. Use as a context manager.

    Attributes:
        settings: what it was opened with.
        jobs: ingestion in the background.
        library: documents on their way in and out.
        conversations: which runs belong together, listed, searched, renamed, deleted.
        feedback: what was said of runs.
        trials: a question answered in several ways at once.
        labels: how relevant passages were found for questions.
        measuring: modes measured on the labels.
        studies: measuring in the background, on sets as well.
        answers: strategies measured on questions whose answers are known.
        history: what came of earlier evaluations.
        tracing: where answers and evaluations are traced, if anywhere.
        maps: the library's chunks on a plane.
        sharing: runs as reports and as JSON.
        samples: the sample library.
        suggestions: questions that the library is known to answer.
    """

    conversations: Conversations
    feedback: Feedback

    def __init__(self, settings: Settings, *, reset: bool = False) -> None:
        """Open everything.

        Args:
            reset: empty the index, to be built again with the present settings from the
                library's own copies (`rebuild`).

        Raises:
            UserError: a setting does not fit, the storage is held by another process, the
                index was built otherwise. Nothing stays open then.
        """
        self.settings = settings
        self._exit = ExitStack()
        with ExitStack() as opened:
            self._open(opened, reset)
            self._exit = opened.pop_all()

    @classmethod
    def open(cls, settings: Settings | None = None, *, reset: bool = False) -> Self:
        """Open with the given settings, or those of the environment."""
        return cls(settings or load_settings(), reset=reset)

    def _open(self, opened: ExitStack, reset: bool) -> None:
        settings = self.settings
        storage = settings.storage_dir.expanduser()
        models = storage / "models"
        self._packaged = Packaged(models)
        client = self._client = open_client(settings, storage, opened)
        engine = open_database(settings.database_url, storage)
        opened.callback(engine.dispose)
        self._documents = Documents(engine)
        self._runs = Registry(engine)
        self.conversations, self.feedback = self._runs.conversations, self._runs.feedback
        self.trials = Trials(self.conversations, self.start, self.run, self.events)
        self.labels = Labelling(Labels(engine), lambda: self.index)
        self.measuring = LabelStudies(
            self.labels, lambda: self.funnel, self.ready, models_of(settings)
        )
        switch_off()
        self.tracing = Tracing(settings)
        opened.callback(self.tracing.close)
        self.history = History(Results(engine), self.tracing)
        self.studies = Studies(settings, self.measuring, self.history)
        opened.callback(self.studies.close)
        self.answers = AnswerStudies(
            storage / "evaluation",
            Open(
                ready=self.ready,
                chunks=self.chunks,
                funnel=lambda: self.funnel,
                index=lambda: self.index,
                labels=self.labels.of,
                locate=lambda hit, quote: self._viewer.locate(hit, quote),
                casting=lambda: self.casting,
                embeddings=lambda: self.embeddings,
            ),
            self.history,
        )
        opened.callback(self.answers.close)
        self.maps = Maps(
            storage / "map",
            self.documents,
            lambda: self.index,
            lambda: f"{self.embeddings.name} {self.embeddings.dimension}",
        )
        self.sharing = Sharing(self.run, self.recorded, self.page_image)
        self.samples = Samples(self.documents, self.submit, self.delete, lambda: self.incoming)
        self.suggestions = Suggestions(
            self.ready,
            self.pages,
            lambda: self.casting.with_parts("quotes", "local").cast(),
            lambda query: self.funnel.search(query, Mode.HYBRID),
            lambda hit, quote: self._viewer.locate(hit, quote),
        )
        self.embeddings: EmbeddingModel = make_embeddings(settings, models)
        self._packaged.share(self.embeddings)
        self.reranker = make_reranker(settings.reranker_model, models / "rerankers")
        self.casting = Casting(settings, self._packaged)
        self.casting.tracing = self.tracing
        opened.callback(self.casting.close)
        sparse = Bm25Embeddings(avg_len=average_words(settings.chunk_size))
        if reset:
            Index.erase(client, settings.qdrant_collection, settings.qdrant_parent_collection)
        self.index = open_index(settings, client, self.embeddings, sparse)
        sandbox = Sandbox()
        opened.callback(sandbox.close)
        self.library = make_library(
            settings, storage / "files", self._documents, self.index, self.embeddings, sandbox
        )
        self._viewer = Viewer(self.library, self._documents, self.index, sandbox)
        self.funnel = make_funnel(
            settings, self.index, self.embeddings, sparse, self.reranker, self._documents
        )
        if reset:
            for record in self._documents.all(State.READY):
                self._documents.update(record.id, state=State.QUEUED.value)
        self.unfinished = self.library.recover()
        self.jobs = Jobs()
        opened.callback(self.jobs.close)
        opened.callback(self.library.leave)
        opened.callback(self._runs.stop_all)
        opened.callback(self.maps.close)

    def close(self) -> None:
        """Stop what is under way and give the storage back; further calls do nothing."""
        self._exit.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm_up(self) -> None:
        """Load what the first question would otherwise wait for, and go on with ingestion that
        was interrupted."""
        if isinstance(self.embeddings, PackagedEmbeddings):
            self.embeddings.embed_query("warm-up")
        understood("warm-up")
        if self.settings.writes == "quotes" or self.settings.judges != "chat":
            self._packaged()
        if self.casting.local_model is not None:
            self.casting.local_model.load()
        for record in self.unfinished:
            self.submit_again(record.id)
        self.unfinished = []

    # Documents

    def documents(self) -> list[DocumentRecord]:
        """Every document of the library, in whatever state, oldest first."""
        return self._documents.all()

    def ready(self) -> list[DocumentRecord]:
        """The documents that can be searched."""
        return self._documents.all(State.READY)

    def document(self, document_id: str) -> DocumentRecord:
        """One document.

        Raises:
            UserError: there is none with this id.
        """
        return self.library.get(document_id)

    def pages(self, document_id: str) -> list[Page]:
        """The text of a document, page by page."""
        return self._documents.pages(document_id)

    def ingest(
        self,
        paths: Sequence[Path],
        *,
        password: str | None = None,
        ocr: bool = False,
        report: Callable[[Path, int, int], Report | None] | None = None,
    ) -> Iterator[IngestResult]:
        """Take files and folders in, one after another, and yield what became of each.

        Args:
            paths: PDFs, and folders that are walked for them; ``DATA_DIR`` where empty.
            report: called for each file with its number (from 1) and how many there are; may
                return what is to be called as that file goes on.

        Raises:
            UserError: a path is not there, or there is nothing to take in.
        """
        if not paths and self.settings.data_dir is None and not self.unfinished:
            raise UserError(
                "There is nothing to take in: name PDFs or folders, or set DATA_DIR to a folder."
            )
        if not paths and self.settings.data_dir is not None:
            paths = [self.settings.data_dir]
        files = find_pdfs(paths)
        before = len(self.unfinished)
        yield from self.finish(password=password, ocr=ocr, report=report, more=len(files))
        for number, path in enumerate(files, start=before + 1):
            told = report(path, number, before + len(files)) if report else None
            yield self.library.ingest(
                path, source=_as_text(path.resolve()), password=password, ocr=ocr, report=told
            )

    def finish(
        self,
        *,
        password: str | None = None,
        ocr: bool = False,
        report: Callable[[Path, int, int], Report | None] | None = None,
        more: int = 0,
    ) -> Iterator[IngestResult]:
        """Take up what an interruption or a reset left unfinished; as `ingest`.

        Args:
            more: files that follow, for the numbers that ``report`` is told.
        """
        waiting, self.unfinished = self.unfinished, []
        for number, record in enumerate(waiting, start=1):
            told = report(Path(record.name), number, len(waiting) + more) if report else None
            yield self.library.resume(record.id, password=password, ocr=ocr or None, report=told)

    def submit(
        self,
        path: Path,
        name: str,
        *,
        password: str | None = None,
        ocr: bool = False,
        source: str | None = None,
    ) -> str:
        """Ingest a file in the background and remove it afterwards; returns the job's id."""
        admitted = self.library.admit(path, name=name, source=source)
        path.unlink(missing_ok=True)
        if isinstance(admitted, IngestResult):
            result = admitted
            return self.jobs.submit(name, lambda *_: result)
        return self.submit_again(admitted.id, password=password, ocr=ocr or None)

    def submit_again(
        self,
        document_id: str,
        *,
        password: str | None = None,
        ocr: bool | None = None,
        sizes: ChunkSizes | None = None,
    ) -> str:
        """Ingest a document again from the library's copy, in the background.

        Args:
            ocr, sizes: as for `Library.resume`.

        Raises:
            UserError: there is no such document, or text cannot be cut in these sizes.
        """
        record = self.library.get(document_id)
        self.library.want(document_id, ocr=ocr, sizes=sizes)

        def work(report: Report, cancel: threading.Event) -> IngestResult:
            return self.library.resume(
                document_id, password=password, ocr=ocr, sizes=sizes, report=report, cancel=cancel
            )

        return self.jobs.submit(record.name, work, document_id)

    def server_health(self) -> ServerHealth | None:
        """What the Qdrant server says of itself; None where the index is in this process.

        Raises:
            UserError: it does not answer.
        """
        return server_health(self._client) if isinstance(self._client, ServerClient) else None

    @property
    def incoming(self) -> Path:
        """Where uploads wait for their job."""
        folder = self.settings.storage_dir.expanduser() / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def rename(self, document_id: str, name: str) -> DocumentRecord:
        """Show and cite a document under another name.

        Raises:
            UserError: there is no such document, it is being read, or the name is blank.
        """
        return self.library.rename(document_id, name)

    def chunks(self, document_id: str) -> tuple[list[Chunk], list[Chunk]]:
        """A document's parents and children, both in reading order."""
        return self._viewer.chunks(document_id)

    def delete(self, document_id: str) -> DocumentRecord:
        """Remove a document: vectors, parents, pages, record and file.

        Raises:
            UserError: there is none with this id.
        """
        self.jobs.cancel_for(document_id)
        deleted = self.library.delete(document_id)
        self.maps.forget()
        return deleted

    def page_image(
        self, document_id: str, page: int, quotes: Sequence[str] = (), begins: int | None = None
    ) -> bytes:
        """A page as PNG with quotes highlighted; see `Viewer.page_image`."""
        return self._viewer.page_image(document_id, page, quotes, begins)

    def last_page(self, document_id: str, begins: int, quotes: Sequence[str]) -> int:
        """The last page that quotes take in which begin on page ``begins``."""
        return self._viewer.last_page(document_id, begins, quotes)

    def places(
        self, document_id: str, page: int, ranges: Sequence[tuple[int, int]]
    ) -> list[list[Box]]:
        """Where ranges of a page's text stand; see `Viewer.places`."""
        return self._viewer.places(document_id, page, ranges)

    # Questions

    def retrieve(
        self,
        query: str,
        mode: Mode = Mode.FULL,
        k: int | None = None,
        documents: Sequence[str] | None = None,
    ) -> Retrieval:
        """Search the library; see `Funnel.search`.

        Raises:
            UserError: the query is blank or too long, ``k`` out of bounds, or a document unknown.
        """
        found = self.funnel.search(query, mode, k=k, documents=self._chosen(documents))
        return found if found.hits or self.ready() else replace(found, notes=(EMPTY_LIBRARY,))

    def compare(
        self,
        question: str,
        variants: Sequence[Variant],
        k: int | None = None,
        documents: Sequence[str] | None = None,
    ) -> comparison.Comparison:
        """The same question in several variants; see `selfrag.retrieval.comparison`.

        Args:
            k: passages in each final list, where a variant does not say itself.
        """
        chosen = self._chosen(documents)

        def search(query: str, variant: Variant) -> Retrieval:
            own = variant.applied(self.funnel.settings)
            width = variant.k or k
            return self.funnel.search(query, variant.mode, k=width, documents=chosen, settings=own)

        return comparison.compare(search, question, variants)

    def start(
        self,
        question: str,
        *,
        mode: Mode = Mode.FULL,
        documents: Sequence[str] | None = None,
        max_retries: int | None = None,
        strategy: str | None = None,
        retrieval: str | None = None,
        k: int | None = None,
        history: Sequence[tuple[str, str]] = (),
        claim: bool | None = None,
        budget: Budget | None = None,
        place: Place | None = None,
        casting: Casting | None = None,
    ) -> Run:
        """Begin to answer a question; returns at once, follow the run's log.

        Args:
            max_retries: of each kind, 0 to 10; `Settings.max_retries` where None.
            strategy: ``plain``, ``critique`` or ``selfrag``; the setting where None.
            retrieval: ``adaptive``, ``always`` or ``never``; the setting where None.
            k: passages that a search brings, 1 to 100; `Settings.retrieval_k_rerank` where None.
            history: the conversation so far, questions with their answers, oldest first.
            claim: whether it is a statement to be checked; told from its words where None.
            budget: what the run may spend; that of the settings where None.
            place: the conversation that it is asked in, whose earlier turns are its history
                where none is given.
            casting: who writes and judges; as the settings say where None.

        Raises:
            UserError: the question is blank or too long, an option is none of those above,
                the library is empty and is to be searched, or the run cannot be recorded.
        """
        question = check_query(question)
        casting = casting or self.casting
        settings = casting.settings
        options = RunOptions.of(settings, strategy, retrieval, max_retries, k, budget)
        ready = len(self.ready())
        if options.retrieval is not RetrievalPolicy.NEVER and not ready:
            raise UserError(EMPTY_LIBRARY)
        chosen = self._chosen(documents, question)
        turns = within([Turn(*turn) for turn in history], settings.history_turns)
        if place is not None and not turns:
            turns = tuple(self._runs.history(place, settings.history_turns))
        plan = make_plan(
            question,
            casting,
            options,
            search=lambda query: self.funnel.search(query, mode, k=options.k, documents=chosen),
            locate=self._viewer.locate,
            mode=mode.value,
            documents=chosen,
            searched=ready if chosen is None else len(chosen),
            claim=claim,
            history=turns,
        )
        return self._runs.begin(question, plan, place)

    def _chosen(
        self, documents: Sequence[str] | None, overview: str = ""
    ) -> tuple[str, ...] | None:
        """The ids as given, each of a document that is there; where none are, that of the document
        that the question names which asks for an overview."""
        if documents is not None:
            return tuple(self.document(item).id for item in documents)
        ready = self.ready()
        place = named_for_overview(overview, [record.name for record in ready])
        return None if place is None else (ready[place].id,)

    def stop_runs(self) -> None:
        """End every run that is under way; each is recorded as stopped, with what it has."""
        self._runs.stop_all()

    def run(self, run_id: str) -> Run | None:
        """A run of this process that is under way or ended lately."""
        return self._runs.live(run_id)

    def recorded(self, run_id: str) -> RunRecord | None:
        """A run from the records."""
        return self._runs.recorded(run_id)

    def latest_runs(self, most: int) -> list[RunSummary]:
        """The most recent runs, newest first; without those of a person who logged in."""
        return self._runs.latest(most)

    def events(self, run_id: str) -> list[Event]:
        """What is known of a run so far, in order; nothing where there is no such run."""
        return self._runs.events(run_id)

    def unkept(self, run_id: str) -> str | None:
        """Why the end of a run could not be recorded, after one more try; None where it is."""
        return self._runs.unkept(run_id)

    def casting_with(self, own: OwnKey) -> Casting:
        """The models of a key that a person entered, to be closed by whoever asked for them.

        Raises:
            UserError: the endpoint needs a key and there is none.
        """
        casting = Casting(own.applied(self.settings), self._packaged, own_key=True)
        casting.tracing = self.tracing
        return casting


def _as_text(path: Path) -> str:
    """A path as text that any database takes: bytes that are no text are written out."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
