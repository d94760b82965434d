"""Results of evaluations in words: when, what they say, what changed since the one before."""

from datetime import datetime
from typing import Any

from selfrag.evaluation.answers.measures import MEASURES
from selfrag.evaluation.background import Done
from selfrag.evaluation.history import RETRIEVAL
from selfrag.evaluation.verdict import label, name_of_mean
from selfrag.records.results import ResultRecord
from selfrag.service import SelfRag
from selfrag.ui.literal import literal
from selfrag.ui.person import owner, time_zone


def moment(seconds: float, *, year: bool = True) -> str:
    """Seconds since the epoch as ``30 Nov 2026, 15:02``, where the person is."""
    then = datetime.fromtimestamp(seconds, time_zone())
    return f"{then.day} {then:%b %Y, %H:%M}" if year else f"{then.day} {then:%b, %H:%M}"


def since_before(rag: SelfRag, record: ResultRecord | None) -> list[str]:
    """What changed since the result before this one, as a line of Markdown; or nothing."""
    changes = rag.history.changes(record, owner()) if record else ()
    if not changes:
        return []
    return [f":material/difference: Since the run before: {literal('; '.join(changes))}."]


def how_it_came(done: Done[Any], record: ResultRecord | None) -> list[str]:
    """What was there from before, as lines of Markdown; nothing where all of it is new.

    Args:
        record: under which the history keeps it, if it does.
    """
    said = []
    if done.again:
        said.append("All of it was there from an earlier run.")
    if done.kept_before and record is not None:
        said.append(
            f"The same result as on {moment(record.ended_at)}, so nothing was added to the history."
        )
    return [f":material/history: {' '.join(said)}"] if said else []


def series_name(record: ResultRecord, series: str) -> str:
    """A mode or a strategy as people read it."""
    return label(series) if record.kind == RETRIEVAL else series


def called(measure: str) -> str:
    """A measure as people read it."""
    return MEASURES[measure].label if measure in MEASURES else name_of_mean(measure)


def shown(value: float, measure: str) -> str:
    """A mean with as many decimals as the measure is shown with."""
    return f"{value:.{MEASURES[measure].decimals if measure in MEASURES else 3}f}"


def falls(measure: str) -> bool:
    """Whether less is better, as with seconds."""
    return measure in MEASURES and MEASURES[measure].higher is False


def is_share(measure: str) -> bool:
    """Whether it runs from 0 to 1; every measure of retrieval does."""
    return MEASURES[measure].share if measure in MEASURES else True


def best_first(record: ResultRecord, measure: str) -> list[tuple[str, float]]:
    """Series with their mean, the best first; those where it is undefined are left out."""
    found = [
        (series, mean)
        for series, measures in record.means.items()
        if (mean := measures.get(measure, {}).get("mean")) is not None
    ]
    return sorted(found, key=lambda item: item[1] if falls(measure) else -item[1])


def measures_of(records: list[ResultRecord]) -> list[str]:
    """Every measure that any of them has, in the order of the newest."""
    return list(
        dict.fromkeys(
            measure
            for record in reversed(records)
            for measures in record.means.values()
            for measure in measures
        )
    )
