"""The measures of RAGAS with a chat model as judge.

    faithfulness        statements of the answer, then a verdict on each: two requests
    answer relevancy    three questions made from the answer, embedded: one request
    context precision   one request for each context
    context recall      statements of the ground truth, each looked up: one request

The four are asked side by side. A grade that could not be had is undefined, with its reason.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_openai import ChatOpenAI

from selfrag.errors import ModelError
from selfrag.evaluation.answers import ragas
from selfrag.evaluation.answers.grades import Grade, Graded
from selfrag.evaluation.answers.questions import Question
from selfrag.evaluation.answers.replies import (
    AttributedStatements,
    QuestionsFromAnswer,
    StatementsOfAnswer,
    StatementVerdicts,
    UsefulContext,
)
from selfrag.models.usage import Usage, UsageLedger
from selfrag.reflection import prompts
from selfrag.reflection.cleaning import clean_line, clean_question, clean_text, escape
from selfrag.reflection.context import without_marks
from selfrag.reflection.events import ContextPassage
from selfrag.reflection.structured import MAX_CALLS, ReplyT, ask

STEP = "grading"
PROMPTS = (
    "ragas_statements",
    "ragas_faithful",
    "ragas_questions",
    "ragas_useful",
    "ragas_attributed",
)
ABSTAINED = "it abstained: there is no statement to check"
NO_TRUTH = "the question has no ground truth"
NOT_THERE = "the documents do not hold the answer: there is nothing to find"
NO_CONTEXT = "the answer was written from no passage"


class Embeds(Protocol):
    """What is asked of the embedding model."""

    def embed_query(self, text: str) -> list[float]: ...


def most_calls(contexts: int) -> int:
    """The most calls of a model that the grades of one answer take."""
    return MAX_CALLS * (4 + contexts)


class ChatGrader:
    """Implements `selfrag.evaluation.answers.grades.Grader`.

    Args:
        ledger: makes the ledger of one answer's grades.
        embeddings: the model that answer relevancy compares questions with.
        pay: told what the grades of one answer spent, whether or not all could be had.
        at_once: requests that are under way together.
    """

    unavailable: Mapping[str, str] = {}

    def __init__(
        self,
        model: ChatOpenAI,
        name: str,
        ledger: Callable[[], UsageLedger],
        embeddings: Embeds,
        *,
        pay: Callable[[Usage], None] = lambda spent: None,
        at_once: int = 4,
    ) -> None:
        self.name = name
        self._pay = pay
        self._model = model
        self._ledger = ledger
        self._embeddings = embeddings
        self._at_once = at_once

    def grade(self, question: Question, answer: str, contexts: Sequence[ContextPassage]) -> Graded:
        """All four; see the protocol."""
        ledger = self._ledger()
        one = _One(self._model, ledger, self._embeddings, question, answer, contexts)
        try:
            return one.grade(self._at_once)
        finally:
            self._pay(ledger.spent())


class _One:
    """The grades of one answer."""

    def __init__(
        self,
        model: ChatOpenAI,
        ledger: UsageLedger,
        embeddings: Embeds,
        question: Question,
        answer: str,
        contexts: Sequence[ContextPassage],
    ) -> None:
        self._model = model
        self._ledger = ledger
        self._embeddings = embeddings
        self._question = question
        self._asked = escape(clean_question(question.question))
        self._answer = escape(clean_text(without_marks(answer)).strip())
        self._truth = escape(clean_text(question.ground_truth).strip())
        self._texts = [clean_text(context.text).strip() for context in contexts]
        self._declines: bool | None = None if answer else True

    def grade(self, at_once: int) -> Graded:
        jobs: dict[str, Callable[[], Grade]] = {
            "faithfulness": self._faithfulness,
            "answer_relevancy": self._answer_relevancy,
            "context_precision": lambda: self._context_precision(at_once),
            "context_recall": self._context_recall,
        }
        pool = ContextThreadPoolExecutor(at_once)
        try:
            pending = {name: pool.submit(_had, job) for name, job in jobs.items()}
            measures = {name: each.result() for name, each in pending.items()}
        finally:
            # Nobody waits for the others once one has ended the study.
            pool.shutdown(wait=False, cancel_futures=True)
        return Graded(measures, self._declines, self._ledger.total())

    def _faithfulness(self) -> Grade:
        if not self._answer:
            return Grade(None, ABSTAINED)
        if not self._texts:
            return Grade(None, NO_CONTEXT)
        prompt = prompts.load("ragas_statements", question=self._asked, answer=self._answer)
        reply = self._ask(prompt, StatementsOfAnswer)
        statements = [text for one in reply.statements if (text := clean_line(one))]
        if not statements:
            return Grade(None, "the answer states nothing")
        numbered = "\n".join(f"{n}. {escape(one)}" for n, one in enumerate(statements, start=1))
        prompt = prompts.load(
            "ragas_faithful", context=as_context(self._texts), statements=numbered
        )
        verdicts: dict[int, bool] = {}
        for item in self._ask(prompt, StatementVerdicts).verdicts:
            backed = item.answer == "yes"
            if verdicts.setdefault(item.number, backed) is not backed:
                return _failed(f"{self._name} graded statement {item.number} both ways")
        wanted = range(1, len(statements) + 1)
        missing = [number for number in wanted if number not in verdicts]
        if missing:
            return _failed(f"{self._name} gave no verdict on statement {missing[0]}")
        backed_all = [verdicts[number] for number in wanted]
        return Grade(
            ragas.faithfulness(backed_all), detail=_told(zip(statements, backed_all, strict=True))
        )

    def _answer_relevancy(self) -> Grade:
        if not self._answer:
            return Grade(0.0, detail=("it abstained",))
        prompt = prompts.load("ragas_questions", answer=self._answer)
        reply = self._ask(prompt, QuestionsFromAnswer)
        self._declines = reply.noncommittal
        made = [text for one in reply.questions if (text := clean_line(one))]
        if not made and not reply.noncommittal:
            return _failed(f"{self._name} made no question from the answer")
        if reply.noncommittal:
            return Grade(0.0, detail=("it commits itself to nothing",))
        asked = self._embeddings.embed_query(self._question.question)
        near = [self._embeddings.embed_query(one) for one in made]
        return Grade(ragas.answer_relevancy(asked, near), detail=tuple(made))

    def _context_precision(self, at_once: int) -> Grade:
        without = self._without_truth()
        if without:
            return Grade(None, without)
        if not self._texts:
            return Grade(None, "there is no passage to rank")
        pool = ContextThreadPoolExecutor(min(at_once, len(self._texts)))
        try:
            useful = list(pool.map(self._useful, self._texts))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        value = ragas.context_precision(useful)
        said = tuple(
            f"passage {n}: {'useful' if one else 'not'}" for n, one in enumerate(useful, start=1)
        )
        return Grade(value, "" if value is not None else "no passage helps", detail=said)

    def _useful(self, text: str) -> bool:
        prompt = prompts.load(
            "ragas_useful",
            context=as_context([text]),
            question=self._asked,
            answer=self._truth,
        )
        return self._ask(prompt, UsefulContext).answer == "yes"

    def _context_recall(self) -> Grade:
        without = self._without_truth()
        if without:
            return Grade(None, without)
        if not self._texts:
            return Grade(0.0, detail=("no passage was found",))
        prompt = prompts.load(
            "ragas_attributed",
            context=as_context(self._texts),
            question=self._asked,
            answer=self._truth,
        )
        reply = self._ask(prompt, AttributedStatements)
        found = [(clean_line(one.statement), one.answer == "yes") for one in reply.statements]
        if not found:
            return Grade(None, "the ground truth states nothing")
        return Grade(ragas.context_recall([there for _, there in found]), detail=_told(found))

    def _without_truth(self) -> str:
        if self._question.answerable is False:
            return NOT_THERE
        return "" if self._truth else NO_TRUTH

    @property
    def _name(self) -> str:
        return str(self._model.model_name)

    def _ask(self, prompt: prompts.Prompt, schema: type[ReplyT]) -> ReplyT:
        return ask(self._model, prompt, schema, step=STEP, ledger=self._ledger)


def as_context(texts: Sequence[str]) -> str:
    """Passages as the judge reads them: numbered, without the scores that found them."""
    lines = ["<context>"]
    for number, text in enumerate(texts, start=1):
        lines += [f'<document index="{number}">', f"<content>{escape(text)}</content>"]
        lines.append("</document>")
    return "\n".join([*lines, "</context>"])


def _had(job: Callable[[], Grade]) -> Grade:
    try:
        return job()
    except ModelError as error:
        if error.fatal:
            raise
        return _failed(str(error))


def _failed(why: str) -> Grade:
    return Grade(None, why, failed=True)


def _told(found: "Sequence[tuple[str, bool]] | zip[tuple[str, bool]]") -> tuple[str, ...]:
    return tuple(f"{'yes' if there else 'no'}: {text}" for text, there in found)
