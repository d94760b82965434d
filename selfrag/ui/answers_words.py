"""Studies of answers in words: what a file holds, what it takes, what can be measured, and what
the picture of abstaining says."""

from collections.abc import Sequence

from selfrag.evaluation.answers import text
from selfrag.evaluation.answers.abstention import Abstention
from selfrag.evaluation.answers.choice import ORACLE, AnswerChoice
from selfrag.evaluation.answers.measures import MEASURES, VERDICT
from selfrag.evaluation.answers.plan import Plan
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.reflection.story import price
from selfrag.ui.literal import literal
from selfrag.wording import count, duration, listed


def about_questions(questions: QuestionSet) -> str:
    """``9 questions · 7 with a right answer · 2 that the documents cannot answer``."""
    rows = questions.questions
    known = {
        "with a right answer": sum(bool(row.ground_truth) for row in rows),
        "that the documents cannot answer": sum(row.answerable is False for row in rows),
        "with a verdict": sum(row.label is not None for row in rows),
        "whose passages are known": sum(bool(row.gold) for row in rows),
    }
    parts = [f"{number:,} {what}" for what, number in known.items() if number]
    return " · ".join([count(len(rows), "question"), *parts])


def what_it_takes(plan: Plan, asks_models: bool) -> list[str]:
    """Answers, calls, tokens, money: lines of Markdown, before anything is started."""
    answers = f"**{count(plan.answers, 'answer')}**"
    if not plan.calls:
        return [f"{answers}, no model calls: it costs nothing but time."]
    cost = (
        "what that costs is not known (MODEL_PRICES)"
        if plan.usd is None
        else "no fee"
        if not plan.usd
        else f"about {literal(price(plan.usd))}"
    )
    said = (
        f"{answers}, about {count(_rounded(plan.calls), 'model call')} and "
        f"{_rounded(plan.tokens):,} tokens, {cost}."
    )
    return (
        [
            said,
            ":small[:gray[An estimate; retries add to it. What is there from an earlier run is "
            "not asked again.]]",
        ]
        if asks_models
        else [said]
    )


def what_is_measured(plan: Plan, questions: QuestionSet, choice: AnswerChoice) -> list[str]:
    """Lines of Markdown: by whom, what, and what cannot be and why."""
    names = [MEASURES[name].label for name in plan.measures]
    rows = questions.questions
    if any(row.label for row in rows):
        names.append(MEASURES[VERDICT].label)
    said = [
        f":material/gavel: Graded by {literal(plan.judge)}: {literal(listed([*names, 'time']))}."
    ]
    if plan.unavailable:
        missing = listed([MEASURES[name].label for name in plan.unavailable])
        why = next(iter(plan.unavailable.values()))
        said.append(f":material/block: Not measured: {literal(missing)}: {literal(why)}.")
    if not any(row.gold for row in rows) and not any(row.answerable is False for row in rows):
        said.append(
            ":material/visibility_off: Whether it stays silent in the right places can be told "
            "only where the file says what is answerable or where answers stand, or where you "
            "labelled passages."
        )
    elif choice.oracle and not any(row.gold for row in rows):
        said.append(
            ":material/visibility_off: No right passages are named in the file: the oracle has "
            "only those that you labelled."
        )
    return said


def silence_words(name: str, cells: Abstention) -> str:
    """What the four cells of one strategy say."""
    if not cells.known:
        return (
            f"{name}: for none of its answers is it known whether the evidence was retrieved, so "
            "silence cannot be judged."
        )
    said = []
    without = cells.confident + cells.declined
    if without:
        said.append(
            f"without evidence it stayed silent {_times(cells.declined, without)}"
            + (f" and answered all the same {_times(cells.confident)}" if cells.confident else "")
        )
    evidence = cells.right + cells.cautious
    if evidence:
        said.append(
            f"with evidence it answered {_times(cells.right, evidence)}"
            + (
                f" and stayed silent all the same {_times(cells.cautious)}"
                if cells.cautious
                else ""
            )
        )
    unknown = f" Of {count(cells.unknown, 'answer')} it is not known." if cells.unknown else ""
    return f"{name}: {'; '.join(said)}.{unknown}"


def headlines(study: AnswerStudy) -> list[str]:
    """Which strategy is better, and in one sentence all in which no difference can be told."""
    questions = count(len(study.questions), "question")
    if len(study.figures) < 2:
        return [f"One strategy on {questions}: there is nothing to compare it with."]
    tested = [measure for measure in text.quality(study) if len(study.ranked(measure)) > 1]
    if not tested:
        return ["No measure has values for two strategies: there is nothing to compare."]
    clear = [it for it in tested if any(pair.significant for pair in study.pairs[it])]
    said = [sentence for measure in clear for sentence in text.about(study, measure)]
    rest = [MEASURES[measure].label for measure in tested if measure not in clear]
    if rest:
        said.append(f"No difference between strategies that {questions} can show: {listed(rest)}.")
    return said


def spending_words(study: AnswerStudy) -> str:
    """How much longer, and how many more calls, the dearest takes than the cheapest."""
    seconds = {
        name: mean
        for name, each in study.figures.items()
        if ORACLE not in name and (mean := each.means["seconds"].mean) is not None
    }
    if len(seconds) < 2:
        return ""
    fast, slow = min(seconds, key=seconds.__getitem__), max(seconds, key=seconds.__getitem__)
    if not seconds[fast] or seconds[slow] / seconds[fast] < 1.05:
        return f"All take about the same time: {duration(seconds[slow])} for an answer."
    said = (
        f"An answer by {slow} takes {duration(seconds[slow])}, one by {fast} "
        f"{duration(seconds[fast])}"
    )
    calls = [study.figures[name].means["calls"].mean for name in (slow, fast)]
    if calls[0] is not None and calls[1] is not None and calls[0] > 0:
        said += f"; {calls[0]:.1f} model calls against {calls[1]:.1f}"
    return f"{said}."


def differing(study: AnswerStudy, measure: str) -> list[tuple[str, list[float | None]]]:
    """Questions with the value of each system, those first where they differ most."""
    systems = list(study.figures)
    rows = [
        (key, [study.figures[name].values[measure].get(key) for name in systems])
        for key in study.questions
    ]
    return sorted(rows, key=lambda row: -_spread(row[1]))


def _spread(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if len(known) > 1 else 0.0


def _times(number: int, whole: int | None = None) -> str:
    if whole is not None:
        return f"{number:,} of {count(whole, 'time')}"
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def _rounded(number: int) -> int:
    """Two figures: an estimate has no more."""
    step = 10 ** max(0, len(str(number)) - 2)
    return round(number / step) * step
