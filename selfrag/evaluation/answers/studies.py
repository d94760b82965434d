"""Studies of answers on the open library: planned, measured, written, kept in the history."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from selfrag.errors import UserError
from selfrag.evaluation.answers import folder as folders
from selfrag.evaluation.answers.answering import Answering
from selfrag.evaluation.answers.chat_grader import Embeds
from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.gold import Chunks, Gold, GoldFinder
from selfrag.evaluation.answers.measuring import AnswerTask, MeasuredAnswers, measure
from selfrag.evaluation.answers.plan import Plan, plan
from selfrag.evaluation.answers.question_files import QuestionFiles
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.background import Background, ByPerson, Done
from selfrag.evaluation.history import ANSWERS, History
from selfrag.evaluation.retrieval_study import Cancelled, Progress
from selfrag.pages import Chunk
from selfrag.records.documents import DocumentRecord
from selfrag.records.labels import Relevance
from selfrag.records.results import ResultRecord
from selfrag.reflection.casting import Casting
from selfrag.reflection.citing import Locate
from selfrag.retrieval.funnel import Funnel


@dataclass(frozen=True, slots=True)
class Asked:
    """What a study was asked for."""

    questions: str  #: the name of their set
    choice: AnswerChoice


@dataclass(frozen=True, slots=True)
class Open:
    """What is asked of the open library; each is looked up when it is needed.

    Attributes:
        ready: the documents that can be searched.
        chunks: a document's parents and children, by its id.
        labels: (question, owner) -> child id -> label.
        locate: where a quote stands.
    """

    ready: Callable[[], Sequence[DocumentRecord]]
    chunks: Callable[[str], tuple[list[Chunk], list[Chunk]]]
    funnel: Callable[[], Funnel]
    index: Callable[[], Chunks]
    labels: Callable[[str, str | None], Mapping[str, Relevance]]
    locate: Locate
    casting: Callable[[], Casting]
    embeddings: Callable[[], Embeds]


class AnswerStudies:
    """Measures strategies on questions files.

    Args:
        storage: the folder of all evaluations.

    Attributes:
        files: questions files that were uploaded.
    """

    def __init__(self, storage: Path, library: Open, history: History) -> None:
        self._storage = storage / "answers"
        self._library = library
        self._history = history
        self._backgrounds: ByPerson[AnswerStudy] = ByPerson()
        self.files = QuestionFiles(self._storage / "questions")

    def background(self, owner: str | None = None) -> Background[AnswerStudy]:
        """What is measured for one person; nobody sees what another one asked."""
        return self._backgrounds.of(owner)

    def close(self) -> None:
        """End everything that is under way."""
        self._backgrounds.close()

    def start(self, questions: QuestionSet, choice: AnswerChoice, owner: str | None = None) -> None:
        """Measure in the background.

        Raises:
            UserError: a study is under way.
        """

        def work(progress: Progress, cancel: threading.Event) -> Done[AnswerStudy]:
            began = time.perf_counter()
            made = self.measure(questions, choice, owner=owner, progress=progress, cancel=cancel)
            return self.keep(made, seconds=time.perf_counter() - began, owner=owner)

        self.background(owner).start(questions.name, work, Asked(questions.name, choice))

    @property
    def results(self) -> Path:
        """Where results are written that nobody names a folder for."""
        return self._storage / "results"

    def plan(self, questions: QuestionSet, choice: AnswerChoice) -> Plan:
        """What measuring will cost at most where nothing is there from an earlier run.

        Raises:
            UserError: the settings do not fit together.
        """
        casting = self._library.casting()
        answering = Answering(casting, self._library.funnel, self._library.locate)
        return plan(len(questions), choice, casting.settings, answering, casting.prices)

    def measure(
        self,
        questions: QuestionSet,
        choice: AnswerChoice,
        *,
        owner: str | None = None,
        progress: Progress = lambda what, done, all_: None,
        cancel: threading.Event | None = None,
        fresh: bool = False,
    ) -> MeasuredAnswers:
        """Measure, as far as it is not there yet.

        Args:
            owner: whose labels tell gold passages.
            fresh: answer and grade again what was kept.

        Raises:
            Cancelled: ``cancel`` was set; what was answered is kept.
            UserError: the library is empty, or as `measuring.measure`.
        """
        library = self._library
        documents = library.ready()
        if not documents:
            raise UserError(
                "Your library is empty: add the PDFs that the questions are about, on the "
                "Documents page or with `python -m selfrag ingest FILE.pdf`."
            )
        casting = library.casting()
        task = AnswerTask(
            data=questions,
            choice=choice,
            gold=self._gold(questions, documents, owner, progress, cancel),
            settings=casting.settings,
            documents=tuple(documents),
            casting=casting,
            answering=Answering(casting, library.funnel, library.locate),
            embeddings=library.embeddings(),
            folder=self._storage,
            now=library.ready,
        )
        return measure(task, progress=progress, cancel=cancel, fresh=fresh)

    def keep(
        self,
        made: MeasuredAnswers,
        *,
        folder: Path | None = None,
        seconds: float | None = None,
        owner: str | None = None,
    ) -> Done[AnswerStudy]:
        """Write a study into a new folder, below ``folder`` or `results`, and into the history.

        One that was stopped is not put into the history: its figures are of other answers than
        those of the whole study, and do not compare. Nor is one in which every answer failed.

        Raises:
            UserError: it cannot be written; it is in the history then.
        """
        study = made.study
        new = _record(made, seconds)
        record = None
        if study.stopped is None and study.measured_anything:
            record = self._history.keep(new, study.to_json(), owner)
        written = folders.write(study, folder or self.results, made.made_of, made.signature)
        if record is None:
            return Done(study, made.again, folder=written)
        changes = self._history.changes(record, owner)
        before = record.id != new.id
        return Done(study, made.again, changes, record.id, written, kept_before=before)

    def _gold(
        self,
        questions: QuestionSet,
        documents: Sequence[DocumentRecord],
        owner: str | None,
        progress: Progress,
        cancel: threading.Event | None,
    ) -> dict[str, Gold]:
        library = self._library
        finder = GoldFinder(
            documents,
            library.chunks,
            library.funnel(),
            library.index(),
            lambda question: library.labels(question, owner),
        )
        gold: dict[str, Gold] = {}
        for done, question in enumerate(questions.questions):
            if cancel is not None and cancel.is_set():
                raise Cancelled("Cancelled before anything was answered.")
            progress("finding gold passages", done, len(questions))
            gold[question.id] = finder.find(question)
        return gold


def _record(made: MeasuredAnswers, seconds: float | None) -> ResultRecord:
    study = made.study
    # What failed the first time and was had the second makes another result.
    asked = [*study.figures, f"{len(study.rows)} answers", f"{len(study.failures)} failures"]
    return ResultRecord(
        kind=ANSWERS,
        name=study.name,
        signature=made.signature,
        asked="|".join(asked),
        seconds=seconds,
        questions=len(study.questions),
        undefined=study.undefined,
        made_of=made.made_of,
        means={
            system: {measure: asdict(mean) for measure, mean in each.means.items()}
            for system, each in study.figures.items()
        },
    )
