"""Several answers to one question beside each other: in words, what came of each and what differs.

Read from the logs of runs that have ended and from nothing else. Each is named by its way; times
are seconds, tokens are input and output together, cost is US dollars.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from selfrag.reflection import grades
from selfrag.reflection.differences import place_of
from selfrag.reflection.events import ClaimGrade, RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.reflection.story import counted
from selfrag.reflection.strategy import Strategy
from selfrag.wording import listed

_BROKEN = ("failed", "stopped")
_LISTED = 3  #: places that are named


@dataclass(frozen=True, slots=True)
class Side:
    """One of the answers; ``view`` is of a run that has ended."""

    name: str
    view: RunView

    @property
    def end(self) -> RunFinished:
        """Its last event."""
        assert self.view.finished is not None
        return self.view.finished

    @property
    def strategy(self) -> str:
        """Its strategy."""
        return self.view.started.strategy if self.view.started else ""

    @property
    def calls(self) -> int:
        """Model calls."""
        return self.end.usage.llm_calls if self.end.usage else 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        usage = self.end.usage
        return usage.input_tokens + usage.output_tokens if usage else 0

    @property
    def cost(self) -> float | None:
        """US dollars; None where a price is not known."""
        usage = self.end.usage
        return usage.cost_usd if usage and usage.llm_calls else 0.0

    @property
    def claims(self) -> Sequence[ClaimGrade]:
        """The claims that were checked; none where the answer was not delivered."""
        return () if self.end.status == "abstained" else self.end.claims

    @property
    def backed(self) -> int:
        """How many of them are fully backed."""
        return sum(claim.support is Support.FULLY for claim in self.claims)


def outcome(side: Side) -> str:
    """What came of one, to follow its name: ``answered without checking any claim``."""
    end = side.end
    match end.status:
        case "failed":
            return "failed"
        case "stopped":
            return "was stopped"
        case "abstained" if end.unclear:
            return "asked which document is meant"
        case "abstained":
            return "gave no answer, since nothing that was found answers the question"
    if end.verdict is not None:
        return {
            grades.Verdict.SUPPORTED: "found that your documents support the statement",
            grades.Verdict.REFUTED: "found that your documents speak against the statement",
            grades.Verdict.NOT_ENOUGH: "found nothing in your documents for or against it",
        }[end.verdict]
    if side.strategy == Strategy.CRITIQUE and end.status == "unsupported":
        return "answered, and its own critique was not content with that"
    if end.status == "unsupported" and end.support is Support.NOT:
        return "answered, and found that your documents do not back it"
    if end.status == "unsupported":
        return "answered, and could not check its claims"
    if end.support is Support.NOT_APPLICABLE:
        return "answered without your documents"
    if side.strategy == Strategy.PLAIN:
        return "answered without checking any claim"
    if side.strategy == Strategy.CRITIQUE:
        again = len(side.view.generated) > 1
        return f"answered {'a second time ' if again else ''}after one look over the whole"
    if side.claims and side.backed == len(side.claims):
        return "answered, and found every claim backed by a source"
    if side.claims:
        return f"answered, and found {side.backed} of {counted(len(side.claims), 'claim')} backed"
    return "answered"


def headline(sides: Sequence[Side]) -> str:
    """What came of all of them, in one sentence; those that came to the same are told together."""
    groups: dict[str, list[str]] = {}
    for side in sides:
        groups.setdefault(outcome(side), []).append(side.name)
    if len(groups) == 1 and len(sides) > 1:
        (said,) = groups
        return f"{'Both' if len(sides) == 2 else f'All {len(sides)}'} {_plural(said)}."
    return (
        "; ".join(
            f"{listed(names)} {_plural(said) if len(names) > 1 else said}"
            for said, names in groups.items()
        )
        + "."
    )


def _plural(said: str) -> str:
    return said.replace("was ", "were ", 1) if said.startswith("was ") else said


def differences(sides: Sequence[Side]) -> list[str]:
    """What is worth telling beyond that, a sentence each."""
    whole = [side for side in sides if side.end.status not in _BROKEN]
    said = [_answers(whole), *_sources(whole), *_work(whole), _spent(whole)]
    return [sentence for sentence in said if sentence]


def _answers(sides: Sequence[Side]) -> str:
    groups: dict[str, list[str]] = {}
    for side in sides:
        if side.end.status != "abstained":
            groups.setdefault(" ".join(side.end.answer.split()), []).append(side.name)
    same = [names for text, names in groups.items() if len(names) > 1 and text]
    if not same:
        return "Each worded its answer differently." if len(groups) > 1 else ""
    if len(same) == 1 and len(same[0]) == len(sides):
        return "The answers are the same, word for word."
    return " ".join(
        f"{listed(names)} give the same answer, word for word."
        if len(names) > 2
        else f"{listed(names)} both give the same answer, word for word."
        for names in same
    )


def _sources(sides: Sequence[Side]) -> list[str]:
    cited = {
        side.name: {place_of(citation) for citation in side.end.citations}
        for side in sides
        if side.end.status != "abstained"
    }
    if len(cited) < 2 or not any(cited.values()):
        return []
    if len({frozenset(places) for places in cited.values()}) == 1:
        return ["They cite the same pages."]
    said = []
    for name, places in cited.items():
        others = set().union(*(these for other, these in cited.items() if other != name))
        alone = sorted(places - others)
        if alone:
            where = [f"{document}, page {page}" for document, page in alone[:_LISTED]]
            if len(alone) > _LISTED:
                where.append(f"{len(alone) - _LISTED} more")
            said.append(f"Only {name} cites {listed(where)}.")
    return said


def _work(sides: Sequence[Side]) -> list[str]:
    said = []
    for side in sides:
        did = []
        graded = side.view.grades.values()
        aside = sum(grade.relevant is False for grade in graded)
        if aside:
            did.append(f"put {aside} of {counted(len(graded), 'passage')} aside")
        if len(side.view.searches) > 1:
            did.append(f"searched {len(side.view.searches)} times")
        if len(side.view.generated) > 1:
            did.append(f"wrote {len(side.view.generated)} times")
        if did:
            said.append(f"{side.name} {listed(did)}.")
    return said


def _spent(sides: Sequence[Side]) -> str:
    asked = sorted((side for side in sides if side.calls), key=lambda side: side.calls)
    if len(asked) < 2 or asked[0].calls == asked[-1].calls:
        return ""
    least, most = asked[0], asked[-1]
    said = f"{most.name} asked the model {_often(most.calls)}, {least.name} {_often(least.calls)}."
    return f"{said} {_times(asked, lambda side: side.tokens, 'tokens')}".strip()


def calls(sides: Sequence[Side]) -> str:
    """Who asked the model how often."""
    groups: dict[int, list[str]] = {}
    for side in sides:
        groups.setdefault(side.calls, []).append(side.name)
    if len(groups) == 1:
        (number,) = groups
        return f"Each asked the model {_often(number)}."
    told = [f"{listed(names)} {_often(number)}" for number, names in sorted(groups.items())]
    return f"How often the model was asked: {', '.join(told)}."


def tokens(sides: Sequence[Side]) -> str:
    """Whose model read and wrote how much more."""
    about = any(side.end.usage and side.end.usage.estimated for side in sides)
    said = _times(sides, lambda side: side.tokens, "tokens")
    explained = "A token is about four characters that the model reads or writes."
    return " ".join(part for part in (said, explained, "Counts are estimates." * about) if part)


def time(sides: Sequence[Side]) -> str:
    """Who took how much longer."""
    said = _times(sides, lambda side: side.end.elapsed_s, "time")
    shared = "They ran at the same time and waited for each other: alone, each is faster."
    return f"{said} {shared}".strip()


def cost(sides: Sequence[Side]) -> str:
    """What a thousand such questions would cost."""
    known = [(side.name, side.cost) for side in sides if side.cost is not None]
    if len(known) < len(sides):
        unknown = [side.name for side in sides if side.cost is None]
        return f"What {listed(unknown)} cost is not known: MODEL_PRICES names no price."
    if not any(value for _, value in known):
        return "None of them cost anything."
    thousand = [f"${value * 1000:,.2f} by {name}" for name, value in known]
    return f"A thousand such questions would cost {listed(thousand)}."


def claims(sides: Sequence[Side]) -> str:
    """Who checked what, and what a missing check means."""
    checked = [side for side in sides if side.claims]
    unchecked = [
        side.name
        for side in sides
        if not side.claims and side.end.status not in (*_BROKEN, "abstained")
    ]
    said = [
        f"{side.name}: {side.backed} of {counted(len(side.claims), 'claim')} backed by a source."
        for side in checked
    ]
    if unchecked:
        verb = "checks" if len(unchecked) == 1 else "check"
        its = "its" if len(unchecked) == 1 else "their"
        said.append(f"{listed(unchecked)} {verb} no claim: {its} answer may be right or not.")
    return " ".join(said) or "No claim was checked."


def _times(sides: Sequence[Side], of: Callable[[Side], float], what: str) -> str:
    whole = [side for side in sides if side.end.status not in _BROKEN]
    ranked = sorted((side for side in whole if of(side)), key=of)
    if len(ranked) < 2:
        return ""
    least, most = ranked[0], ranked[-1]
    ratio = of(most) / of(least)
    if ratio < 1.15:
        return f"All took about the same {'number of tokens' if what == 'tokens' else what}."
    times = f"{ratio:.0f}" if ratio >= 9.5 else f"{ratio:.1f}".removesuffix(".0")
    unit = "as many tokens as" if what == "tokens" else "as long as"
    return f"{most.name} took {times} times {unit} {least.name}."


def _often(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
