"""A study of answers as one reads and publishes it: tables, CSV, a page of HTML."""

import csv
import io
import json
from collections.abc import Sequence

from selfrag.evaluation.answers.findings import quality, sentences, shown_with_a_warning
from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.answers.rows import Row
from selfrag.evaluation.answers.study import AnswerStudy
from selfrag.evaluation.significance import Mean
from selfrag.evaluation.study_text import LETTERS, Table, as_page, better_than, plain, tests

_SHOWN_FAILURES = 20
_SHOWN_SPENT = ("seconds", "calls", "retries", "tokens", "cost_usd")


def tables(study: AnswerStudy) -> list[Table]:
    """Every table: quality, what was spent, abstaining, tests, undefined values, failures.

    Where systems differ significantly, each has a letter in the first one; those behind a value
    are the systems over which it is better (randomisation test, Holm-corrected within the measure,
    5 %). Its last column counts values that are undefined, over the measures beside it.
    """
    made = [_quality(study), _intervals(study), _spending(study), _ends(study), _cells(study)]
    made += [
        tests(study.pairs[measure], MEASURES[measure].label, lambda name: name)
        for measure in (*quality(study), "seconds")
    ]
    made += [_undefined(study), _failures(study)]
    return [table for table in made if table[2]]


def _quality(study: AnswerStudy) -> Table:
    letters = {name: chr(ord("a") + place) for place, name in enumerate(study.figures)}
    rows = []
    for name, each in study.figures.items():
        cells = []
        for measure in quality(study):
            over = better_than(study.pairs[measure], letters)[name]
            cells.append(_number(each.means[measure], measure) + (f" {over}" if over else ""))
        missing = sum(each.undefined[measure] for measure in quality(study))
        first = f"{letters[name]}  {name}" if lettered(study) else name
        rows.append([first, *cells, str(missing)])
    heads = ["strategy", *(MEASURES[each].label for each in quality(study)), "undefined"]
    return study.name, heads, rows


def lettered(study: AnswerStudy) -> bool:
    """Whether letters say which systems are better than which: only where some are."""
    return any(pair.significant for measure in quality(study) for pair in study.pairs[measure])


def _intervals(study: AnswerStudy) -> Table:
    rows = [
        [name, *(_interval(each.means[measure], measure) for measure in quality(study))]
        for name, each in study.figures.items()
    ]
    heads = ["strategy", *(MEASURES[each].label for each in quality(study))]
    return "95 % intervals, over questions", heads, rows


def _spending(study: AnswerStudy) -> Table:
    rows = [
        [
            name,
            *(_number(each.means[measure], measure) for measure in _SHOWN_SPENT),
            "undefined" if each.median is None else f"{each.median:.3f}",
            "undefined" if each.p95 is None else f"{each.p95:.3f}",
        ]
        for name, each in study.figures.items()
    ]
    labels = [MEASURES[measure].label for measure in _SHOWN_SPENT]
    return "What an answer takes, the mean", ["strategy", *labels, "median s", "p95 s"], rows


def _ends(study: AnswerStudy) -> Table:
    kinds = ("answers", "answered", "unsupported", "abstained", "stopped", "failed")
    rows = [
        [name, *(str(getattr(each, kind)) for kind in kinds)]
        for name, each in study.figures.items()
    ]
    return "How runs ended", ["strategy", *kinds], rows


def _cells(study: AnswerStudy) -> Table:
    heads = [
        "strategy",
        *("evidence, answered", "evidence, abstained", "none, answered", "none, abstained"),
        *("not known", "precision", "recall", "over cautious", "over confident"),
    ]
    rows = []
    for name, each in study.abstention.items():
        shares = (each.precision, each.recall, each.over_cautious, each.over_confident)
        counts = (each.right, each.cautious, each.confident, each.declined, each.unknown)
        shown = ["undefined" if share is None else f"{share:.3f}" for share in shares]
        rows.append([name, *map(str, counts), *shown])
    return "Abstaining, crossed with whether evidence was retrieved", heads, rows


def _undefined(study: AnswerStudy) -> Table:
    rows = [
        [name, MEASURES[measure].label, str(number), reason]
        for name, each in study.figures.items()
        for measure, reasons in each.why.items()
        for reason, number in reasons.items()
    ]
    return "Undefined values, and why", ["strategy", "measure", "answers", "because"], rows


def _failures(study: AnswerStudy) -> Table:
    rows = [
        [each.question, each.system, str(each.round), _what(each.what), each.reason]
        for each in study.failures[:_SHOWN_FAILURES]
    ]
    more = len(study.failures) - len(rows)
    title = "What could not be had" + (f" (the first; {more} more)" if more else "")
    return title, ["question", "strategy", "round", "what", "because"], rows


def _what(what: str) -> str:
    return MEASURES[what].label if what in MEASURES else what


def as_csv(study: AnswerStudy) -> str:
    """The summary: a row for each strategy and measure."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ["set", "strategy", "measure", "mean", "low", "high", "questions", "undefined"]
    writer.writerow([*heads, *(f"round_{number}" for number in range(1, study.rounds + 1))])
    for name, each in study.figures.items():
        for measure in study.measures:
            mean = each.means[measure]
            values = [mean.mean, mean.low, mean.high]
            writer.writerow(
                [
                    *(plain(study.name), name, measure),
                    *map(_cell, values),
                    *(mean.count, each.undefined[measure]),
                    *map(_cell, each.by_round[measure]),
                ]
            )
    return out.getvalue()


def round_csv(study: AnswerStudy, number: int) -> str:
    """Every answer of one round, with its passages and all that was measured."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [
            *("question_id", "question", "ground_truth", "answerable", "label", "strategy"),
            *("round", "status", "answer", "reason", "verdict", "abstained"),
            *("evidence_retrieved", "contexts", *study.measures),
            *("tokens_estimated", "undefined_because"),
        ]
    )
    for row in study.rows:
        if row.round == number:
            writer.writerow(_csv_row(row, study.measures))
    return out.getvalue()


def _csv_row(row: Row, measures: Sequence[str]) -> list[str | float]:
    contexts = [
        {"document": document, "page": page, "text": text} for document, page, text in row.contexts
    ]
    return [
        row.question_id,
        plain(row.question),
        plain(row.ground_truth),
        _known(row.answerable),
        row.label or "",
        row.system,
        row.round,
        row.status,
        plain(row.answer),
        plain(row.reason),
        row.verdict or "",
        _known(row.abstained),
        _known(row.evidence),
        json.dumps(contexts, ensure_ascii=False),
        *(_cell(row.measures.get(measure)) for measure in measures),
        _known(row.estimated),
        "; ".join(f"{name}: {why}" for name, why in row.reasons.items()),
    ]


def notes(study: AnswerStudy) -> list[str]:
    """What has to be known to read the tables."""
    warned = shown_with_a_warning(study)
    letters = [LETTERS] if lettered(study) else []
    return [*([warned] if warned else []), *letters, *study.notes]


def as_html(study: AnswerStudy, made_of: Sequence[tuple[str, str]] = ()) -> str:
    """One page, without scripts and without anything to fetch."""
    return as_page(study.name, sentences(study), tables(study), notes(study), made_of)


def as_text(study: AnswerStudy) -> str:
    """Sentences and tables in plain letters."""
    parts = ["\n".join(sentences(study))]
    for title, heads, rows in tables(study):
        widths = [max(len(line[at]) for line in (heads, *rows)) for at in range(len(heads))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in (heads, *rows)
        ]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join([*parts, "\n".join(notes(study))]).strip() + "\n"


def _number(mean: Mean, measure: str) -> str:
    return "undefined" if mean.mean is None else f"{mean.mean:.{MEASURES[measure].decimals}f}"


def _interval(mean: Mean, measure: str) -> str:
    if mean.low is None:
        return "undefined"
    digits = MEASURES[measure].decimals
    return f"{mean.low:.{digits}f} to {mean.high:.{digits}f}"


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _known(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"
