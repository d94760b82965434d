"""A budget that is too small for an answer: known before a question is asked.

A budget of fewer calls or tokens than the straight way takes (see `selfrag.reflection.estimate`)
stops a run before its end, however often it is asked again. So this is said beforehand, with the
strategies that the budget does allow.
"""

from dataclasses import dataclass, replace
from operator import attrgetter

from selfrag.reflection.estimate import estimate
from selfrag.reflection.options import RunOptions
from selfrag.reflection.strategy import RetrievalPolicy, Strategy
from selfrag.settings import Settings
from selfrag.wording import count


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What is lacking.

    Attributes:
        setting: ``BUDGET_CALLS`` or ``BUDGET_TOKENS``.
        allowed: calls or tokens that it allows.
        usual: calls or tokens of an answer that passes at once.
        within: the strategies whose answer it allows, the most thorough first, with what each
            usually takes.
    """

    setting: str
    allowed: int
    usual: int
    within: tuple[tuple[Strategy, int], ...]

    @property
    def warning(self) -> str:
        """For whoever has not asked yet."""
        return (
            f"An answer with these checks usually takes {self._amount(self.usual)}, and the budget "
            f"allows {self.allowed:,} ({self.setting}): it would stop before it is finished. "
            f"{self.cure}"
        )

    @property
    def reason(self) -> str:
        """For a run that it stopped; goes on from what is said of the budget."""
        return f"an answer with these checks usually takes {self._amount(self.usual)}. {self.cure}"

    @property
    def cure(self) -> str:
        """What to do, as a sentence."""
        others = [f"{name.value} ({self._amount(takes)})" for name, takes in self.within]
        fewer = f", or choose fewer checks: {' or '.join(others)}" if others else ""
        return f"Raise {self.setting}{fewer}."

    def _amount(self, number: int) -> str:
        if self.setting == "BUDGET_CALLS":
            return count(number, "call")
        return f"about {count(number, 'token')}"


def shortfall(
    settings: Settings, options: RunOptions, *, follow_up: bool = False
) -> Shortfall | None:
    """What the budget of these options lacks for a usual answer; None where nothing does.

    Args:
        settings: who writes and who judges.
    """
    budget = options.budget
    said = estimate(settings, options, {}, follow_up=follow_up)
    if budget.calls is not None and said.calls > budget.calls:
        setting, allowed, takes = "BUDGET_CALLS", budget.calls, attrgetter("calls")
    elif budget.tokens is not None and said.tokens_before_last >= budget.tokens:
        setting, allowed, takes = "BUDGET_TOKENS", budget.tokens, attrgetter("tokens")
    else:
        return None
    every = list(Strategy)
    others = [
        (strategy, estimate(settings, _with(options, strategy), {}, follow_up=follow_up))
        for strategy in reversed(every[: every.index(options.strategy)])
    ]
    within = tuple(
        (strategy, takes(other))
        for strategy, other in others
        if other.calls <= (budget.calls or other.calls)
        and (budget.tokens is None or other.tokens_before_last < budget.tokens)
    )
    return Shortfall(setting, allowed, takes(said), within)


def _with(options: RunOptions, strategy: Strategy) -> RunOptions:
    """The same with another strategy, which looks in the documents as usual for it."""
    usual = options.retrieval is RetrievalPolicy.usual(options.strategy)
    retrieval = RetrievalPolicy.usual(strategy) if usual else options.retrieval
    return replace(options, strategy=strategy, retrieval=retrieval)
