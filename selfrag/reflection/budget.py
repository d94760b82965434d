"""What one run may spend. A run that has spent it ends as stopped, with what it has."""

from dataclasses import dataclass

from selfrag.models.usage import Usage
from selfrag.reflection.state import Stopped


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on one run; None where there is none.

    Calls and tokens are looked at before each call: one that is under way is not cut off, so a
    run may end some tokens above its budget and never a call above it. Seconds end the run
    whatever it waits for.

    Attributes:
        calls: of language models.
        tokens: input and output together.
        seconds: from the question on.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def check(self, used: Usage) -> None:
        """Look at what was used, calls under way included, before another call.

        Raises:
            Stopped: says which budget is spent.
        """
        if self.calls is not None and used.llm_calls >= self.calls:
            raise Stopped(_spent(self.calls, "call", "BUDGET_CALLS"))
        if self.tokens is not None and used.tokens >= self.tokens:
            raise Stopped(_spent(self.tokens, "token", "BUDGET_TOKENS"))

    def at_most(self, calls: int) -> int:
        """The bound on the calls of a run whose graph allows ``calls``."""
        return calls if self.calls is None else min(calls, self.calls)

    @property
    def out_of_time(self) -> str:
        """What is said when the seconds are over."""
        return _spent(self.seconds or 0, "second", "BUDGET_SECONDS")


UNLIMITED = Budget()


def _spent(amount: float, unit: str, setting: str) -> str:
    return f"its budget of {amount:g} {unit}{'' if amount == 1 else 's'} ({setting}) is spent"
