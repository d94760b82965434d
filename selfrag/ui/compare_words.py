"""What each chart of a comparison says, in one sentence made from its numbers."""

from collections.abc import Collection, Sequence

from selfrag.retrieval.comparison import TIMES, ComparedPassage, Comparison, Outcome
from selfrag.retrieval.result import Mode, StageStatus
from selfrag.wording import count, listed

STAGES = ("dense", "bm25", "fusion", "mmr", "rerank")
NAMES = {
    "dense": "dense",
    "bm25": "BM25",
    "fusion": "fusion",
    "mmr": "MMR",
    "rerank": "rerank",
    "parents": "parents",
}
READING = "reading"  #: of texts from the index, which every mode does and no stage
TIMED = (
    f"The median of {TIMES} searches after a first one, where that is quick. Dense: with making "
    "the question's vector. Reading: fetching the texts of the passages, and of their parents, "
    "from the index."
)
FULL = (
    "full adds reranking and the dropping of near repeats, where on, and reads parents: where "
    "hybrid gives several passages of one section, full gives their section once. That is why "
    "their lists and figures differ."
)


def beside_hybrid(modes: Collection[Mode]) -> str | None:
    """Why full and hybrid differ, where both are there."""
    return FULL if {Mode.FULL, Mode.HYBRID} <= set(modes) else None


def overlap(comparison: Comparison) -> str:
    """How much the lists have in common."""
    answering = comparison.answering
    total, lists = len(comparison.passages), len(answering)
    if not total:
        return "No mode found anything."
    common = sum(passage.finders == lists for passage in comparison.passages)
    if common == total:
        orders = {
            tuple(passage.places[index] for passage in comparison.passages) for index in answering
        }
        order = "in the same order" if len(orders) == 1 else "in different orders"
        return f"Every mode brings the same {count(total, 'passage')}, {order}."
    alone = [
        f"{comparison.outcomes[index].variant.label} {number}"
        for index in answering
        if (number := sum(p.finders == 1 for p in comparison.passages if p.places[index]))
    ]
    said = f"{common} of {count(total, 'passage')} "
    said += "is found by every mode" if common == 1 else "are found by every mode"
    return f"{said}; by one alone: {listed(alone)}." if alone else f"{said}."


def seconds(comparison: Comparison) -> str:
    """Which mode is fastest, which slowest, and what takes its time."""
    timed = sorted(
        ((o.retrieval, o.variant.label) for o in comparison.outcomes if o.retrieval is not None),
        key=lambda pair: pair[0].seconds,
    )
    if len(timed) < 2:
        return "There is nothing to compare the time with."
    (fastest, first), (slowest, last) = timed[0], timed[-1]
    parts = {
        NAMES[stage.name]: stage.seconds
        for stage in slowest.stages
        if stage.status is StageStatus.RAN
    }
    parts[READING] = slowest.seconds - sum(parts.values())
    longest = max(parts, key=parts.__getitem__)
    said = (
        f"{first} was the fastest with {milliseconds(fastest.seconds)}, "
        f"{last} the slowest with {milliseconds(slowest.seconds)}"
    )
    return f"{said}, of which {longest} took {milliseconds(parts[longest])}."


def milliseconds(value: float) -> str:
    """Seconds as ``0.8 ms``, ``12 ms``, ``1.2 s``."""
    if value >= 1:
        return f"{value:.1f} s"
    return f"{value * 1000:.1f} ms" if value < 0.00995 else f"{value * 1000:.0f} ms"


def stages_of(outcome: Outcome) -> list[str]:
    """The stages of an outcome that gave ranks, in order."""
    if outcome.retrieval is None:
        return []
    ran = {s.name for s in outcome.retrieval.stages if s.status is StageStatus.RAN}
    return [name for name in STAGES if name in ran]


def moves(outcome: Outcome, passages: Sequence[ComparedPassage], index: int) -> str:
    """Which passage of the final list rose most on its way there.

    Args:
        index: the outcome's, in the comparison.
    """
    if outcome.retrieval is None:
        return f"{outcome.variant.label} could not search."
    names = stages_of(outcome)
    if len(names) == 1:
        return (
            f"{outcome.variant.label} is a single list: the order of {NAMES[names[0]]} is the "
            "final one."
        )
    climbed = []
    for passage in passages:
        final = passage.places[index]
        scores = outcome.retrieval.scores.get(passage.chunk_id, {})
        if final is not None:
            climbed += [
                (scores[name].rank - final, passage.number, name, scores[name].rank, final)
                for name in names
                if name in scores
            ]
    if not climbed:
        return "Nothing was found."
    rise, number, name, before, after = max(climbed)
    if rise <= 0:
        return "Every stage left the first passages where they were."
    return (
        f"Passage {number} rose most: {ordinal(before)} by {NAMES[name]}, {ordinal(after)} in "
        "the end."
    )


def lead(outcome: Outcome) -> str:
    """How clearly the first is ahead at the last stage that scored."""
    rule = "Each stage scores by its own rule: only points of one panel compare."
    names = stages_of(outcome)
    if outcome.retrieval is None or not names:
        return rule
    last = names[-1]
    ranked = outcome.retrieval.lists[last][:20]
    scores = [outcome.retrieval.scores[item][last].score for item in ranked]
    if len(scores) < 3 or scores[0] == scores[-1]:
        return rule
    gap = (scores[0] - scores[1]) / (scores[0] - scores[-1])
    ahead = (
        "is clearly ahead" if gap > 0.3 else "is a little ahead" if gap > 0.1 else "is not ahead"
    )
    return f"By {NAMES[last]}, the first passage {ahead} of the second. {rule}"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``, ``23rd``."""
    last = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{last}"
