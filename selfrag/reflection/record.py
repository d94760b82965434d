"""Hits, grades and usage as the events of a run hold them."""

from collections.abc import Sequence
from dataclasses import asdict

from selfrag.models.usage import Usage
from selfrag.reflection import events
from selfrag.reflection.grades import RelevanceGrade, VerdictGrade
from selfrag.reflection.roles import Passage
from selfrag.retrieval.result import Hit, Retrieval


def evidence_of(grade: VerdictGrade, passages: Sequence[Passage]) -> list[events.EvidenceSentence]:
    """The sentences for and against, with where they stand."""
    hits = {passage.number: passage.hit for passage in passages}
    return [
        events.EvidenceSentence(
            chunk_id=hits[item.document].chunk_id,
            document_id=hits[item.document].document_id,
            document=hits[item.document].document,
            page=hits[item.document].page,
            quote=item.quote,
            against=item.against,
        )
        for item in grade.evidence
    ]


def passage_grade(hit: Hit, grade: RelevanceGrade, earlier: bool) -> events.PassageGrade:
    """A grade with the passage that it is of."""
    return events.PassageGrade(
        chunk_id=hit.chunk_id,
        document=hit.document,
        page=hit.page,
        earlier=earlier,
        **asdict(grade),
    )


def retrieved(retrieval: Retrieval, new: int) -> events.Retrieved:
    """A search as its event; ``new`` passages were not found by an earlier one."""
    widest = next(
        (retrieval.lists[name] for name in ("fusion", "dense", "bm25") if name in retrieval.lists),
        (),
    )
    return events.Retrieved(
        query=retrieval.query,
        mode=retrieval.mode.value,
        hits=[
            events.FoundPassage(
                rank=hit.rank,
                chunk_id=hit.chunk_id,
                parent_id=hit.parent_id,
                document_id=hit.document_id,
                document=hit.document,
                page=hit.page,
                text=hit.text,
                heading=hit.heading,
                scores={name: asdict(score) for name, score in hit.scores.items()},
            )
            for hit in retrieval.hits
        ],
        stages=[asdict(stage) for stage in retrieval.stages],
        new=new,
        candidates=len(widest),
        documents=len({hit.document_id for hit in retrieval.hits}),
    )


def difference(after: Usage, before: Usage) -> events.StepUsage | None:
    """What was used between two moments; None where no model was asked."""
    if after.llm_calls == before.llm_calls:
        return None
    return step_usage(after - before)


def step_usage(used: Usage) -> events.StepUsage:
    """Usage as the log keeps it."""
    return events.StepUsage(
        llm_calls=used.llm_calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        estimated=used.estimated,
        cost_usd=used.cost_usd,
    )


def retries_made(log: Sequence[events.Event]) -> int:
    """How often a run wrote or searched again.

    A retry of searching for which no other query was found is none: nothing was searched.
    """
    return sum(
        isinstance(event, events.RetryCounted)
        or (isinstance(event, events.QueryRewritten) and event.query is not None)
        for event in log
    )
