"""From what was asked to the plan of a run: the same for the pages, programs and evaluations."""

import threading
from collections.abc import Callable, Sequence

from selfrag.models.usage import Usage
from selfrag.reflection.casting import Casting
from selfrag.reflection.citing import Locate
from selfrag.reflection.options import RunOptions
from selfrag.reflection.roles import Turn
from selfrag.reflection.run import RunPlan
from selfrag.reflection.shortfall import shortfall
from selfrag.reflection.state import Stopped
from selfrag.reflection.statements import is_statement
from selfrag.retrieval.result import Retrieval


def make_plan(
    question: str,
    casting: Casting,
    options: RunOptions,
    *,
    search: Callable[[str], Retrieval],
    locate: Locate,
    mode: str,
    documents: tuple[str, ...] | None = None,
    searched: int | None = None,
    claim: bool | None = None,
    history: Sequence[Turn] = (),
) -> RunPlan:
    """Cast writer and judge, and put together what one run needs.

    Args:
        search: with the run's mode and chosen documents.
        documents: ids of those that are searched in; all where None.
        searched: how many those are.
        claim: whether it is a statement to be checked; told from its words where None.
        history: the conversation so far, oldest turn first.
    """
    cancel = threading.Event()

    def guard(used: Usage) -> None:
        if cancel.is_set():
            raise Stopped
        options.budget.check(used)

    cast = casting.cast(guard)
    shape = options.shape(
        follow_up=bool(history),
        claim=is_statement(question) if claim is None else claim,
        refines=cast.writer.is_language_model,
    )
    lacking = shortfall(casting.settings, options, follow_up=shape.follow_up)
    return RunPlan(
        writer=cast.writer,
        judge=cast.judge,
        search=search,
        locate=locate,
        usage=cast.ledger.total,
        mode=mode,
        max_retries=options.max_retries,
        keep=options.k,
        documents=documents,
        searched=searched,
        shape=shape,
        history=tuple(history),
        cancel=cancel,
        budget=options.budget,
        lacking=lacking,
        model_configured=casting.settings.llm_configured or cast.judge.is_language_model,
        release=casting.hold(),
        tracing=casting.tracing,
    )
