"""What a study may spend. One that has spent it ends as stopped, with what it has."""

import threading
import time
from dataclasses import dataclass
from typing import TypeVar

from selfrag.errors import UserError
from selfrag.models.usage import Usage
from selfrag.reflection.budget import Budget
from selfrag.wording import count, duration

NumberT = TypeVar("NumberT", int, float)


class Spent(Exception):
    """The budget of the study is used up; the text says which."""


@dataclass(frozen=True, slots=True)
class StudyBudget:
    """Bounds on what one study spends anew, answers and grades together; None where there is none.

    Calls are never exceeded; tokens and dollars by what is under way; what was there from an
    earlier run costs nothing.

    Attributes:
        calls: of language models.
        tokens: read and written.
        seconds: of the whole study.
        cost: US dollars.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def __post_init__(self) -> None:
        """Check.

        Raises:
            UserError: a bound is not above 0.
        """
        for name in ("calls", "tokens", "seconds", "cost"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UserError(f"A budget of {value} {name} allows nothing: give more than 0.")


class Purse:
    """What is left of a budget. Safe to use from several threads."""

    def __init__(self, budget: StudyBudget) -> None:
        self._budget = budget
        self._used = Usage()
        self._began = time.monotonic()
        self._lock = threading.Lock()

    @property
    def used(self) -> Usage:
        """What was spent so far."""
        with self._lock:
            return self._used

    def pay(self, usage: Usage) -> None:
        """Note what was spent."""
        with self._lock:
            self._used = self._used + usage

    def check(self, under_way: Usage | None = None) -> None:
        """Before anything that costs.

        Args:
            under_way: spent by what is not paid for yet.

        Raises:
            Spent: nothing is left.
        """
        used, budget = self.used + (under_way or Usage()), self._budget
        if budget.calls is not None and used.llm_calls >= budget.calls:
            raise Spent(f"the budget of {count(budget.calls, 'call')} is spent")
        if budget.tokens is not None and used.tokens >= budget.tokens:
            raise Spent(f"the budget of {count(budget.tokens, 'token')} is spent")
        if budget.cost is not None and used.priced >= budget.cost:
            raise Spent(f"the budget of {budget.cost:g} US dollars is spent")
        if budget.seconds is not None and self._elapsed >= budget.seconds:
            raise Spent(f"the budget of {duration(budget.seconds)} is spent")

    def left(self, own: Budget) -> Budget:
        """What one run may spend of it, within the bounds that every run has."""
        budget, used = self._budget, self.used
        calls = None if budget.calls is None else max(1, budget.calls - used.llm_calls)
        tokens = None if budget.tokens is None else max(1, budget.tokens - used.tokens)
        seconds = None if budget.seconds is None else max(0.01, budget.seconds - self._elapsed)
        return Budget(
            _least(own.calls, calls), _least(own.tokens, tokens), _least(own.seconds, seconds)
        )

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._began


def _least(a: NumberT | None, b: NumberT | None) -> NumberT | None:
    known = [value for value in (a, b) if value is not None]
    return min(known) if known else None
