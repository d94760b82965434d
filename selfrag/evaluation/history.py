"""Results kept and compared over time: which there are, what changed between them.

Only results of one kind and set can be compared. One that is there already, with the same
signature and of the same modes or strategies, is not kept a second time.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from selfrag.errors import UserError
from selfrag.evaluation.changes import changed
from selfrag.evaluation.study import Study
from selfrag.models.tracing import OFF, Tracing
from selfrag.records.results import ResultRecord, Results

RETRIEVAL, ANSWERS = "retrieval", "answers"
GONE = "This result is no longer kept: choose another in the history."


class History:
    """The results of one application; each person sees their own."""

    def __init__(self, records: Results, tracing: Tracing = OFF) -> None:
        self._records = records
        self._tracing = tracing

    def keep(
        self, record: ResultRecord, payload: Mapping[str, Any], owner: str | None = None
    ) -> ResultRecord:
        """Keep a result with all its values.

        Returns:
            the record, with its trace where evaluations are traced; or the one that is kept
            already where nothing is different.
        """
        for there in reversed(self.of(record, owner)):
            if (there.signature, there.asked) == (record.signature, record.asked):
                return there
        record = replace(record, trace_url=self._trace(record))
        self._records.add(record, payload, owner)
        return record

    def all(self, kind: str | None = None, owner: str | None = None) -> list[ResultRecord]:
        """The results, the oldest first, damaged ones too; of every kind where none is named."""
        return self._records.all(kind, owner)

    def get(self, result_id: str, owner: str | None = None) -> ResultRecord:
        """One result.

        Raises:
            UserError: it is not there (any more).
        """
        record = self._records.get(result_id, owner)
        if record is None:
            raise UserError(GONE)
        return record

    def payload(self, result_id: str, owner: str | None = None) -> dict[str, Any]:
        """All values of one result.

        Raises:
            UserError: it is not there (any more), or damaged.
        """
        payload = self._records.payload(result_id, owner)
        if payload is None:
            raise UserError(GONE)
        return payload

    def delete(self, result_id: str, owner: str | None = None) -> None:
        """Delete a result; what was searched for it is kept.

        Raises:
            UserError: it is not there (any more).
        """
        if not self._records.delete(result_id, owner):
            raise UserError(GONE)

    def _trace(self, record: ResultRecord) -> str | None:
        return self._tracing.record(
            f"evaluation of {record.kind}",
            {"set": record.name, "asked": record.asked, "made of": record.made_of},
            {"means": record.means, "questions": record.questions, "undefined": record.undefined},
            record.seconds or 0.0,
        )

    def of(self, record: ResultRecord, owner: str | None = None) -> list[ResultRecord]:
        """All results of the same kind and set that can be read, the oldest first."""
        there = self.all(record.kind, owner)
        return [each for each in there if each.name == record.name and not each.damaged]

    def changes(self, record: ResultRecord, owner: str | None = None) -> tuple[str, ...]:
        """What is different from the result before it; nothing where it is the first."""
        before = [each for each in self.of(record, owner) if each.ended_at < record.ended_at]
        return tuple(changed(before[-1].made_of, record.made_of)) if before else ()


def record_of(
    study: Study,
    made_of: Mapping[str, str],
    signature: str,
    asked: str,
    *,
    seconds: float | None = None,
) -> ResultRecord:
    """A study of retrieval as the history keeps it.

    Args:
        asked: what tells two studies of one signature apart.
        seconds: how long it took.
    """
    return ResultRecord(
        kind=RETRIEVAL,
        name=study.name,
        signature=signature,
        asked=asked,
        seconds=seconds,
        questions=len(study.questions),
        undefined=len(study.left_out),
        made_of=dict(made_of),
        means={
            variant: {measure: asdict(mean) for measure, mean in each.means.items()}
            for variant, each in study.figures.items()
        },
    )
