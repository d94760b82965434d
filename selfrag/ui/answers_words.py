"""Studies of answers in words: what a file holds, what it takes, what can be measured, and what
the picture of abstaining says."""

from selfrag.evaluation.answers.abstention import Abstention
from selfrag.evaluation.answers.choice import ORACLE, AnswerChoice
from selfrag.evaluation.answers.measures import DECIDED, MEASURES, VERDICT
from selfrag.evaluation.answers.plan import Plan
from selfrag.evaluation.answers.questions import QuestionSet
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.reflection.story import price
from selfrag.ui.literal import literal
from selfrag.wording import count, duration, listed


def about_questions(questions: QuestionSet) -> str:
    """``9 questions · 7 that the documents answer · 2 that the documents cannot answer``."""
    rows = questions.questions
    known = {
        "that the documents answer": sum(row.answerable is True for row in rows),
        "that the documents cannot answer": sum(row.answerable is False for row in rows),
        "with a ground truth, of which it is not said": sum(
            row.answerable is None and bool(row.ground_truth) for row in rows
        ),
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
    if any(row.answerable is not None or row.gold for row in rows):
        names.append(MEASURES[DECIDED].label)
    said = [
        f":material/gavel: What will be compared: {literal(listed([*names, 'time']))}; graded by "
        f"{literal(plan.judge)}."
    ]
    if plan.unavailable:
        missing = listed([MEASURES[name].label for name in plan.unavailable])
        why = next(iter(plan.unavailable.values()))
        if any(row.ground_truth for row in rows):
            said.append(
                ":material/block: Correctness will not be compared: only a language model as judge "
                "can hold what was read against ground_truth."
            )
        said.append(f":material/block: Will not be measured: {literal(missing)}: {literal(why)}.")
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
    unknown = (
        f" Of {count(cells.unknown, 'answer')} it is not known whether the evidence was retrieved."
        if cells.unknown
        else ""
    )
    return f"{name}: {'; '.join(said)}.{unknown}"


def spending_words(study: AnswerStudy) -> str:
    """What an answer by each strategy takes, the slowest first: medians, since one slow
    answer moves a mean."""
    seconds = {
        name: each.median
        for name, each in study.figures.items()
        if ORACLE not in name and each.median is not None
    }
    if len(seconds) < 2:
        return ""
    fast, slow = min(seconds, key=seconds.__getitem__), max(seconds, key=seconds.__getitem__)
    if not seconds[fast] or seconds[slow] / seconds[fast] < 1.05:
        return f"All take about the same time: {duration(seconds[slow])} for an answer (median)."
    order = sorted(seconds, key=lambda name: -seconds[name])
    took = listed([f"{duration(seconds[each])} by {each}" for each in order])
    said = f"An answer takes {took} (medians)"
    calls = {name: study.figures[name].means["calls"].mean or 0.0 for name in order}
    if any(calls.values()):
        asked = listed([f"{calls[each]:.1f} by {each}" for each in order])
        said += f"; model calls, on average, {asked}"
    return f"{said}."


def _times(number: int, whole: int | None = None) -> str:
    if whole is not None:
        return f"{number:,} of {count(whole, 'time')}"
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def _rounded(number: int) -> int:
    """Two figures: an estimate has no more."""
    step = 10 ** max(0, len(str(number)) - 2)
    return round(number / step) * step
