"""The head and the foot of an answer: the verdict in words, and the numbers in one quiet line."""

import streamlit as st

from selfrag.reflection.events import RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.grades import Support
from selfrag.reflection.story import counted, notice, price, verdict
from selfrag.ui.colours import TONES
from selfrag.ui.literal import literal
from selfrag.wording import capitalised, count, duration

_ICONS = {"good": ":material/verified:", "fair": ":material/error:", "bad": ":material/cancel:"}
_TITLE_ICONS = {
    "abstained": ":material/search_off:",
    "stopped": ":material/stop_circle:",
}
#: how an answer ended -> what the person can do about it
NEXT = {
    "abstained": "Ask in other words, search in more documents, or add one that covers it.",
    "unsupported": "Treat it as a guess: check it elsewhere, or ask more narrowly.",
    "stopped": "What was written by then has not been checked.",
}
_MORE_RETRIES = "Treat it as a guess: check it elsewhere, ask more narrowly, or allow more retries."
_PARTLY = "What is marked as partly or not backed goes further than your documents: check it there."
_SEE = "It stands in your documents: see whether it is what you asked for."
_NARROW = "What it says stands in your documents. Ask for what is missing."


def draw_working(elapsed: float) -> None:
    """The head of a run under way; the timeline says what it is doing."""
    st.markdown(
        f"##### :primary[:material/pending: Working on it] :small[:gray[{duration(elapsed)}]]",
        anchors=False,
        width="content",
    )


def answers_nothing(view: RunView) -> bool:
    """Whether it is only told what can be asked: no documents needed, and no model to talk."""
    end, started = view.finished, view.started
    return (
        end is not None
        and end.status == "answered"
        and end.support is Support.NOT_APPLICABLE
        and end.verdict is None
        and started is not None
        and not started.language_model
    )


def draw_verdict(view: RunView) -> None:
    """The head of a finished run: title, and in a line under it why and what to do."""
    end = view.finished
    assert end is not None
    if answers_nothing(view):
        # No verdict: there is no answer that it could be on.
        title = ":gray[:material/chat_info: Only questions about your documents]"
        st.markdown(f"##### {title}", anchors=False)
        return
    said = verdict(end)
    colour, _ = TONES[said.tone]
    icon = _TITLE_ICONS.get(end.status, _ICONS[said.tone])
    if end.unclear:
        icon = ":material/help:"
    st.markdown(f"##### :{colour}[{icon} {said.title}]", anchors=False)
    if end.status == "failed":
        st.error(literal(said.remark or said.title))
        return
    remark = remark_of(view)
    if remark:
        st.markdown(literal(remark))


def remark_of(view: RunView) -> str:
    """The line under the title of a finished run: why it ended so, and what to do."""
    end = view.finished
    assert end is not None
    return " ".join(part for part in (verdict(end).remark, _next(view, end)) if part)


def _next(view: RunView, end: RunFinished) -> str:
    if end.unclear:
        return ""  # the remark says it
    if end.status == "unsupported" and view.could_retry:
        return _MORE_RETRIES
    if end.status == "answered" and end.verdict is None:
        if end.support is Support.PARTIALLY:
            return _PARTLY
        if end.support is Support.FULLY and end.useful is False:
            return _NARROW
        return _SEE if end.support is Support.FULLY and end.useful and end.reason else ""
    if end.status == "stopped" and (not end.answer or end.attempt is not None):
        return ""  # nothing was written, or it was checked
    return NEXT.get(end.status, "")


def draw_no_model(view: RunView) -> None:
    """Say where an answer was not written by a language model."""
    if answers_nothing(view):  # which says so itself
        return
    said = notice([view.started]) if view.started else None
    if said:
        st.caption(f":material/format_quote: {capitalised(said)}")


def foot_line(view: RunView) -> str:
    """``3 claims, all backed · useful 5/5 · 6 calls, 2,310 tokens · 1.2 s``."""
    end = view.finished
    if end is None:
        return ""
    graded = view.usefulness.get(end.attempt or 0)
    score = ""
    if graded and graded.score is not None:
        score = f"{'to the point' if graded.claim else 'useful'} {graded.score}/5"
    retries = {0: "", 1: "1 retry"}.get(end.retries, f"{end.retries} retries")
    removed = end.removed_citations
    dropped = f"{counted(removed, 'citation')} to nothing removed" if removed else ""
    parts = [_claims(end), dropped, score, retries, _usage(end), duration(end.elapsed_s)]
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts if part)


def _claims(end: RunFinished) -> str:
    if end.status == "abstained" or not end.claims:
        return ""
    said = [
        (Support.FULLY, "backed"),
        (Support.PARTIALLY, "partly"),
        (Support.NOT, "not"),
        (Support.UNKNOWN, "not checked"),
    ]
    total = len(end.claims)
    counts = [(sum(claim.support is kind for claim in end.claims), word) for kind, word in said]
    there = [(number, word) for number, word in counts if number]
    if len(there) == 1:
        only = {"partly": "partly backed", "not": "not backed"}.get(there[0][1], there[0][1])
        every = {"not backed": "none backed"}.get(only, f"all {only}") if total > 1 else only
        return f"{counted(total, 'claim')}, {every}"
    return f"{counted(total, 'claim')}: {', '.join(f'{number} {word}' for number, word in there)}"


def _usage(end: RunFinished) -> str:
    usage = end.usage
    if usage is None or not usage.llm_calls:
        return ""
    about = "about " if usage.estimated else ""
    tokens = usage.input_tokens + usage.output_tokens
    said = f"{counted(usage.llm_calls, 'call')}, {about}{count(tokens, 'token')}"
    if not usage.cost_usd:  # not known, or nothing was charged
        return said
    mark = " (estimated)" if usage.estimated else ""
    return f"{said}, {about}{price(usage.cost_usd)}{mark}".replace("$", r"\$")
