"""What a study will cost, before it starts: answers, calls, tokens, dollars.

On the straight way: one search, an answer that passes at once, grades that can be read. An
estimate, and called one; what is there from an earlier run is not taken off.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from selfrag.evaluation.answers.answering import Answering
from selfrag.evaluation.answers.chat_grader import PROMPTS
from selfrag.evaluation.answers.choice import AnswerChoice
from selfrag.evaluation.answers.judge import JudgeChoice, judge_prices
from selfrag.models.prices import Price, price_of
from selfrag.models.usage import CHARACTERS_PER_TOKEN
from selfrag.reflection import prompts
from selfrag.reflection.estimate import estimate
from selfrag.settings import Settings

_ANSWER = 600  #: characters: a short paragraph, or a ground truth
_QUESTION = 80
_REPLY = 500  #: characters of a reply of the judge: a few statements with their thoughts


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to happen.

    Attributes:
        answers: how many will be given, the oracle's included where every question has one.
        calls, tokens: of language models, answers and grades together.
        usd: US dollars; None where a price is not known.
        judge: who grades.
        measures: what will be measured of quality.
        unavailable: measure -> why it cannot be had.
        warning: what makes the grades doubtful; empty where nothing is known to.
    """

    answers: int
    calls: int
    tokens: int
    usd: float | None
    judge: str
    measures: tuple[str, ...]
    unavailable: Mapping[str, str]
    warning: str


def plan(
    questions: int,
    choice: AnswerChoice,
    settings: Settings,
    answering: Answering,
    prices: Mapping[str, Price],
) -> Plan:
    """The plan for a number of questions.

    Raises:
        UserError: the settings do not fit together.
    """
    judge = JudgeChoice.of(settings)
    each = questions * choice.rounds
    calls = tokens = 0
    usd: float | None = 0.0
    for system in choice.systems:
        one = estimate(settings, answering.options(system), prices)
        calls += each * one.calls
        tokens += each * one.tokens
        if one.calls:
            usd = None if usd is None or one.usd is None else usd + each * one.usd
    number = each * len(choice.systems)
    if judge.model is not None:
        passages = settings.retrieval_k_rerank
        read, written = _grading(settings, passages)
        calls += number * (4 + passages)
        tokens += number * (read + written)
        price = price_of(judge.model, judge_prices(settings))
        if usd is not None:
            usd = (
                None
                if price is None
                else usd + number * (read * price.input + written * price.output) / 1_000_000
            )
    return Plan(
        answers=number,
        calls=calls,
        tokens=tokens,
        usd=usd,
        judge=judge.name,
        measures=judge.measures,
        unavailable=judge.unavailable,
        warning=judge.warning,
    )


def without_price(settings: Settings, prices: Mapping[str, Price]) -> list[str]:
    """The models that a study would ask and whose price is not known."""
    judge = JudgeChoice.of(settings)
    asked = [settings.writer_model] if settings.writes == "chat" else []
    asked += [settings.grading_model] if settings.judges == "chat" else []
    unknown = [model for model in asked if price_of(model, prices) is None]
    if judge.model is not None and price_of(judge.model, judge_prices(settings)) is None:
        unknown.append(judge.model)
    return list(dict.fromkeys(unknown))


def _grading(settings: Settings, passages: int) -> tuple[int, int]:
    """Tokens read and written for the grades of one answer."""
    own = {name: sum(map(len, prompts.bare(name))) for name in PROMPTS}
    once = sum(length for name, length in own.items() if name != "ragas_useful")
    context = passages * settings.parent_chunk_size
    read = once + 2 * context + 4 * (_QUESTION + _ANSWER)
    read += passages * (own["ragas_useful"] + settings.parent_chunk_size + _QUESTION + _ANSWER)
    written = 4 * _REPLY + passages * _QUESTION
    return read // CHARACTERS_PER_TOKEN, written // CHARACTERS_PER_TOKEN
