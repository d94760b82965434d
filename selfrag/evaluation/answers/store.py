"""Answers and grades that are there already, kept one by one.

    <folder>/<signature of answers>/<system>.jsonl     answers, as each is given
    <folder>/<signature of grades>/<system>.jsonl      their grades, as each is had

The signatures are digests of everything that can change an answer, or a grade, but the question
itself, which stands in the key of a line: other questions, more rounds and another strategy cost
what is new about them, and another judge costs no answer. What failed is not kept, so that the
next run asks for it again.
"""

import hashlib
import importlib.metadata
import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from selfrag.evaluation.answers.answering import Answered
from selfrag.evaluation.answers.chat_grader import PROMPTS
from selfrag.evaluation.answers.choice import System
from selfrag.evaluation.answers.gold import Gold
from selfrag.evaluation.answers.grades import Graded
from selfrag.evaluation.answers.judge import JudgeChoice
from selfrag.evaluation.answers.questions import Question, QuestionSet
from selfrag.evaluation.kept import Kept, code_digest
from selfrag.records.documents import DocumentRecord
from selfrag.reflection import prompts
from selfrag.settings import Settings

logger = logging.getLogger(__name__)

KeptT = TypeVar("KeptT", Answered, Graded)

_ANSWERING = ("reflection", "retrieval", "index", "models")
_GRADING = ("evaluation/answers",)
_VERSIONS = ("qdrant-edge-py", "langchain-openai", "langgraph", "openai", "numpy")
#: Settings that can change an answer, by their names.
_SETTINGS = (
    *("llm_temperature", "embedding_model", "reranker_model", "fusion", "dense_weight"),
    *("dense_weight_foreign", "mmr_lambda", "full_mmr", "retrieval_candidates"),
    *("retrieval_k_initial", "retrieval_k_mmr", "retrieval_k_rerank", "max_retries"),
    *("retrieval", "useful_from", "grade_in_one_request", "local_context", "chunk_size"),
    *("chunk_overlap", "parent_chunk_size", "budget_calls", "budget_tokens", "budget_seconds"),
)


def library_digest(documents: Sequence[DocumentRecord]) -> str:
    """What is in the library, of all that can change an answer."""
    return _digest(
        sorted([item.id, item.name, item.children, item.parents, item.sizes] for item in documents)
    )


def made_of_answers(settings: Settings, documents: Sequence[DocumentRecord]) -> dict[str, str]:
    """Everything that answers depend on besides the questions, by name."""
    texts = [prompts.bare(name) for name in prompts.names() if name not in PROMPTS]
    return {
        "documents": str(len(documents)),
        "library": library_digest(documents),
        "writer": settings.writer_model if settings.writes == "chat" else settings.writes,
        "judge": settings.grading_model if settings.judges == "chat" else settings.judges,
        "endpoint": settings.llm_endpoint or ("OpenAI" if settings.llm_configured else "none"),
        "prompts": _digest(texts),
        "code": code_digest(_ANSWERING),
        **{name: importlib.metadata.version(name) for name in _VERSIONS},
        **{name.replace("_", " "): str(getattr(settings, name)) for name in _SETTINGS},
    }


def made_of_grades(settings: Settings, answers: Mapping[str, str]) -> dict[str, str]:
    """The same for grades, which depend on all that answers depend on."""
    choice = JudgeChoice.of(settings)
    where = settings.evaluation_endpoint or "OpenAI"
    return {
        **answers,
        "evaluation judge": choice.name,
        "evaluation endpoint": where if choice.model else "none",
        "evaluation prompts": _digest([prompts.bare(name) for name in PROMPTS]),
        "evaluation code": code_digest(_GRADING),
    }


def made_of_study(
    questions: QuestionSet, rounds: int, gold: Mapping[str, Gold], grades: Mapping[str, str]
) -> dict[str, str]:
    """The same for a whole study: the questions as well, and what is known to answer them."""
    rows = [
        [
            each.question,
            each.ground_truth,
            each.answerable,
            each.label,
            sorted(gold[each.id].parents),
        ]
        for each in questions.questions
    ]
    return {
        "data": _digest(rows),
        "questions": str(len(questions)),
        "rounds": str(rounds),
        **grades,
    }


class Store:
    """Reads what is there when it is made; writes each line as it comes.

    Args:
        folder: of all studies of answers.
    """

    def __init__(
        self,
        folder: Path,
        answers: Mapping[str, str],
        grades: Mapping[str, str],
        systems: Iterable[System],
    ) -> None:
        self._answers = Kept(folder, answers)
        self._grades = Kept(folder, grades)
        self._answered: dict[str, Answered] = {}
        self._graded: dict[str, Graded] = {}
        for system in systems:
            self._answered |= _read(self._answers, system, "answer", Answered.from_json)
            self._graded |= _read(self._grades, system, "grades", Graded.from_json)

    def answered(
        self, question: Question, system: System, number: int, gold: Gold
    ) -> Answered | None:
        """The answer of a round, where it is there."""
        return self._answered.get(_answer_key(question, system, number, gold))

    def keep_answer(
        self, question: Question, system: System, number: int, gold: Gold, answer: Answered
    ) -> None:
        """Keep an answer."""
        key = _answer_key(question, system, number, gold)
        self._answered[key] = answer
        self._answers.append(str(system), [{"key": key, "answer": answer.to_json()}])

    def graded(
        self, question: Question, system: System, number: int, answer: Answered
    ) -> Graded | None:
        """The grades of an answer, where they are there."""
        return self._graded.get(_grade_key(question, system, number, answer))

    def keep_grades(
        self, question: Question, system: System, number: int, answer: Answered, graded: Graded
    ) -> None:
        """Keep grades."""
        key = _grade_key(question, system, number, answer)
        self._graded[key] = graded
        self._grades.append(str(system), [{"key": key, "grades": graded.to_json()}])

    def forget(self, question: Question, system: System, number: int, gold: Gold) -> None:
        """Leave out what is there of one answer; the line that is written next goes before it."""
        answer = self._answered.pop(_answer_key(question, system, number, gold), None)
        if answer is not None:
            self._graded.pop(_grade_key(question, system, number, answer), None)


def _read(
    kept: Kept, system: System, field: str, made: Callable[[dict[str, Any]], KeptT]
) -> dict[str, KeptT]:
    """Key -> what was kept of a system; a line that is damaged is asked for again."""
    found: dict[str, KeptT] = {}
    for row in kept.rows(str(system), ("key", field)):
        try:
            found[row["key"]] = made(row[field])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            logger.warning("a kept line of %s is damaged and left out: %r", system, error)
    return found


def _answer_key(question: Question, system: System, number: int, gold: Gold) -> str:
    """A statement that is known to be one is asked otherwise than a question."""
    given = sorted(gold.parents) if system.oracle else []
    return _digest([question.question, question.label is not None, str(system), number, given])


def _grade_key(question: Question, system: System, number: int, answer: Answered) -> str:
    read = [each.text for each in answer.contexts]
    asked = [question.question, question.ground_truth, question.answerable]
    return _digest([asked, str(system), number, answer.written, read])


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
