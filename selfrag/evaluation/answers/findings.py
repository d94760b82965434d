"""What a study of answers says, in sentences: whether strategies answer and abstain where they
should, which of them answers better, and what has to be known before either is believed."""

from collections.abc import Sequence

from selfrag.evaluation.answers.choice import ORACLE
from selfrag.evaluation.answers.measures import DECIDED, MEASURES, SPENT
from selfrag.evaluation.answers.rows import Row
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.significance import Pair
from selfrag.evaluation.verdict import about_pair
from selfrag.wording import count, listed


def quality(study: AnswerStudy) -> tuple[str, ...]:
    """The measures of how good answers are, without what they cost."""
    return tuple(measure for measure in study.measures if measure not in SPENT)


def sentences(study: AnswerStudy) -> list[str]:
    """What the study says: that it is not whole, its headline, what it does not tell, the rest."""
    doubts = caveats(study)
    first = doubts[:1] if study.stopped is not None else []
    head = headlines(study)
    rest = [
        sentence
        for measure in quality(study)
        for sentence in about(study, measure)
        if sentence not in head
    ]
    return [*first, *head, *doubts[len(first) :], *rest]


def headlines(study: AnswerStudy) -> list[str]:
    """The main finding first: where strategies decide otherwise, or which is better; then in one
    sentence all in which no difference can be told."""
    questions = count(len(study.questions), "question")
    if len(study.figures) < 2:
        alone = _decisions(study)
        nothing = f"One strategy on {questions}: there is nothing to compare it with."
        return [_told(study, alone), nothing] if alone else [nothing]
    said = _deciding(study)
    tested = [
        measure
        for measure in quality(study)
        if len(study.ranked(measure)) > 1 and not (said and measure == DECIDED)
    ]
    if not tested and not said:
        return ["No measure has values for two strategies: there is nothing to compare."]
    clear = [it for it in tested if any(pair.significant for pair in study.pairs[it])]
    said += [sentence for measure in clear for sentence in about(study, measure)]
    rest = [
        MEASURES[measure].label
        for measure in tested
        # With and without the oracle is one strategy.
        if measure not in clear and sum(ORACLE not in each for each in study.ranked(measure)) > 1
    ]
    if rest:
        said.append(f"No difference between strategies that {questions} can show: {listed(rest)}.")
    return said


def caveats(study: AnswerStudy) -> list[str]:
    """Why it is not whole, what makes it doubtful, what was not measured."""
    said = []
    if study.stopped is not None:
        there = sum(each.answers for each in study.figures.values())
        said.append(f"It was stopped: {study.stopped}. It counts {count(there, 'answer')}.")
    said += study.warnings
    if study.unavailable:
        if any(row.ground_truth for row in study.rows):
            said.append(NOT_COMPARED)
        names = ", ".join(MEASURES[name].label for name in study.unavailable)
        why = next(iter(study.unavailable.values()))
        said.append(f"Not measured: {names}: {why}.")
    return said


NOT_COMPARED = (
    "Correctness was not compared: no answer was held against its ground_truth. A language model "
    "as judge holds what was read against it (context precision and recall)."
)


def leading(study: AnswerStudy) -> str:
    """The measure of the headline: what was decided where strategies decide otherwise, else the
    first with a significant difference, else the one in which questions differ most."""
    if _deciding(study):
        return DECIDED
    measures = quality(study)
    clear = [it for it in measures if any(pair.significant for pair in study.pairs[it])]
    if clear:
        return clear[0]
    return max(measures or study.measures, key=lambda it: sum(map(_spread, by_question(study, it))))


def by_question(study: AnswerStudy, measure: str) -> list[list[float | None]]:
    """For each question the value of each system, None where it is undefined."""
    return [
        [it.values[measure].get(key) for it in study.figures.values()] for key in study.questions
    ]


def _spread(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if len(known) > 1 else 0.0


def differing(study: AnswerStudy, measure: str) -> list[tuple[str, list[float | None]]]:
    """Questions with the value of each system, those first where they differ most."""
    rows = list(zip(study.questions, by_question(study, measure), strict=True))
    return sorted(rows, key=lambda row: -_spread(row[1]))


def shown_with_a_warning(study: AnswerStudy) -> str:
    """Why answers that were not backed stand under "answered"; empty where there are none."""
    parts = [
        f"{each.unsupported:,} by {name}"
        for name, each in study.figures.items()
        if each.unsupported
    ]
    if not parts:
        return ""
    return (
        "An answer that is shown with a warning (“unsupported”: its passages do not back all of "
        f"it) still counts as answered here: {listed(parts)}."
    )


def about(study: AnswerStudy, measure: str) -> list[str]:
    """The best strategy against the others in one measure, and against itself where the evidence
    makes a difference, in at most three sentences."""
    ranked = [name for name in study.ranked(measure) if not name.endswith(ORACLE)]
    if not ranked:
        return []
    best = ranked[0]
    told = [
        pair
        for pair in study.pairs[measure]
        if best in (pair.a, pair.b)
        and (pair.significant or not any(name.endswith(ORACLE) for name in (pair.a, pair.b)))
    ]
    told.sort(key=lambda pair: not pair.significant)
    return [_sentence(measure, pair, best) for pair in told[:3]]


def _sentence(measure: str, pair: Pair, best: str) -> str:
    label = MEASURES[measure].label
    number = pair.difference.queries
    if number < 2:
        return (
            f"{label}: {pair.a} and {pair.b} have {count(number, 'question')} in common: no test "
            "is possible."
        )
    if not pair.difference.wins and not pair.difference.losses:
        return f"{label}: {pair.a} and {pair.b} are equal on all {count(number, 'question')}."
    other = pair.b if pair.a == best else pair.a
    better = best if (pair.difference.mean > 0) == (pair.a == best) else other
    return about_pair(pair, better, label, {pair.a: pair.a, pair.b: pair.b}, "is better than")


#: Strategy, then the questions that it decided rightly and all: on what cannot be answered, on
#: what can.
_Decisions = dict[str, tuple[tuple[int, int], tuple[int, int]]]


def _decisions(study: AnswerStudy) -> _Decisions:
    found: _Decisions = {}
    for name in study.figures:
        if name.endswith(ORACLE):
            continue
        decided = [row for row in study.rows if row.system == name and _is_known(row)]
        if decided:
            # It was right to abstain, or wrong to answer: the documents do not tell.
            silent = [row for row in decided if row.abstained == bool(row.measures[DECIDED])]
            spoken = [row for row in decided if row.abstained != bool(row.measures[DECIDED])]
            found[name] = (_right(study, name, silent), _right(study, name, spoken))
    return found


def _is_known(row: Row) -> bool:
    return row.measures.get(DECIDED) is not None


def _right(study: AnswerStudy, name: str, rows: Sequence[Row]) -> tuple[int, int]:
    """Questions decided rightly in more than half of their rounds, and all of them."""
    values = study.figures[name].values[DECIDED]
    asked = {row.question_id for row in rows}
    return sum(values[key] > 0.5 for key in asked), len(asked)


def _over_rounds(study: AnswerStudy, found: _Decisions) -> str:
    """What rounds have to do with it; rounds of one question are no evidence of their own."""
    if study.rounds < 2:
        return ""
    values = [value for name in found for value in study.figures[name].values[DECIDED].values()]
    if all(value in (0.0, 1.0) for value in values):
        return f" (the same in each of {study.rounds} rounds)"
    return f" (as in most of the {study.rounds} rounds of each question)"


def _deciding(study: AnswerStudy) -> list[str]:
    """How often each was right to abstain and to answer, and the tests of it; nothing where all
    decided alike."""
    found = _decisions(study)
    if len(set(found.values())) < 2:
        return []
    return [_told(study, found), *about(study, DECIDED)]


def _told(study: AnswerStudy, found: _Decisions) -> str:
    parts: list[str] = []
    for place, (asked, did) in enumerate(
        (("what the documents cannot answer", "abstained on"), ("what they answer", "answered"))
    ):
        known = {name: each[place] for name, each in found.items() if each[place][1]}
        if not known:
            continue
        # The most often right stands first.
        order = sorted(known.items(), key=lambda item: -item[1][0] / item[1][1])
        (first, (right, all_)), *others = order
        shares = [f"{first} {did} {right:,} of {count(all_, 'question')}"]
        on = "on " * did.endswith(" on")
        shares += [f"{name} {on}{right:,} of {all_:,}" for name, (right, all_) in others]
        parts.append(f"{'asked' if parts else 'Asked'} {asked}, {listed(shares)}")
    said = "; ".join(parts).replace("Asked what they answer", "Asked what the documents answer")
    return f"{said}{_over_rounds(study, found)}."
