"""Measure: every strategy answers every question in every round, and each answer is graded.

1. the gold passages of each question are found in the library;
2. what an earlier run kept is read: where nothing is missing, no model is asked;
3. round by round and question by question, so that what a budget leaves are whole rounds and all
   strategies on the same questions, each missing answer is given, kept, graded and kept again;
4. all of it is counted and tested.

Answers are given one after another, for their seconds are measured; before its first answer each
question is run through once uncounted, and the strategies take turns in being first.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfrag.errors import ModelError, UserError
from selfrag.evaluation.answers.answering import Answered, Answering
from selfrag.evaluation.answers.chat_grader import Embeds
from selfrag.evaluation.answers.choice import AnswerChoice, System
from selfrag.evaluation.answers.gold import Gold
from selfrag.evaluation.answers.grades import Graded, Grader
from selfrag.evaluation.answers.judge import JudgeChoice, grader_of
from selfrag.evaluation.answers.measures import DECIDED, SPENT, VERDICT
from selfrag.evaluation.answers.questions import Question, QuestionSet
from selfrag.evaluation.answers.rows import Row, make_row
from selfrag.evaluation.answers.spending import Purse, Spent
from selfrag.evaluation.answers.store import (
    Store,
    library_digest,
    made_of_answers,
    made_of_grades,
    made_of_study,
)
from selfrag.evaluation.answers.study import AnswerStudy, make_study
from selfrag.evaluation.kept import signature
from selfrag.evaluation.retrieval_study import Cancelled, Progress
from selfrag.models.usage import Usage
from selfrag.records.documents import DocumentRecord
from selfrag.reflection.casting import Casting
from selfrag.reflection.extractive_writer import NAME as QUOTES
from selfrag.settings import Settings
from selfrag.wording import count

ORACLE_ALONE = (
    "The oracle without a language model: the local judge compares passages with each other, so a "
    "gold passage that stands alone often reads as doubtful, and selfrag and critique may stay "
    "silent on it. That is the judge's doing, not the strategy's."
)
_IN_A_ROW = 5  #: answers that fail one after another before a study gives up


@dataclass(frozen=True, slots=True)
class AnswerTask:
    """What is measured with what.

    Attributes:
        gold: question id -> its gold passages.
        documents: those that can be searched.
        embeddings: the model that answer relevancy compares questions with.
        folder: where answers and grades are kept.
        now: the documents that can be searched at this moment.
    """

    data: QuestionSet
    choice: AnswerChoice
    gold: Mapping[str, Gold]
    settings: Settings
    documents: tuple[DocumentRecord, ...]
    casting: Casting
    answering: Answering
    embeddings: Embeds
    folder: Path
    now: Callable[[], Sequence[DocumentRecord]]

    def is_current(self) -> bool:
        """Whether the library is still the one that is measured."""
        return library_digest(self.now()) == library_digest(self.documents)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured, in the order in which it is shown."""
        labelled = any(question.label is not None for question in self.data.questions)
        graded = JudgeChoice.of(self.settings).measures
        known = any(
            question.answerable is not None or self.gold[question.id].hits
            for question in self.data.questions
        )
        return (
            *graded,
            *((VERDICT,) if labelled else ()),
            *((DECIDED,) if known else ()),
            *SPENT,
        )

    def units(self) -> Iterator[tuple[int, Question, System]]:
        """Round, question and system of every answer, in the order in which they are given.

        Another system begins each time: what the first one leaves warm would otherwise always
        spare the same ones their seconds.
        """
        systems = self.choice.systems
        for number in range(1, self.choice.rounds + 1):
            for place, question in enumerate(self.data.questions, start=number - 1):
                first = place % len(systems)
                for system in (*systems[first:], *systems[:first]):
                    # Without gold passages there is nothing to put before the writer.
                    if not system.oracle or self.gold[question.id].hits:
                        yield number, question, system


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """A study, and how it came about.

    Attributes:
        again: whether all of it was there from an earlier run.
        spent: what was spent on it now, answers and grades together.
        further: whether anything was kept now: if not, the same again would go no further.
        signature: of everything that the numbers depend on.
        made_of: the same, by name.
    """

    study: AnswerStudy
    again: bool
    spent: Usage
    further: bool
    signature: str
    made_of: dict[str, str]


def measure(
    task: AnswerTask,
    *,
    progress: Progress = lambda what, done, all_: None,
    cancel: threading.Event | None = None,
    fresh: bool = False,
) -> MeasuredAnswers:
    """Run a task, as far as it is not there yet.

    Args:
        fresh: answer and grade again what was kept.

    Raises:
        Cancelled: ``cancel`` was set; what was answered is kept.
        UserError: the settings do not fit together, or a price is missing that a budget needs.
    """
    _must_have_prices(task)
    answers = made_of_answers(task.settings, task.documents)
    grades = made_of_grades(task.settings, answers)
    made_of = made_of_study(task.data, task.choice.rounds, task.gold, grades)
    store = Store(task.folder, answers, grades, task.choice.systems)
    if fresh:
        for number, question, system in task.units():
            store.forget(question, system, number, task.gold[question.id])
    purse = Purse(task.choice.budget)
    work = _Work(task, store, purse, progress, cancel or threading.Event())
    rows, stopped, again = work.all()
    choice = JudgeChoice.of(task.settings)
    study = make_study(
        task.data.name,
        rows,
        systems=[str(each) for each in task.choice.systems],
        rounds=task.choice.rounds,
        questions={each.id: each.question for each in task.data.questions},
        measures=task.measures,
        writer=task.settings.writer_model if task.settings.writes == "chat" else QUOTES,
        judge=choice.name,
        unavailable=choice.unavailable,
        warnings=[choice.warning] if choice.warning else [],
        notes=_notes(task),
        stopped=stopped,
    )
    return MeasuredAnswers(study, again, purse.used, work.kept > 0, signature(made_of), made_of)


class _Changed(Exception):
    """The library is another one now; the text says what to do."""


class _Work:
    """Gives and grades what is missing."""

    def __init__(
        self,
        task: AnswerTask,
        store: Store,
        purse: Purse,
        progress: Progress,
        cancel: threading.Event,
    ) -> None:
        self._task = task
        self._store = store
        self._purse = purse
        self._progress = progress
        self._cancel = cancel
        self._in_a_row = 0
        self.kept = 0  #: answers and grades that are there now and were not before

    def all(self) -> tuple[list[Row], str | None, bool]:
        """The rows there are, why it stopped before all were, and whether none was missing."""
        units = list(self._task.units())
        missing = sum(not self._is_there(*unit) for unit in units)
        if not missing:
            return (
                [row for unit in units if (row := self._row(*unit, None)) is not None],
                None,
                True,
            )
        rows: list[Row] = []
        stopped: str | None = None
        done = 0
        task = self._task
        warm: set[str] = set()
        self._progress("warming up", 0, 1)
        with grader_of(
            task.settings, task.casting, task.embeddings, self._guard, self._purse.pay
        ) as grader:
            for number, question, system in units:
                there = self._is_there(number, question, system)
                try:
                    if not there and stopped is None:
                        self._progress(f"answering, {system}, round {number}", done, missing)
                        self._go_on()
                        if question.id not in warm:
                            warm.add(question.id)
                            task.answering.warm_up(question, self._cancel)
                            self._go_on()
                    row = self._row(number, question, system, grader if stopped is None else None)
                except (Spent, ModelError, _Changed) as error:
                    # What was there already is read to the end: it costs nothing.
                    stopped, row = str(error), None
                if row is not None:
                    rows.append(row)
                    done += not there
        self._progress("answering", done, missing)
        return rows, stopped, False

    def _go_on(self) -> None:
        if self._cancel.is_set():
            raise Cancelled("Cancelled. What was answered is kept: start it again to go on.")
        self._purse.check()

    def _guard(self, under_way: Usage) -> None:
        if self._cancel.is_set():
            raise Cancelled("Cancelled. What was answered is kept: start it again to go on.")
        self._purse.check(under_way)

    def _is_there(self, number: int, question: Question, system: System) -> bool:
        answer = self._store.answered(question, system, number, self._task.gold[question.id])
        return answer is not None and (
            _broken(answer) or self._store.graded(question, system, number, answer) is not None
        )

    def _row(
        self, number: int, question: Question, system: System, grader: Grader | None
    ) -> Row | None:
        """The row of one answer; None where it is not there and nobody is to be asked."""
        gold = self._task.gold[question.id]
        answer = self._store.answered(question, system, number, gold)
        if answer is None:
            if grader is None:
                return None
            answer = self._answer(question, system, number, gold)
        graded = self._store.graded(question, system, number, answer)
        if graded is None and not _broken(answer):
            if grader is None:
                return None
            graded = self._grade(question, system, number, answer, grader)
        return make_row(question, system, number, gold, answer, graded, self._task.measures)

    def _answer(self, question: Question, system: System, number: int, gold: Gold) -> Answered:
        own = self._task.answering.options(system).budget
        answer = self._task.answering.answer(
            question, system, gold, self._purse.left(own), self._cancel
        )
        self._purse.pay(answer.usage)
        if not self._task.is_current():
            # Kept, it would stand for the library as it was.
            raise _Changed(
                "Documents were added, removed or changed while it was measured: start it again "
                "to measure the library as it is now."
            )
        if answer.status == "stopped":
            self._go_on()  # it was the study that ended it, not a bound of its own
        if answer.status == "failed":
            self._in_a_row += 1
            if self._in_a_row >= _IN_A_ROW:
                raise ModelError(
                    f"{count(_IN_A_ROW, 'answer')} failed one after another: {answer.reason}"
                )
            return answer
        self._in_a_row = 0
        self._store.keep_answer(question, system, number, gold, answer)
        self.kept += 1
        return answer

    def _grade(
        self, question: Question, system: System, number: int, answer: Answered, grader: Grader
    ) -> Graded:
        with self._task.casting.tracing.group(
            "grading of an answer",
            {"question": question.question, "answer": answer.written},
            strategy=str(system),
            round=str(number),
        ) as traced:
            graded = grader.grade(question, answer.written, answer.contexts)
            traced |= {name: grade.value for name, grade in graded.measures.items()}
        if not graded.failed:
            self._store.keep_grades(question, system, number, answer, graded)
            self.kept += 1
        return graded


def _broken(answer: Answered) -> bool:
    return answer.status in ("failed", "stopped")


def _must_have_prices(task: AnswerTask) -> None:
    """A budget in dollars that cannot be looked after is refused before it is spent."""
    if task.choice.budget.cost is None:
        return
    from selfrag.evaluation.answers.plan import without_price

    unknown = without_price(task.settings, task.casting.prices)
    if unknown:
        raise UserError(
            f"The price of {unknown[0]} is not known, so a budget in dollars cannot be kept: set "
            "MODEL_PRICES, or give a budget of calls or tokens."
        )


def _notes(task: AnswerTask) -> list[str]:
    """What has to be known to read the study."""
    number = len(task.data)
    said = [
        f"{count(number, 'question')}, {count(task.choice.rounds, 'round')}; means, intervals and "
        "tests are over questions, each with the mean of its rounds."
    ]
    gold = [each for each in task.data.questions if task.gold[each.id].hits]
    unanswerable = sum(each.answerable is False for each in task.data.questions)
    if len(gold) + unanswerable < number:
        unknown = number - len(gold) - unanswerable
        said.append(
            f"Of {count(unknown, 'question')} no gold passage is known: abstaining cannot be "
            "crossed with retrieval there. A column gold, or labels from Compare search, tell "
            "which it is."
        )
    missing = [text for each in task.data.questions for text in task.gold[each.id].missing]
    if missing:
        said.append(
            f"{count(len(missing), 'gold passage')} of the file "
            f"{'is' if len(missing) == 1 else 'are'} not in your library, such as “{missing[0]}”."
        )
    said.append(
        "Seconds are of warm answers: each question is run through once before it is measured, "
        "and the strategies take turns in being first."
    )
    if task.choice.oracle and gold and task.settings.judges == "local":
        said.append(ORACLE_ALONE)
    if task.choice.oracle and not gold:
        said.append("No gold passage is known, so there is no oracle run.")
    elif task.choice.oracle and len(gold) < number:
        said.append(
            f"The oracle answers the {count(len(gold), 'question')} with a gold passage; its "
            "means are over those alone."
        )
    return said
