"""Who grades the answers of a study: a model of its own, that of the runs, or none.

| | grades |
| --- | --- |
| EVALUATION_JUDGE_MODEL, with or without EVALUATION_JUDGE_BASE_URL | that model |
| neither, and JUDGE=chat (so where a chat model is configured) | the judge of the runs |
| neither, and JUDGE=decisions, but a chat model writes | the writer |
| otherwise | the local judge, which cannot give the measures of RAGAS |
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from langchain_openai import ChatOpenAI

from selfrag.errors import UserError
from selfrag.evaluation.answers.chat_grader import ChatGrader, Embeds
from selfrag.evaluation.answers.families import family
from selfrag.evaluation.answers.grades import Grader
from selfrag.evaluation.answers.local_grader import LocalGrader
from selfrag.evaluation.answers.measures import CLAIMS_BACKED, RAGAS
from selfrag.models.chat import make_chat_model
from selfrag.models.named_by import RUNS, NamedBy
from selfrag.models.prices import Price, cost
from selfrag.models.usage import Usage, UsageLedger
from selfrag.reflection.casting import Casting, prices_at
from selfrag.reflection.local_judge import NAME, LocalJudge
from selfrag.settings import Settings


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Who grades.

    Attributes:
        model: name of the chat model; None for the local judge.
        apart: whether it is reached by settings of its own rather than by those of the runs.
        warning: what makes its grades doubtful, in a sentence; empty where nothing is known to.
    """

    model: str | None
    apart: bool = False
    warning: str = ""

    @classmethod
    def of(cls, settings: Settings) -> "JudgeChoice":
        """By the settings.

        Raises:
            UserError: they do not fit together.
        """
        named, address = settings.evaluation_judge_model, settings.evaluation_judge_base_url
        if address and not named:
            raise UserError(
                "EVALUATION_JUDGE_BASE_URL needs EVALUATION_JUDGE_MODEL: name the model that is "
                "to grade there."
            )
        if named and not address:
            if not settings.llm_configured:
                raise UserError(
                    "EVALUATION_JUDGE_MODEL needs an endpoint: set EVALUATION_JUDGE_BASE_URL, or "
                    "configure a chat model."
                )
            if settings.local_model is not None:
                raise UserError(
                    "LOCAL_MODEL serves one model: set EVALUATION_JUDGE_BASE_URL to where "
                    "EVALUATION_JUDGE_MODEL answers, or unset it."
                )
        writes = settings.writes == "chat"
        if named:
            return cls(named, bool(address), _own_work(settings, named))
        if settings.judges == "chat" or (settings.judges == "decisions" and writes):
            return cls(settings.grading_model, False, _own_work(settings, settings.grading_model))
        return cls(None)

    @property
    def name(self) -> str:
        """As shown to the person."""
        return self.model or NAME

    @property
    def measures(self) -> tuple[str, ...]:
        """What it grades."""
        return RAGAS if self.model else (CLAIMS_BACKED,)

    @property
    def unavailable(self) -> Mapping[str, str]:
        """Measure -> why it cannot be had."""
        return {} if self.model else LocalGrader.unavailable


def judge_prices(settings: Settings) -> dict[str, Price]:
    """What models cost where the judge answers."""
    where = settings.evaluation_judge_base_url or settings.llm_base_url
    name = settings.evaluation_judge_model or settings.grading_model
    prices = prices_at(where, settings.model_prices, (name,))
    if settings.local_model is not None and settings.evaluation_judge_base_url is None:
        prices[settings.writer_model] = Price(0.0, 0.0)
    return prices


@contextmanager
def grader_of(
    settings: Settings,
    casting: Casting,
    embeddings: Embeds,
    guard: Callable[[Usage], None] | None = None,
    pay: Callable[[Usage], None] = lambda spent: None,
) -> Iterator[Grader]:
    """Whoever grades by these settings, closed afterwards.

    Args:
        guard: asked before every call of a model; raises to end the study.
        pay: told what the grades of each answer spent.

    Raises:
        UserError: the settings do not fit together, or a key is missing.
    """
    choice = JudgeChoice.of(settings)
    if choice.model is None:
        yield LocalGrader(LocalJudge(casting.encoder(), useful_from=settings.useful_from))
        return
    prices = judge_prices(settings)

    def ledger() -> UsageLedger:
        return UsageLedger(guard, lambda model, usage: cost({model: usage}, prices))

    at_once = 1 if settings.local_model and not choice.apart else settings.grade_concurrency
    if not choice.apart:
        model = casting.chat_model(choice.model, named_by(settings))
        yield ChatGrader(model, choice.model, ledger, embeddings, pay=pay, at_once=at_once)
        return
    model = judge_model(settings, choice.model)
    try:
        yield ChatGrader(model, choice.model, ledger, embeddings, pay=pay, at_once=at_once)
    finally:
        model.root_client.close()


def judge_model(settings: Settings, name: str) -> ChatOpenAI:
    """The model at an endpoint of its own; to be closed by whoever asked for it.

    Raises:
        UserError: the endpoint needs a key and has none.
    """
    return make_chat_model(
        model=name,
        base_url=settings.evaluation_endpoint,
        api_key=settings.evaluation_key,
        temperature=settings.llm_temperature,
        timeout=settings.llm_timeout,
        requests_per_minute=settings.llm_requests_per_minute,
        by=named_by(settings),
    )


def named_by(settings: Settings) -> NamedBy:
    """The settings to change where the grading model can't be had."""
    if not settings.evaluation_judge_model:
        return RUNS
    model, address, key = "EVALUATION_JUDGE_MODEL", "EVALUATION_JUDGE_BASE_URL", ""
    if settings.evaluation_judge_base_url is None:
        address = RUNS.address
    elif settings.evaluation_judge_api_key is not None or not settings.evaluation_key:
        key = "EVALUATION_JUDGE_API_KEY"
    without = f"without it, unset {model} to have the judge of the runs grade"
    return NamedBy(model, model, address, key, without)


def _own_work(settings: Settings, judge: str) -> str:
    """The warning where a model grades its own family's answers."""
    if settings.writes != "chat":
        return ""
    writer = settings.writer_model
    if writer == judge:
        return (
            f"{judge} grades its own answers, and models favour what they wrote themselves: set "
            "EVALUATION_JUDGE_MODEL to one of another family."
        )
    kind = family(judge)
    if family(writer) == kind:
        return (
            f"{judge} grades the answers of {writer}, both {kind}, and models favour their own "
            "family: set EVALUATION_JUDGE_MODEL to one of another."
        )
    return ""
