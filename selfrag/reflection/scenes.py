"""A run as a row of scenes to be stepped through: the question, each step, the answer, its proof.

Folded from the log like every view, so that a run under way has as many scenes as it has come to,
and one from the records has them all.
"""

from dataclasses import dataclass
from typing import Literal

from selfrag.reflection.account import how_answered
from selfrag.reflection.events import Event
from selfrag.reflection.explain import PURPOSE, meaning, tone
from selfrag.reflection.folding import RunView, Step
from selfrag.reflection.sources import Source, sources
from selfrag.reflection.story import Tone, tell, verdict

Kind = Literal["question", "step", "retry", "answer", "evidence"]
_SHOWN = 4  #: pieces of evidence that have a scene of their own


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing to look at.

    Attributes:
        title: what happened, in a sentence; the question, the verdict or the place.
        words: what it is for and what it means, for laymen.
        tone: of its verdict, where it has one.
        nodes: the way through the graph up to here.
        step: what it shows, of a step.
        source: what it shows, of a piece of evidence.
    """

    kind: Kind
    title: str
    words: tuple[str, ...] = ()
    tone: Tone | None = None
    nodes: tuple[str, ...] = ()
    step: Step | None = None
    source: Source | None = None


def scenes(view: RunView) -> list[Scene]:
    """What there is to see so far, in order; nothing where the run has not begun."""
    if view.started is None:
        return []
    found = [Scene("question", view.question, ("This is what was asked.",))]
    nodes: list[str] = []
    writes = view.started.language_model
    for stretch in view.stretches:
        if (retry := stretch.because) is not None:
            nodes.append(retry.step)
            found.append(Scene("retry", tell(retry) or "", _words(retry), "fair", tuple(nodes)))
        for step in stretch.steps:
            if step.event is None:
                continue
            nodes.append(step.node)
            words = _words(step.event, language_model=writes)
            title = tell(step.event) or ""
            found.append(Scene("step", title, words, tone(step.event), tuple(nodes), step))
    if view.finished is not None:
        said = verdict(view.finished)
        words = tuple(part for part in (said.remark, how_answered(view)) if part)
        found.append(Scene("answer", said.title, words, said.tone, tuple(nodes)))
        found += [_evidence(source, tuple(nodes)) for source in _cited(view)]
    return found


def _words(event: Event, *, language_model: bool = True) -> tuple[str, ...]:
    return PURPOSE[event.step], meaning(event, language_model=language_model)


def _cited(view: RunView) -> list[Source]:
    return sources(view)[:_SHOWN] if view.finished and view.finished.citations else []


def _evidence(source: Source, nodes: tuple[str, ...]) -> Scene:
    where = f"{source.document}, {source.page_name}"
    words = ("This is the page that the answer points to; what it quotes is marked.",)
    return Scene("evidence", where, words, nodes=nodes, source=source)
