"""Two runs beside each other: what each did, and in words where they differ.

Read from the two logs and nothing else. The runs are called A and B; times are seconds, tokens
are input and output together, cost is US dollars.
"""

from collections.abc import Callable
from dataclasses import dataclass

from selfrag.reflection.events import Citation, RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.reflection.story import DOING, counted, price, verdict
from selfrag.wording import duration, listed

_MUCH = 1.5  #: ratio of two times from which it is worth a sentence
_RETRIES = "{} needed more retries: {more} more."
_NOTICED = 0.5  #: seconds of difference below which nobody noticed


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of both runs.

    Attributes:
        name: what it is; ``a``, ``b`` what it was in each, in words.
        said: the difference as a sentence; empty where there is none worth telling.
    """

    name: str
    a: str
    b: str
    said: str = ""

    @property
    def same(self) -> bool:
        """Whether both are alike."""
        return self.a == self.b


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        facts: in the order of a run, from the question to the cost.
        only_a, only_b: places ``(document, page)`` that only one of them cites.
        claims_a, claims_b: texts of claims that only one of them makes.
    """

    facts: tuple[Fact, ...]
    only_a: frozenset[tuple[str, int]]
    only_b: frozenset[tuple[str, int]]
    claims_a: frozenset[str]
    claims_b: frozenset[str]

    @property
    def sentences(self) -> list[str]:
        """Every difference in words."""
        return [fact.said for fact in self.facts if fact.said]


def compare(a: RunView, b: RunView) -> Comparison:
    """Hold two runs against each other, finished or not."""
    cited_a, cited_b = _places(a), _places(b)
    claims_a, claims_b = _claims(a), _claims(b)
    return Comparison(
        facts=(
            _fact("Question", a.question, b.question, "They were asked different questions."),
            *_asked(a, b),
            _verdict(a, b),
            _steps(a, b),
            _number("Retries", a, b, lambda end: end.retries, _RETRIES),
            _answer(a, b),
            _backed(a, b),
            _cited(cited_a, cited_b),
            *_spent(a, b),
        ),
        only_a=frozenset(cited_a - cited_b),
        only_b=frozenset(cited_b - cited_a),
        claims_a=frozenset(claims_a - claims_b),
        claims_b=frozenset(claims_b - claims_a),
    )


def place_of(citation: Citation) -> tuple[str, int]:
    """Where a citation points, as `Comparison` names places."""
    return citation.document, citation.page


def _fact(name: str, a: str, b: str, said: str) -> Fact:
    return Fact(name, a, b, said if a != b else "")


def _asked(a: RunView, b: RunView) -> list[Fact]:
    """How the two were asked: only what differs is told in a sentence."""
    first, second = a.started, b.started
    if first is None or second is None:
        return []
    values = {
        "Strategy": (first.strategy, second.strategy),
        "Looks in the documents": (first.retrieval, second.retrieval),
        "Search": (first.mode, second.mode),
        "Documents asked": tuple(
            "all" if it.documents is None else str(len(it.documents)) for it in (first, second)
        ),
        "Retries allowed": (str(first.max_retries), str(second.max_retries)),
        "Writer": (first.writer, second.writer),
        "Judge": (first.judge, second.judge),
    }
    facts = [
        _fact(name, one, other, f"{name}: {one} in A, {other} in B.")
        for name, (one, other) in values.items()
    ]
    if first.documents != second.documents and first.documents and second.documents:
        facts = [
            Fact(it.name, it.a, it.b, "They searched in different documents.")
            if it.name == "Documents asked" and it.same
            else it
            for it in facts
        ]
    return facts


def _verdict(a: RunView, b: RunView) -> Fact:
    one, other = (
        verdict(view.finished).title if view.finished else "Not finished" for view in (a, b)
    )
    return _fact("Verdict", one, other, f"Verdict: “{one}” in A, “{other}” in B.")


def _steps(a: RunView, b: RunView) -> Fact:
    said = ""
    only = [sorted({step.node for step in it.steps}) for it in (a, b)]
    missing = [sorted(set(only[0]) - set(only[1])), sorted(set(only[1]) - set(only[0]))]
    for name, nodes in (("A", missing[0]), ("B", missing[1])):
        if nodes:
            steps = listed([f"“{DOING[node]}”" for node in nodes])
            kind = "step" if len(nodes) == 1 else "steps"
            said += f"Only {name} has the {kind} {steps}. "
    one, other = (counted(len(view.steps), "step") for view in (a, b))
    return Fact("Steps", one, other, said.strip())


def _answer(a: RunView, b: RunView) -> Fact:
    one, other = (
        " ".join(view.finished.answer.split()) if view.finished else "" for view in (a, b)
    )
    words = [counted(len(text.split()), "word") for text in (one, other)]
    return Fact(
        "Answer",
        words[0],
        words[1],
        "" if one == other else "The answers are worded differently.",
    )


def _backed(a: RunView, b: RunView) -> Fact:
    said = []
    for view in (a, b):
        claims = view.finished.claims if view.finished else []
        backed = sum(claim.support is Support.FULLY for claim in claims)
        said.append(f"{backed} of {counted(len(claims), 'claim')} backed" if claims else "none")
    return _fact("Claims", said[0], said[1], f"Claims: {said[0]} in A, {said[1]} in B.")


def _cited(a: set[tuple[str, int]], b: set[tuple[str, int]]) -> Fact:
    said = ""
    for name, places in (("A", a - b), ("B", b - a)):
        if places:
            where = listed([f"{document}, page {page}" for document, page in sorted(places)])
            said += f"Only {name} cites {where}. "
    one, other = (counted(len(places), "place") if places else "none" for places in (a, b))
    return Fact("Cites", one, other, said.strip())


def _spent(a: RunView, b: RunView) -> list[Fact]:
    def calls(end: RunFinished) -> int:
        return end.usage.llm_calls if end.usage else 0

    def tokens(end: RunFinished) -> int:
        return end.usage.input_tokens + end.usage.output_tokens if end.usage else 0

    return [
        _number("Model calls", a, b, calls, "{} made {more} model calls more."),
        _number("Tokens", a, b, tokens, "{} took {more} tokens more."),
        _seconds(a, b),
        _cost(a, b),
    ]


def _number(name: str, a: RunView, b: RunView, of: Callable[[RunFinished], int], said: str) -> Fact:
    if a.finished is None or b.finished is None:
        return Fact(name, *(f"{of(it.finished):,}" if it.finished else "–" for it in (a, b)))
    one, other = of(a.finished), of(b.finished)
    more = f"{abs(one - other):,}"
    who = "A" if one > other else "B"
    return Fact(name, f"{one:,}", f"{other:,}", said.format(who, more=more) if one != other else "")


def _seconds(a: RunView, b: RunView) -> Fact:
    if a.finished is None or b.finished is None:
        shown = [duration(it.finished.elapsed_s) if it.finished else "–" for it in (a, b)]
        return Fact("Time", *shown)
    one, other = a.finished.elapsed_s, b.finished.elapsed_s
    slow, fast, who = (one, other, "A") if one > other else (other, one, "B")
    noticed = slow - fast > _NOTICED and slow > _MUCH * fast
    said = f"{who} took longer: {duration(slow)} instead of {duration(fast)}." if noticed else ""
    return Fact("Time", duration(one), duration(other), said)


def _cost(a: RunView, b: RunView) -> Fact:
    said = []
    for view in (a, b):
        usage = view.finished.usage if view.finished else None
        if usage is None or not usage.llm_calls:
            said.append("no cost")
            continue
        said.append(price(usage.cost_usd) + (" (estimated)" if usage.estimated else ""))
    return _fact("Cost", said[0], said[1], f"Cost: {said[0]} in A, {said[1]} in B.")


def _places(view: RunView) -> set[tuple[str, int]]:
    return {place_of(citation) for citation in view.finished.citations} if view.finished else set()


def _claims(view: RunView) -> set[str]:
    return {claim.text for claim in view.finished.claims} if view.finished else set()
