"""The steps of a run as HTML: what happened, what it means, and every number behind it."""

from collections.abc import Sequence

from selfrag.reflection import events
from selfrag.reflection.explain import PURPOSE, meaning, tone
from selfrag.reflection.folding import RunView, Step
from selfrag.reflection.grades import Support
from selfrag.reflection.story import DOING, spent, tell
from selfrag.sharing.page import isolated, sign, text
from selfrag.wording import duration

_SUPPORT = {
    Support.FULLY: "backed",
    Support.PARTIALLY: "partly backed",
    Support.NOT: "not backed",
    Support.UNKNOWN: "could not be checked",
    Support.NOT_APPLICABLE: "nothing to check it against",
}
_RELEVANT = {True: "relevant", False: "not relevant", None: "could not be graded"}


def steps_html(view: RunView) -> str:
    """All steps in order, each retry told where it begins."""
    items = []
    for stretch in view.stretches:
        if stretch.because is not None:
            told = tell(stretch.because) or ""
            items.append(f'<li class="retry"><p class="told">{isolated(told)}</p></li>')
        items += [_step(step, view) for step in stretch.steps]
    return f'<ol class="steps">{"".join(items)}</ol>'


def _step(step: Step, view: RunView) -> str:
    event = step.event
    if event is None:
        return f"<li><p>{text(DOING[step.node])}: broken off</p></li>"
    language_model = bool(view.started and view.started.language_model)
    means = meaning(event, language_model=language_model)
    numbers = [duration(event.seconds), *([spent(event.usage)] if event.usage else [])]
    return (
        f'<li><p class="told">{sign(tone(event))}{isolated(tell(event) or "")}</p>'
        f"<p>{text(PURPOSE[step.node])} {text(means)}</p>"
        f'<p class="quiet">{text(", ".join(numbers))}</p>{_details(event, view)}</li>'
    )


def _details(event: events.Event, view: RunView) -> str:
    parts = []
    if thought := getattr(event, "thought", ""):
        parts.append(f"<p>Why: {isolated(thought)}</p>")
    if event.error:
        parts.append(f"<p>{isolated(event.error)}</p>")
    match event:
        case events.Retrieved():
            found = [
                f"{_place(hit.document, hit.page)}: {isolated(hit.text)}" for hit in event.hits
            ]
            parts.append(f"<p>Searched for: {isolated(event.query)}</p>{_listed(found)}")
        case events.RelevanceGraded():
            parts.append(_listed([_grade(grade) for grade in event.grades]))
        case events.QueryRewritten():
            tried = [isolated(query) for query in event.tried]
            parts.append(f"<p>Searched for so far:</p>{_listed(tried)}")
        case events.Generated():
            parts.append(_written(event))
        case events.SupportGraded():
            parts.append(_listed([_claim(claim) for claim in event.claims]))
        case events.ClaimVerdict():
            parts.append(_listed([_evidence(item) for item in event.evidence]))
        case events.UsefulnessGraded(missing=str(missing)) if missing:
            parts.append(f"<p>Missing: {isolated(missing)}</p>")
    inside = "".join(parts)
    return f"<details><summary>Details</summary>{inside}</details>" if inside else ""


def _grade(grade: events.PassageGrade) -> str:
    bar = ""
    if grade.probability is not None:
        share = min(max(grade.probability, 0.0), 1.0)
        bar = (
            f'<span class="bar" aria-hidden="true"><i style="width:{share:.0%}"></i></span>'
            f"{share:.0%} likely. "
        )
    why = f" {isolated(grade.thought or grade.error or '')}"
    where = _place(grade.document, grade.page)
    return f"{where}: <strong>{_RELEVANT[grade.relevant]}</strong>. {bar}{why}"


def _written(event: events.Generated) -> str:
    told = ""
    if event.mended:
        told = f"<p>Told to mend:</p>{_listed([isolated(item) for item in event.mended])}"
    passages = [
        f"{_place(passage.document, passage.page)}, relevance {passage.relevance:.2f}"
        f"<pre>{text(passage.text)}</pre>"
        for passage in event.context
    ]
    given = f"<p>Written from:</p>{_listed(passages)}" if passages else ""
    sent = (
        f"<details><summary>Every word that the model was sent</summary>"
        f"<pre>{text(event.prompt)}</pre></details>"
        if event.prompt
        else ""
    )
    return f"{told}{given}<p>As it was written:</p><pre>{text(event.answer)}</pre>{sent}"


def _claim(claim: events.ClaimGrade) -> str:
    quote = f" <q>{isolated(claim.quote)}</q>" if claim.quote else ""
    return f"{isolated(claim.text)}: <strong>{_SUPPORT[claim.support]}</strong>{quote}"


def _evidence(item: events.EvidenceSentence) -> str:
    side = "against" if item.against else "for"
    return (
        f"<strong>{side}</strong>: <q>{isolated(item.quote)}</q> {_place(item.document, item.page)}"
    )


def _place(document: str, page: int) -> str:
    return f"{isolated(document)}, page {page}"


def _listed(items: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else ""
