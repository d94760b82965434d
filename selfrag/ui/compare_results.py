"""What a comparison found: the lists, the passage that was chosen, the charts.

A fragment: a click in the lists draws nothing above them anew, and searches nothing again.
"""

import hashlib
from collections.abc import Sequence

import streamlit as st

from selfrag.records.labels import Relevance
from selfrag.retrieval.comparison import ComparedPassage, Comparison
from selfrag.retrieval.variant import Variant
from selfrag.service import SelfRag
from selfrag.ui import compare_charts, compare_choice, compare_words, page_list
from selfrag.ui.colours import mode_colours, palette
from selfrag.ui.compare_labels import BLIND, draw_labels
from selfrag.ui.compare_lists import draw_lists
from selfrag.ui.compare_map import draw_map
from selfrag.ui.empty import draw_nothing_here
from selfrag.ui.funnel import remarks
from selfrag.ui.guarded import guarded
from selfrag.ui.links import to_quote
from selfrag.ui.literal import literal, verbatim
from selfrag.ui.person import owner
from selfrag.ui.tables import draw_table
from selfrag.wording import count

_KEPT, _CHOSEN, _LISTS = "compare-kept", "compare-chosen", "compare-lists"
_PLAIN = {"displayModeBar": False}


def nothing_to_search() -> None:
    """What an empty library says."""
    draw_nothing_here(
        "Here one question is searched in several modes at once, and you see which of them "
        "finds what. It needs documents to search."
    )


def nothing_asked(rag: SelfRag) -> None:
    """What there is to see, and questions to see it with."""
    st.markdown(
        "Ask a question: it is searched in every mode that you chose, and you see side by side "
        "what each finds, where a passage rises or falls, and what each stage takes."
    )
    found = [*rag.labels.questions(owner())][-3:] or (rag.suggestions.now() or [])[:3]
    if found:
        st.caption("For example")
    with st.container(gap=None):
        for number, question in enumerate(found):
            st.button(
                literal(question, 120),
                key=f"compare-example-{number}",
                icon=":material/arrow_forward:",
                type="tertiary",
                on_click=compare_choice.ask,
                args=(question,),
            )


def draw_results(rag: SelfRag, question: str, variants: Sequence[Variant], shown: int) -> None:
    """Search (once for the same choice), and draw everything that came of it.

    Raises:
        UserError: the question cannot be searched for.
    """
    at = (question, tuple(variants), shown, tuple(record.id for record in rag.ready()))
    kept = st.session_state.get(_KEPT)
    if kept is None or kept[0] != at:
        with st.spinner("Searching in every mode"):
            kept = (at, rag.compare(question, variants, shown))
        st.session_state[_KEPT] = kept
        st.session_state.pop(_CHOSEN, None)
    _results(rag, kept[1])


@st.fragment
def _results(rag: SelfRag, comparison: Comparison) -> None:
    if comparison.passages:
        _found(rag, comparison)
    else:
        _nothing_found(comparison)
    draw_labels(rag, [outcome.variant for outcome in comparison.outcomes])


def _found(rag: SelfRag, comparison: Comparison) -> None:
    labels = rag.labels.of(comparison.question, owner())
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        said = st.empty()
        blind = st.toggle(
            "Blind",
            key=BLIND,
            help="Hide which mode found what, so that nothing but the text decides your labels.",
            persist_state="session",
        )
    said.markdown(
        f"{count(len(comparison.passages), 'passage')} in an order that says nothing."
        if blind
        else literal(compare_words.overlap(comparison))
    )
    draw_lists(
        comparison,
        labels,
        modes=mode_colours(),
        blind=_shuffled(comparison) if blind else None,
        chosen=st.session_state.get(_CHOSEN),
        key=_LISTS,
        on_chosen=_choose,
        on_label=guarded(lambda: _label(rag, comparison)),
    )
    told = dict.fromkeys(
        remark
        for outcome in comparison.outcomes
        if outcome.retrieval
        for remark in remarks([_as_row(stage) for stage in outcome.retrieval.stages])
    )
    beside = compare_words.beside_hybrid([it.variant.mode for it in comparison.outcomes])
    if beside is not None:
        told[beside] = None
    if told and not blind:
        st.caption("  \n".join(f":material/info: {literal(remark)}" for remark in told))
    chosen = next(
        (p for p in comparison.passages if p.chunk_id == st.session_state.get(_CHOSEN)), None
    )
    if chosen is not None:
        _passage(comparison, chosen, blind=blind)
    if not blind:
        _charts(comparison, labels, chosen.chunk_id if chosen else None)
        draw_map(rag, comparison, chosen.chunk_id if chosen else None)


def _nothing_found(comparison: Comparison) -> None:
    errors = dict.fromkeys(outcome.error for outcome in comparison.outcomes if outcome.error)
    for error in errors:
        st.error(literal(error), icon=":material/error:")
    if not errors:
        st.info(
            "No mode found a passage. Ask in other words, or look on the Documents page whether "
            "the text was read.",
            icon=":material/search_off:",
        )


def _choose() -> None:
    st.session_state[_CHOSEN] = st.session_state[_LISTS].chosen or None


def _label(rag: SelfRag, comparison: Comparison) -> None:
    said = st.session_state[_LISTS].label
    passage = next((p for p in comparison.passages if p.chunk_id == said["id"]), None)
    if passage is None:
        return
    value = said["value"]
    relevance = None if value is None else Relevance(value)
    rag.labels.put(comparison.question, passage.hit, relevance, owner())


def _shuffled(comparison: Comparison) -> list[int]:
    """Numbers in an order that depends on nothing that a mode did, and stays the same."""

    def at(passage: ComparedPassage) -> str:
        text = f"{comparison.question}\n{passage.chunk_id}"
        return hashlib.sha256(text.encode()).hexdigest()

    return [passage.number for passage in sorted(comparison.passages, key=at)]


def _as_row(stage: object) -> dict[str, object]:
    return {name: getattr(stage, name) for name in ("name", "status", "reason", "note")}


def _passage(comparison: Comparison, passage: ComparedPassage, *, blind: bool) -> None:
    """All of a passage, and the rank that every stage of every mode gave it."""
    hit = passage.hit
    with st.container(border=True):
        number = "" if blind else f"**{passage.number}** · "
        st.markdown(f"{number}**{literal(hit.document, 60)}**, page {hit.page}")
        st.markdown(verbatim(hit.text))
        if not blind:
            draw_table(*_table(comparison, passage))
            st.caption("Rank at each stage, with that stage's own score; – where it did not come.")
        st.page_link(
            page_list.documents(),
            label="Open the document at this page",
            icon=":material/open_in_new:",
            query_params=to_quote(hit.document_id, hit.page, hit.text, None),
        )


def _table(comparison: Comparison, passage: ComparedPassage) -> tuple[list[str], list[list[str]]]:
    stages = [
        name
        for name in compare_words.STAGES
        if any(name in compare_words.stages_of(outcome) for outcome in comparison.outcomes)
    ]
    rows = []
    for index, outcome in enumerate(comparison.outcomes):
        scores = outcome.retrieval.scores.get(passage.chunk_id, {}) if outcome.retrieval else {}
        cells = [
            f"{scores[name].rank} :small[:gray[{scores[name].score:.3g}]]"
            if name in scores
            else "–"
            for name in stages
        ]
        final = passage.places[index]
        last = "–" if final is None else f"**{final}**"
        rows.append([literal(outcome.variant.label), *cells, last])
    return ["rank in", *(compare_words.NAMES[name] for name in stages), "list"], rows


def _charts(comparison: Comparison, labels: dict[str, Relevance], chosen: str | None) -> None:
    modes, colours = mode_colours(), palette()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Who found what**")
        st.plotly_chart(
            compare_charts.overlap(comparison, modes, colours),
            config=_PLAIN,
            key="compare-overlap",
            alt="Which mode found which passage, and at which rank",
        )
        st.caption("A dot says that the mode found the passage, the number in it at which rank.")
    with right:
        st.markdown("**What it takes**")
        st.plotly_chart(
            compare_charts.seconds(comparison, modes, colours),
            config=_PLAIN,
            key="compare-seconds",
            alt="Milliseconds of each stage in each mode",
        )
        st.caption(f"{literal(compare_words.seconds(comparison))}  \n{compare_words.TIMED}")
    index = _looked_into(comparison)
    outcome = comparison.outcomes[index]
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**From stage to stage**")
        st.plotly_chart(
            compare_charts.ranks(comparison, index, labels, chosen, colours),
            config=_PLAIN,
            key="compare-ranks",
            alt="The rank of each passage at each stage",
        )
        st.caption(literal(compare_words.moves(outcome, comparison.passages, index)))
    with right:
        st.markdown("**Scores at each stage**")
        st.plotly_chart(
            compare_charts.scores(comparison, index, chosen, modes, colours),
            config=_PLAIN,
            key="compare-scores",
            alt="The scores of the first passages at each stage",
        )
        st.caption(literal(compare_words.lead(outcome)))


def _looked_into(comparison: Comparison) -> int:
    """The mode whose stages are drawn: the one with most of them until another is chosen."""
    answering = list(comparison.answering)
    most = max(answering, key=lambda i: len(compare_words.stages_of(comparison.outcomes[i])))
    key = f"compare-into-{'-'.join(str(o.variant) for o in comparison.outcomes)}"
    return st.segmented_control(
        "Inside one mode",
        answering,
        default=most,
        required=True,
        key=key,
        format_func=lambda i: literal(comparison.outcomes[i].variant.label),
    )
