"""What a run costs: calls and tokens, by step and by model.

Calls are recorded explicitly, not by callbacks: grades run side by side in threads, streams are
closed half way, and neither may lose or double a count. One ledger belongs to one run; the chat
models behind it are shared by all runs.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage
from langchain_core.messages.ai import UsageMetadata

#: Characters of one token where an endpoint counts none: the usual figure for English prose.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of a model and the tokens they took.

    ``estimated`` is True where at least one count was worked out from the length of the text,
    because the endpoint gave none.
    """

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.llm_calls + other.llm_calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
        )

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` is, without a tokenizer; 0 for an empty text."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(slots=True)
class Call:
    """One call under way; see `UsageLedger.call`."""

    prompt: str
    usage: Usage = field(default=Usage(llm_calls=1))

    def answered(self, reply: str, counted: UsageMetadata | None) -> None:
        """The call gave ``reply``; ``counted`` is the endpoint's own count, where it gave one."""
        if counted and (counted["input_tokens"] or counted["output_tokens"]):
            self.usage = Usage(1, counted["input_tokens"], counted["output_tokens"])
        else:
            self.usage = Usage(1, estimate_tokens(self.prompt), estimate_tokens(reply), True)

    def refused(self) -> None:
        """The endpoint turned the request away before a model saw it: no call was made."""
        self.usage = Usage()


class UsageLedger:
    """The calls of one run. Safe to use from several threads.

    Args:
        guard: asked before every call with what was used so far; raises to end the run (its
            budget is spent, or the person stopped it). What it raises passes through judge
            and writer unchanged.
    """

    def __init__(self, guard: Callable[[Usage], None] | None = None) -> None:
        self._guard = guard
        self._lock = threading.Lock()
        self._entries: list[tuple[str, str, Usage]] = []

    @contextmanager
    def call(self, step: str, model: str, messages: Sequence[BaseMessage]) -> Iterator[Call]:
        """Record one call of ``model`` in ``step``, whether or not it succeeds.

        A call that fails counts as a call without tokens, unless `Call.refused` says that no
        model was asked.
        """
        if self._guard:
            self._guard(self.total())
        call = Call("\n".join(message.text for message in messages))
        try:
            yield call
        finally:
            if call.usage.llm_calls:
                self.add(step, model, call.usage)

    def add(self, step: str, model: str, usage: Usage) -> None:
        """Record what was used without `call` (decision models, embeddings)."""
        with self._lock:
            self._entries.append((step, model, usage))

    def total(self) -> Usage:
        """Everything the run has used so far."""
        return sum(self.by_step().values(), Usage())

    def by_step(self) -> dict[str, Usage]:
        """Usage of each step, in the order of their first call."""
        return self._grouped(0)

    def by_model(self) -> dict[str, Usage]:
        """Usage of each model, for its price."""
        return self._grouped(1)

    def _grouped(self, column: int) -> dict[str, Usage]:
        with self._lock:
            entries = list(self._entries)
        grouped: dict[str, Usage] = {}
        for entry in entries:
            name = str(entry[column])
            grouped[name] = grouped.get(name, Usage()) + entry[2]
        return grouped
