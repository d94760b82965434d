"""How a question is answered: what is compared when one asks whether reflection pays.

    plain      retrieve, generate
    critique   plain, then one yes/no critique and at most one refinement
    selfrag    the whole graph (Asai et al. 2023, arXiv:2310.11511)

and whether the documents are looked at: `adaptive` asks the judge, `always` and `never` don't.
"""

from dataclasses import dataclass
from enum import StrEnum

from selfrag.reflection.structured import MAX_CALLS


class Strategy(StrEnum):
    """What is done with a question, from little to much."""

    PLAIN = "plain"
    CRITIQUE = "critique"
    SELFRAG = "selfrag"


class RetrievalPolicy(StrEnum):
    """Whether to look in the documents."""

    ADAPTIVE = "adaptive"  #: the judge decides
    ALWAYS = "always"
    NEVER = "never"

    @classmethod
    def usual(cls, strategy: Strategy) -> "RetrievalPolicy":
        """What belongs to a strategy where nothing else is asked for."""
        return cls.ADAPTIVE if strategy is Strategy.SELFRAG else cls.ALWAYS


@dataclass(frozen=True, slots=True)
class Shape:
    """What decides which nodes a run's graph has.

    Attributes:
        follow_up: the question follows a conversation, and is made self-contained first.
        claim: it is a statement, and ends with a verdict (`selfrag` only).
        refines: the writer can mend its answer when told what is wrong with it.
    """

    strategy: Strategy = Strategy.SELFRAG
    retrieval: RetrievalPolicy = RetrievalPolicy.ADAPTIVE
    follow_up: bool = False
    claim: bool = False
    refines: bool = True

    @property
    def decides(self) -> bool:
        """Whether the judge is asked if the documents are needed."""
        return self.retrieval is RetrievalPolicy.ADAPTIVE

    @property
    def searches(self) -> bool:
        """Whether the documents may be searched at all."""
        return self.retrieval is not RetrievalPolicy.NEVER

    @property
    def verdict(self) -> bool:
        """Whether the run ends with a verdict on a statement."""
        return self.claim and self.searches and self.strategy is Strategy.SELFRAG

    def retries(self, max_retries: int) -> int:
        """Retries of each kind that this strategy makes at most."""
        most = {Strategy.PLAIN: 0, Strategy.CRITIQUE: int(self.refines)}
        return most.get(self.strategy, max_retries)


USUAL = Shape()


def max_llm_calls(
    max_retries: int,
    passages: int,
    shape: Shape = USUAL,
    *,
    judge_asks: bool = True,
    writer_asks: bool = True,
) -> int:
    """The most language model calls that one run can make.

    One for a follow-up question, one decision, a grade for each passage of each search, a
    rewrite before each further search, for each attempt the support and the usefulness (or the
    one critique), and one verdict; each of these grades may be asked for ``MAX_CALLS`` times
    where a reply cannot be used. And each attempt is written once.

    Args:
        passages: that one search finds at most.
        judge_asks, writer_asks: whether that part is played by a model that is called.
    """
    attempts, grades = 1, shape.follow_up + shape.decides
    if shape.strategy is Strategy.CRITIQUE:
        attempts, grades = 1 + shape.retries(max_retries), grades + 1
    elif shape.strategy is Strategy.SELFRAG and shape.searches:
        searches = 1 + max_retries
        attempts = searches + max_retries
        grades += searches * passages + max_retries + 2 * attempts + shape.verdict
    elif shape.strategy is Strategy.SELFRAG:
        grades += 1
    return MAX_CALLS * grades * judge_asks + attempts * writer_asks
