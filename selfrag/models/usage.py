"""What a run costs: calls and tokens, by step and by model.

Calls are recorded explicitly, not by callbacks: grades run side by side in threads, streams are
closed half way, and neither may lose or double a count. One ledger belongs to one run; the chat
models behind it are shared by all runs.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from langchain_core.messages import BaseMessage
from langchain_core.messages.ai import UsageMetadata

#: Characters of one token where an endpoint counts none: the usual figure for English prose.
CHARACTERS_PER_TOKEN = 4

_MOST = 1_000_000_000  #: tokens of one call; a count above it is none

_LOOK = 0.1  #: seconds between two looks at whether whoever waits for the endpoint still wants to

#: A context variable: langchain asks in threads of its own, which are given a copy.
_calling: ContextVar["UsageLedger | None"] = ContextVar("calling", default=None)


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of a model and the tokens they took.

    ``estimated`` is True where at least one count was worked out from the length of the text,
    because the endpoint gave none. ``priced`` is what the calls with a known price cost, in US
    dollars; ``unpriced`` counts the others.
    """

    llm_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False
    priced: float = field(default=0.0, compare=False)
    unpriced: int = field(default=0, compare=False)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.llm_calls + other.llm_calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.estimated or other.estimated,
            self.priced + other.priced,
            self.unpriced + other.unpriced,
        )

    def __sub__(self, earlier: "Usage") -> "Usage":
        return Usage(
            self.llm_calls - earlier.llm_calls,
            self.input_tokens - earlier.input_tokens,
            self.output_tokens - earlier.output_tokens,
            self.estimated,
            self.priced - earlier.priced,
            self.unpriced - earlier.unpriced,
        )

    @property
    def cost_usd(self) -> float | None:
        """US dollars; None where a call was made whose price is not known."""
        return None if self.unpriced else round(self.priced, 8)

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
        read = _count(counted.get("input_tokens")) if counted else None
        written = _count(counted.get("output_tokens")) if counted else None
        if read is not None and written is not None and read + written > 0:
            self.usage = Usage(1, read, written)
        else:
            self.usage = Usage(1, estimate_tokens(self.prompt), estimate_tokens(reply), True)

    def refused(self) -> None:
        """The endpoint turned the request away before a model saw it: no call was made."""
        self.usage = Usage()


def _count(told: object) -> int | None:
    """A count of tokens as an endpoint gave it; None where it is none."""
    if isinstance(told, bool) or not isinstance(told, int | float):
        return None
    return int(told) if 0 <= told <= _MOST and told == int(told) else None


class Gate:
    """Lets so many calls through at once, of all the runs that share it.

    A call that is not waited for any more holds its place until the endpoint is done with it.
    """

    def __init__(self, at_once: int) -> None:
        self._places = threading.BoundedSemaphore(at_once)

    @contextmanager
    def passed(self, check: Callable[[], None]) -> Iterator[None]:
        """Wait for a place and hold it.

        Raises:
            Exception: what ``check`` raises, which is called while there is none.
        """
        while not self._places.acquire(timeout=_LOOK):
            check()
        try:
            yield
        finally:
            self._places.release()


class UsageLedger:
    """The calls of one run. Safe to use from several threads.

    Args:
        guard: asked before every call with what was used so far; raises to end the run (its
            budget is spent, or the person stopped it), calls under way included. What it
            raises passes through judge and writer unchanged.
        price: US dollars of a model's usage, or None where its price is not known.
        gate: what calls pass one after another, where the run shares one with others.
    """

    def __init__(
        self,
        guard: Callable[[Usage], None] | None = None,
        price: Callable[[str, Usage], float | None] = lambda model, usage: None,
        gate: Gate | None = None,
    ) -> None:
        self._guard = guard
        self._price = price
        self._gate = gate
        self._lock = threading.RLock()
        self._under_way = 0
        self._entries: list[tuple[str, str, Usage]] = []

    @classmethod
    def of_this_call(cls) -> "UsageLedger | None":
        """The ledger of the call that is being made here, for what lies below it."""
        return _calling.get()

    def spent(self) -> Usage:
        """What was used, with calls that nobody waits for any more: the endpoint answers them."""
        with self._lock:
            return self.total() + Usage(llm_calls=self._under_way)

    def check(self) -> None:
        """Ask the guard whether the run still wants what is being fetched for it.

        Raises:
            Exception: what the guard raises.
        """
        if self._guard:
            # Nothing more is spent: only whether the run goes on is of interest.
            self._guard(Usage())

    @contextmanager
    def call(self, step: str, model: str, messages: Sequence[BaseMessage]) -> Iterator[Call]:
        """Record one call of ``model`` in ``step``, whether or not it succeeds.

        A call that fails counts as a call without tokens, unless `Call.refused` says that no
        model was asked.
        """
        with self._gate.passed(self.check) if self._gate else nullcontext():
            with self._counted(step, model, messages) as call:
                yield call

    @contextmanager
    def _counted(self, step: str, model: str, messages: Sequence[BaseMessage]) -> Iterator[Call]:
        with self._lock:
            # Under the lock, so that calls side by side can't pass a budget together.
            if self._guard:
                self._guard(self.total() + Usage(llm_calls=self._under_way))
            self._under_way += 1
        call = Call("\n".join(message.text for message in messages))
        outer = _calling.get()
        _calling.set(self)
        try:
            yield call
        finally:
            # Not reset by its token: a stream may be closed from another context.
            _calling.set(outer)
            with self._lock:
                self._under_way -= 1
                if call.usage.llm_calls:
                    self.add(step, model, call.usage)

    def add(self, step: str, model: str, usage: Usage) -> None:
        """Record what was used without `call`."""
        price = self._price(model, usage)
        priced = (
            replace(usage, unpriced=usage.llm_calls)
            if price is None
            else replace(usage, priced=price)
        )
        with self._lock:
            self._entries.append((step, model, priced))

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
