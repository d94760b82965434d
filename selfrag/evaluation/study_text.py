"""A study as files: the table one would publish, CSV, and a page of HTML."""

import csv
import html
import io
from collections.abc import Callable, Mapping, Sequence

from selfrag.evaluation.significance import Pair
from selfrag.evaluation.study import Study
from selfrag.evaluation.verdict import label, name_of_mean, probability, verdict

LETTERS = (
    "A letter behind a value names a row of its table: the value is significantly better than that "
    "row's (randomisation test, Holm-corrected, 5 %)."
)
Table = tuple[str, list[str], list[list[str]]]  #: title, heads, rows


def tables(study: Study) -> list[Table]:
    """Every table of a study: means, tests, intervals and times, strata, sensitivity.

    In the first one each mode has a letter; those behind a value are the modes over which it is
    significantly better (randomisation test, Holm-corrected, 5 %).
    """
    made = [_means(study), tests(study.pairs, name_of_mean(study.measure), label), _spread(study)]
    if study.strata:
        heads = ["label", "questions", *map(label, study.figures)]
        rows = [
            [name, str(next(iter(row.values())).count), *(_number(row[v].mean) for v in row)]
            for name, row in study.strata.items()
        ]
        made.append((f"{name_of_mean(study.measure)} by label", heads, rows))
    for name, values in study.sensitivity.items():
        title = {"rrf_k": "RRF k", "dense_weight": "dense weight (convex)"}.get(name, name)
        rows = [[value, _number(mean)] for value, mean in values.items()]
        made.append((f"Hybrid by {title}", [title, name_of_mean(study.measure)], rows))
    left_out = [[each.id, each.question or "(no text)", each.why] for each in study.left_out]
    made.append(
        ("Left out, as no measure is defined", ["question id", "question", "has"], left_out)
    )
    return [table for table in made if table[2]]


def notes(study: Study) -> list[str]:
    """What a reader of the tables must know."""
    letters = [LETTERS] if any(pair.significant for pair in study.pairs) else []
    return [*letters, *study.notes]


def _means(study: Study) -> Table:
    letters = {name: chr(ord("a") + place) for place, name in enumerate(study.figures)}
    better = better_than(study.pairs, letters)
    measures = study.measures
    rows = []
    for name, each in study.figures.items():
        first = each.means[study.measure]
        over = f" {better[name]}" if better[name] else ""
        rows.append(
            [
                f"{letters[name]}  {label(name)}",
                f"{_number(first.mean)}{over}",
                *(_number(each.means[measure].mean) for measure in measures[1:]),
            ]
        )
    return study.name, ["mode", *map(name_of_mean, measures)], rows


def better_than(pairs: Sequence[Pair], letters: Mapping[str, str]) -> dict[str, str]:
    """System -> the letters of those over which it is significantly better, in order."""
    better: dict[str, list[str]] = {name: [] for name in letters}
    for pair in pairs:
        if pair.significant:
            wins = pair.difference.mean > 0
            better[pair.a if wins else pair.b].append(letters[pair.b if wins else pair.a])
    return {name: "".join(sorted(found)) for name, found in better.items()}


def _spread(study: Study) -> Table:
    rows = []
    for name, each in study.figures.items():
        mean = each.means[study.measure]
        rows.append(
            [
                label(name),
                "" if mean.low is None else f"{mean.low:.3f} to {mean.high:.3f}",
                "" if each.median is None else f"{each.median * 1000:.1f}",
                "" if each.p95 is None else f"{each.p95 * 1000:.1f}",
                ", ".join(each.skipped),
            ]
        )
    heads = ["mode", f"{name_of_mean(study.measure)}, 95 %", "median ms", "p95 ms"]
    if any(each.skipped for each in study.figures.values()):
        heads.append("stages that could not run")
    else:
        rows = [row[:-1] for row in rows]
    return "Interval, and how long a search takes", heads, rows


def tests(pairs: Sequence[Pair], measure: str, named: Callable[[str], str]) -> Table:
    """Every two systems, with difference, interval and both tests.

    Args:
        named: a system's name for people.
    """
    heads = ["", "difference", "95 % interval", "p rand.", "p t-test", "win/tie/loss"]
    rows = []
    for pair in pairs:
        each = pair.difference
        interval = "" if each.low is None else f"{each.low:+.3f} to {each.high:+.3f}"
        rows.append(
            [
                f"{named(pair.a)} – {named(pair.b)}",
                f"{each.mean:+.4f}",
                interval,
                _p(pair.p_randomisation),
                _p(pair.p_t),
                f"{each.wins}/{each.ties}/{each.losses}",
            ]
        )
    title = f"Tests on {measure}: randomisation and paired t, two-sided, Holm-corrected"
    return title, heads, rows


def as_csv(study: Study) -> str:
    """A row for each mode and question, every measure a column: what others compute with."""
    measures = study.measures
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["set", "mode", "question_id", "question", *measures])
    for name, each in study.figures.items():
        for query, text in study.questions.items():
            values = [f"{each.values[measure][query]:.6f}" for measure in measures]
            writer.writerow([study.name, name, query, plain(text), *values])
    return out.getvalue()


def as_html(study: Study, made_of: Sequence[tuple[str, str]] = ()) -> str:
    """One page, without scripts and without anything to fetch."""
    return as_page(study.name, verdict(study), tables(study), notes(study), made_of)


def as_page(
    name: str,
    sentences: Sequence[str],
    tables: Sequence[Table],
    notes: Sequence[str],
    made_of: Sequence[tuple[str, str]] = (),
) -> str:
    """Sentences and tables as one page of HTML."""
    parts = [f"<h1>{html.escape(name)}</h1>"]
    parts += [f"<p>{html.escape(sentence)}</p>" for sentence in sentences]
    for title, heads, rows in tables:
        head = "".join(f"<th>{html.escape(each)}</th>" for each in heads)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        parts.append(
            f"<h2>{html.escape(title)}</h2><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )
    parts += [f"<p>{html.escape(note)}</p>" for note in notes]
    if made_of:
        items = "".join(
            f"<li>{html.escape(name)}: {html.escape(value)}</li>" for name, value in made_of
        )
        parts.append(f"<h2>Made of</h2><ul>{items}</ul>")
    return _PAGE.format(title=html.escape(name), body="\n".join(parts))


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; }}
body {{ margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }}
table {{ border-collapse: collapse; display: block; overflow-x: auto; }}
th, td {{ border-bottom: 1px solid #ced4da; padding: .3rem .7rem; text-align: right; }}
th:first-child, td:first-child {{ text-align: left; }}
</style></head><body>
{body}
</body></html>
"""


def plain(text: str) -> str:
    """A question that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" else text


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _p(value: float | None) -> str:
    return "no test" if value is None else probability(value).removeprefix("= ")
