"""Decision models: typed questions about a text, answered with probabilities and no prose.

`langchain_openai.OpenAIDecisions` and any `langchain_core.decisions.BaseDecisionModel` are asked
in the same words: `Asked` is a yes or no, one of several, or a level of a scale; what comes back
is a probability for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

import openai
from langchain_core._api import suppress_langchain_beta_warning
from langchain_core.decisions import BaseDecisionModel
from langchain_core.decisions import Choice as CoreChoice
from langchain_core.decisions import Noul as CoreNoul
from langchain_core.decisions import Score as CoreScore
from langchain_core.messages import HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_openai import ChatOpenAI, OpenAIDecisions
from langchain_openai.decisions import Choice, DecisionResponse, Level, Predicate, Score
from pydantic import SecretStr

from selfrag.errors import ModelError
from selfrag.models.chat_errors import CALL_ERRORS, NO_KEY, explain
from selfrag.models.patience import PatientClient, limits
from selfrag.models.usage import UsageLedger

YES = "yes"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question.

    Attributes:
        instructions: what to judge.
        options: value -> when it applies; a yes or no where empty.
        ordered: whether the options are a scale, lowest first.
    """

    instructions: str
    options: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = False


#: value -> probability, 0 to 1; of a yes or no only that of `YES`. None: the model declined.
Told = Mapping[str, float] | None


class DecisionModel(Protocol):
    """What the decision judge needs of a model."""

    name: str

    def decide(
        self, text: str, asked: Mapping[str, Asked], step: str, ledger: UsageLedger
    ) -> dict[str, Told]:
        """Answer all questions about ``text`` in one request, recorded in ``ledger``.

        Raises:
            ModelError: it could not be asked, or answered outside the protocol.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """What an error's sentence says of the endpoint, in the names of `ChatOpenAI`."""

    openai_api_base: str | None
    model_name: str
    openai_api_key: SecretStr
    request_timeout: float
    metadata: dict[str, Any] | None = None


class EndpointDecisions:
    """A decision model behind OpenAI's decisions API.

    Args:
        base_url: None is OpenAI itself.
        timeout: seconds to wait for a reply, over all its attempts.
        max_retries: further attempts after a broken connection, status 408, 409, 429 or 5xx.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None,
        api_key: str | None,
        *,
        timeout: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        self.name = model
        key = SecretStr((api_key or "").strip() or NO_KEY)
        where = base_url or "https://api.openai.com/v1"
        self._endpoint = _Endpoint(where, model, key, timeout)
        with suppress_langchain_beta_warning():
            self._model = OpenAIDecisions(
                model=model,
                api_key=key,
                base_url=where,
                timeout=limits(timeout),
                max_retries=max_retries,
                http_client=PatientClient(timeout),
            )

    def decide(
        self, text: str, asked: Mapping[str, Asked], step: str, ledger: UsageLedger
    ) -> dict[str, Told]:
        """As `DecisionModel.decide`."""
        questions: dict[str, Any] = {name: _for_openai(one) for name, one in asked.items()}
        with ledger.call(step, self.name, [HumanMessage(text)]) as call:
            try:
                response = self._model.invoke({"input": text, "questions": questions})
            except openai.NotFoundError as error:
                call.refused()
                raise ModelError(
                    f"{self._endpoint.openai_api_base} has no decisions API, or no model "
                    f"{self.name} there. Set JUDGE=chat, or JUDGE_MODEL to a decision model.",
                    fatal=True,
                ) from error
            except CALL_ERRORS as error:
                raise explain(error, cast(ChatOpenAI, self._endpoint)) from error
            used = response.usage
            call.answered("", _counted(used.input_tokens or 0, used.output_tokens or 0))
        return {name: _from_openai(response, name) for name in asked}


class LangChainDecisions:
    """Any decision model of LangChain's."""

    def __init__(self, model: BaseDecisionModel) -> None:
        self.name = model.model
        self._model = model

    def decide(
        self, text: str, asked: Mapping[str, Asked], step: str, ledger: UsageLedger
    ) -> dict[str, Told]:
        """As `DecisionModel.decide`."""
        questions: dict[str, Any] = {name: _for_langchain(one) for name, one in asked.items()}
        with ledger.call(step, self.name, [HumanMessage(text)]) as call:
            try:
                response = self._model.invoke({"state": text, "questions": questions})
            except (*CALL_ERRORS, OSError, RuntimeError) as error:
                raise ModelError(
                    f"{self.name} did not decide ({type(error).__name__}: {error}). Try again, or "
                    "set JUDGE=chat."
                ) from error
            call.answered("", response.usage)
        return {
            name: _from_langchain(response.answers.get(name), one) for name, one in asked.items()
        }


def _for_openai(asked: Asked) -> Any:
    if not asked.options:
        return Predicate(instructions=asked.instructions)
    if asked.ordered:
        levels: Sequence[str | Level] = [
            Level(label=value, description=text) for value, text in asked.options.items()
        ]
        return Score(instructions=asked.instructions, levels=list(levels))
    choices: dict[str | bool, str | None] = {}
    choices.update(asked.options.items())
    return Choice(instructions=asked.instructions, choices=choices)


def _from_openai(response: DecisionResponse, name: str) -> Told:
    if name in response.predicates:
        return {YES: response.predicates[name].probability}
    if name in response.choices:
        return {str(key): p for key, p in response.choices[name].probabilities.items()}
    if name in response.scores:
        score = response.scores[name]
        return {score.legend[level]: p for level, p in score.probabilities.items()}
    return None


def _for_langchain(asked: Asked) -> Any:
    if not asked.options:
        return CoreNoul(instructions=asked.instructions)
    if asked.ordered:
        levels = [f"{value}: {text}" for value, text in asked.options.items()]
        return CoreScore(instructions=asked.instructions, criteria=list(levels))
    return CoreChoice(instructions=asked.instructions, criteria=dict(asked.options))


def _from_langchain(answer: Any, asked: Asked) -> Told:
    match getattr(answer, "type", None):
        case "noul":
            return {YES: answer.noul}
        case "choice":
            return {str(key): p for key, p in answer.probabilities.items()}
        case "score":
            values = list(asked.options)
            return {values[int(level)]: p for level, p in answer.probabilities.items()}
    return None


def _counted(prompt: int, reply: int) -> UsageMetadata:
    return {"input_tokens": prompt, "output_tokens": reply, "total_tokens": prompt + reply}
