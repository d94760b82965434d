"""What is measured: which strategies, how often, within which bounds."""

from dataclasses import dataclass, field

from selfrag.errors import UserError
from selfrag.evaluation.answers.spending import StudyBudget
from selfrag.models.whereabouts import asks_models
from selfrag.reflection.strategy import Strategy
from selfrag.settings import Settings

STRATEGIES = tuple(each.value for each in Strategy)
ROUNDS = 5  #: where a model writes or grades
ONE_IS_ENOUGH = "Without a language model every round gives the same answers: one is enough."
ORACLE = ", oracle"  #: behind the name of a strategy that is given the gold passages
_MOST_ROUNDS = 100


def varies(settings: Settings) -> bool:
    """Whether a second round may give something else: a language model writes or grades."""
    judge = settings.evaluation_judge_model or settings.evaluation_judge_base_url
    return asks_models(settings) or bool(judge)


def usual_rounds(settings: Settings) -> int:
    """How often each question is answered where nobody says: once where rounds are all alike."""
    return ROUNDS if varies(settings) else 1


@dataclass(frozen=True, slots=True)
class System:
    """A strategy as it is measured; with ``oracle`` it is given the gold passages."""

    strategy: Strategy
    oracle: bool = False

    def __str__(self) -> str:
        return f"{self.strategy.value}{ORACLE if self.oracle else ''}"


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """What was chosen.

    Attributes:
        strategies: names, each once.
        rounds: how often every question is answered, 1 to 100.
        oracle: whether each strategy is measured with the gold passages as well.
        budget: what all of it may spend.
    """

    strategies: tuple[str, ...] = STRATEGIES
    rounds: int = ROUNDS
    oracle: bool = False
    budget: StudyBudget = field(default_factory=StudyBudget)

    def __post_init__(self) -> None:
        """Check.

        Raises:
            UserError: a strategy is unknown or named twice, or there are too many rounds.
        """
        wrong = [name for name in self.strategies if name not in STRATEGIES]
        if wrong:
            known = ", ".join(STRATEGIES)
            raise UserError(f"There is no strategy {wrong[0]!r}: choose among {known}.")
        if not self.strategies:
            raise UserError("No strategy is chosen: name at least one.")
        if len(set(self.strategies)) < len(self.strategies):
            raise UserError("A strategy is named twice: name each once.")
        if not 1 <= self.rounds <= _MOST_ROUNDS:
            raise UserError(f"{self.rounds} rounds: choose 1 to {_MOST_ROUNDS}.")

    @property
    def systems(self) -> tuple[System, ...]:
        """Each strategy, and after all of them each with the oracle."""
        plain = tuple(System(Strategy(name)) for name in self.strategies)
        if not self.oracle:
            return plain
        return (*plain, *(System(each.strategy, True) for each in plain))
