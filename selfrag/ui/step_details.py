"""What a step of the timeline opens to: why, from what, and every number it left in the log."""

import streamlit as st

from selfrag.reflection import events
from selfrag.reflection.explain import PURPOSE, meaning
from selfrag.reflection.folding import RunView, Step
from selfrag.reflection.grades import Support
from selfrag.reflection.story import Tone, side_of, spent
from selfrag.ui.colours import badge
from selfrag.ui.funnel import draw_funnel
from selfrag.ui.literal import literal
from selfrag.ui.quoted import shortened
from selfrag.wording import duration

#: grade -> its tone and its word
RELEVANT: dict[bool | None, tuple[Tone, str]] = {
    True: ("good", "relevant"),
    False: ("bad", "not relevant"),
    None: ("fair", "could not be graded"),
}
CLAIMS: dict[Support, tuple[Tone, str]] = {
    Support.FULLY: ("good", "backed"),
    Support.PARTIALLY: ("fair", "partly backed"),
    Support.NOT: ("bad", "not backed"),
    Support.UNKNOWN: ("fair", "could not be checked"),
    Support.NOT_APPLICABLE: ("fair", "nothing to check it against"),
}
_SNIPPET = 260  #: characters of a passage beside its grade


def draw_explained(step: Step, view: RunView) -> None:
    """Draw what a step is for and what came of it, for someone who has never heard of it."""
    means = ""
    if step.event is not None:
        writes = bool(view.started and view.started.language_model)
        means = meaning(step.event, language_model=writes)
    st.markdown(f":small[{PURPOSE[step.node]} {means}]")


def draw_details(step: Step, view: RunView) -> None:
    """Draw all that is known of a step, inside its expander."""
    draw_explained(step, view)
    event = step.event
    if event is None:
        return
    if thought := getattr(event, "thought", ""):
        st.markdown(f"**Why:** {literal(thought)}")
    if event.error:
        st.warning(literal(event.error), icon=":material/error:")
    match event:
        case events.Retrieved():
            draw_funnel(event, view.grades)
        case events.RelevanceGraded():
            _grades(event, view)
        case events.QueryRewritten():
            _queries(event)
        case events.Generated():
            _writing(event)
        case events.SupportGraded():
            _claims(event, view)
        case events.UsefulnessGraded():
            _usefulness(event)
        case events.ClaimVerdict():
            _evidence(event)
    spending = spent(event.usage) if event.usage else "no language model asked"
    st.caption(literal(f"{duration(event.seconds)}, {spending}"))


def _grades(event: events.RelevanceGraded, view: RunView) -> None:
    texts = {hit.chunk_id: hit.text for search in view.searches for hit in search.hits}
    for grade in event.grades:
        tone, words = RELEVANT[grade.relevant]
        earlier = ", graded before" if grade.earlier else ""
        with st.container(border=True, gap="small"):
            where = f"**{literal(grade.document, 60)}**, page {grade.page}"
            st.markdown(f"{badge(tone, words)} {where}{earlier}")
            if grade.probability is not None:
                text = f":small[{grade.probability:.0%} likely to be relevant]"
                st.progress(min(max(grade.probability, 0.0), 1.0), text=text)
            if grade.thought:
                st.markdown(literal(grade.thought))
            if grade.error:
                st.markdown(literal(grade.error))
            st.caption(literal(shortened(texts.get(grade.chunk_id, ""), _SNIPPET)))


def _queries(event: events.QueryRewritten) -> None:
    st.markdown("Searched for so far:")
    st.markdown("\n".join(f"- “{literal(query)}”" for query in event.tried))
    if event.query:
        st.markdown(f"Next: **“{literal(event.query)}”**")


def _writing(event: events.Generated) -> None:
    if event.mended:
        st.markdown("Told that these claims were not backed:")
        st.markdown("\n".join(f"- {literal(claim)}" for claim in event.mended))
    if not event.context:
        st.markdown("Written without documents.")
    for passage in event.context:
        title = f"Passage {passage.number}: {literal(passage.document, 60)}, page {passage.page}"
        with st.expander(f"{title} :small[:gray[relevance {passage.relevance:.2f}]]"):
            st.text(passage.text)
    if event.prompt:
        with st.expander("Every word that the model was sent"):
            st.text(event.prompt)
    with st.expander("The text as it was written"):
        st.text(event.answer)


def _claims(event: events.SupportGraded, view: RunView) -> None:
    written = view.generated.get(event.attempt)
    sources = {passage.number: passage for passage in written.context} if written else {}
    for claim in event.claims:
        tone, words = CLAIMS[claim.support]
        with st.container(border=True, gap="small"):
            st.markdown(f"{badge(tone, words)} {literal(claim.text)}")
            source = sources.get(claim.document or 0)
            where = f"{literal(source.document, 60)}, page {source.page}" if source else ""
            if claim.quote:
                st.caption(f"“{literal(claim.quote)}” — {where}")
            elif where:
                st.caption(where)
    if event.probability is not None:
        st.caption(f"{event.probability:.0%} sure of this label")


def _usefulness(event: events.UsefulnessGraded) -> None:
    if event.score is not None:
        asked = "statement" if event.claim else "question"
        st.markdown(f"**{event.score} of 5**, where 1 misses the {asked} and 5 is complete")
    if event.missing:
        st.markdown(f"Missing: {literal(event.missing)}")


def _evidence(event: events.ClaimVerdict) -> None:
    for item in event.evidence:
        tone, words = side_of(item)
        where = f"{literal(item.document, 60)}, page {item.page}"
        with st.container(border=True, gap="small"):
            st.markdown(f"{badge(tone, words)} “{literal(item.quote)}”")
            st.caption(where)
    if event.probability is not None:
        st.caption(f"{event.probability:.0%} sure of this verdict")
