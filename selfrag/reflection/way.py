"""A way to answer a question: a strategy, perhaps looking in the documents otherwise than usual.

Written ``selfrag`` or ``selfrag:retrieval=always``, the same in addresses and in the records.
"""

from dataclasses import dataclass
from typing import Self

from selfrag.errors import UserError
from selfrag.reflection.events import RunStarted
from selfrag.reflection.strategy import RetrievalPolicy, Strategy


@dataclass(frozen=True, slots=True)
class Way:
    """A strategy; ``retrieval`` is None where it is the usual one of the strategy."""

    strategy: Strategy
    retrieval: RetrievalPolicy | None = None

    def __post_init__(self) -> None:
        if self.retrieval is RetrievalPolicy.usual(self.strategy):
            object.__setattr__(self, "retrieval", None)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The way that ``str`` wrote.

        Raises:
            UserError: there is no such strategy or retrieval.
        """
        name, _, rest = text.strip().partition(":")
        key, _, value = rest.partition("=")
        try:
            if rest and key != "retrieval":
                raise ValueError(key)
            return cls(Strategy(name), RetrievalPolicy(value) if rest else None)
        except ValueError:
            strategies, policies = (
                ", ".join(item.value for item in kind) for kind in (Strategy, RetrievalPolicy)
            )
            raise UserError(
                f"There is no way {text[:80]!r} to answer. Name one of {strategies}, as it is or "
                f"with one of {policies}, as in selfrag:retrieval=always."
            ) from None

    @classmethod
    def of(cls, started: RunStarted) -> Self | None:
        """The way a run went; None where a later version made it, with ways of its own."""
        try:
            return cls(Strategy(started.strategy), RetrievalPolicy(started.retrieval))
        except ValueError:
            return None

    def __str__(self) -> str:
        rest = f":retrieval={self.retrieval.value}" if self.retrieval else ""
        return f"{self.strategy.value}{rest}"

    @property
    def looks(self) -> RetrievalPolicy:
        """Whether it looks in the documents."""
        return self.retrieval or RetrievalPolicy.usual(self.strategy)

    @property
    def label(self) -> str:
        """For people: ``selfrag``, ``selfrag (retrieval always)``."""
        rest = f" (retrieval {self.retrieval.value})" if self.retrieval else ""
        return f"{self.strategy.value}{rest}"


def without_a_writer(ways: list[Way], *, local_judge: bool) -> list[str]:
    """What can differ between ways, and what can't, where sentences are quoted and none written.

    Args:
        local_judge: whether no language model judges either.
    """
    said = ["No language model writes here: every answer is sentences quoted from your documents."]
    strategies = {way.strategy for way in ways}
    looking = {
        strategy: {way.looks for way in ways if way.strategy is strategy} for strategy in strategies
    }
    if looking.get(Strategy.PLAIN, set()) & looking.get(Strategy.CRITIQUE, set()):
        said.append(
            "plain and critique quote the same sentences: a critique can only say yes or no, "
            "since nobody can write the answer again."
        )
    if Strategy.SELFRAG in strategies and len(strategies) > 1:
        said.append(
            "selfrag can differ: it leaves out passages that do not help, checks each claim, "
            "searches again in other words, and says so where nothing answers the question."
        )
    both = {RetrievalPolicy.ADAPTIVE, RetrievalPolicy.ALWAYS}
    if local_judge and any(both <= found for found in looking.values()):
        said.append(
            "adaptive and always differ only for small talk and sums: anything else the local "
            "judge looks up."
        )
    if any(RetrievalPolicy.NEVER in found for found in looking.values()):
        said.append("With retrieval never there is nothing to quote.")
    return said
