"""What one run is asked to do, from the settings and what was asked for; checked in one place."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from selfrag.errors import UserError
from selfrag.reflection.budget import Budget
from selfrag.reflection.strategy import RetrievalPolicy, Shape, Strategy
from selfrag.settings import Settings

_E = TypeVar("_E", bound=StrEnum)
_MOST_RETRIES = 10
_MOST_PASSAGES = 100


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What one run is asked to do.

    Attributes:
        max_retries: of each kind, 0 to 10.
        k: passages that a search brings, 1 to 100.
    """

    strategy: Strategy
    retrieval: RetrievalPolicy
    max_retries: int
    k: int
    budget: Budget

    @classmethod
    def of(
        cls,
        settings: Settings,
        strategy: str | None = None,
        retrieval: str | None = None,
        max_retries: int | None = None,
        k: int | None = None,
        budget: Budget | None = None,
    ) -> "RunOptions":
        """What was asked for; the settings where that is None.

        Raises:
            UserError: a value is not among those that there are.
        """
        way = _one_of(Strategy, strategy or settings.strategy, "strategy")
        policy = retrieval or settings.retrieval
        return cls(
            way,
            RetrievalPolicy.usual(way)
            if policy is None
            else _one_of(RetrievalPolicy, policy, "retrieval"),
            _between(0, _MOST_RETRIES, max_retries, settings.max_retries, "max_retries"),
            _between(1, _MOST_PASSAGES, k, settings.retrieval_k_rerank, "k"),
            budget
            or Budget(settings.budget_calls, settings.budget_tokens, settings.budget_seconds),
        )

    def shape(self, *, follow_up: bool, claim: bool, refines: bool) -> Shape:
        """What the run's graph is built for."""
        return Shape(self.strategy, self.retrieval, follow_up, claim, refines)


def _one_of(kind: type[_E], value: str, name: str) -> _E:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(item.value for item in kind)
        raise UserError(f"There is no {name} {value!r}. Choose one of: {known}.") from None


def _between(low: int, high: int, value: int | None, default: int, name: str) -> int:
    chosen = default if value is None else value
    if not low <= chosen <= high:
        raise UserError(f"{name} is {chosen}: choose a number from {low} to {high}.")
    return chosen
