"""A run as one HTML file: opens from disk without a network, prints, light and dark.

It is folded from the event log like every other view. Only the page images come from elsewhere,
and stand in the file as data.
"""

import base64
import io
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PIL import Image

from selfrag.errors import UserError
from selfrag.palette import DARK, LIGHT
from selfrag.reflection.account import how_answered
from selfrag.reflection.events import Event, RunFinished
from selfrag.reflection.folding import RunView
from selfrag.reflection.pathway import shape_of
from selfrag.reflection.sources import Source, sources
from selfrag.reflection.story import notice, side_of, spent, verdict
from selfrag.sharing.answer import answer_html
from selfrag.sharing.drawing import path_svg
from selfrag.sharing.page import POLICY, isolated, sign, text, variables
from selfrag.sharing.steps import steps_html
from selfrag.wording import capitalised, count, duration

#: (document id, page, quotes) -> PNG of the page with the quotes highlighted
PageImage = Callable[[str, int, Sequence[str]], bytes]

_STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")
_LARGE = 500_000  #: bytes
_SOFT = ("#565C66", "#A9AFBC")  #: secondary text, light and dark


def html_report(events: Sequence[Event], page_image: PageImage) -> str:
    """The report of a run that has ended.

    Args:
        events: its log, complete or as it is kept.
        page_image: draws a page; one that cannot be drawn (its document was deleted) is left out
            and said to be.

    Raises:
        UserError: the run has not ended, or the log is not one of a run.
    """
    view = RunView.of(events)
    end = view.finished
    if view.started is None or end is None:
        raise UserError("This run has not ended yet: share it when it has.")
    title = text(view.question)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>{_theme()}{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"{_head(view, end)}{_answer(view, end)}{_evidence(view, page_image)}"
        f"<h2>Step by step</h2>{steps_html(view)}"
        f"<h2>The path through the graph</h2>{path_svg(view.nodes, True, shape_of(view))}"
        f"<h2>Models, settings and cost</h2>{_facts(view, end)}"
        "</main>\n</body>\n</html>\n"
    )


def _theme() -> str:
    light = f"{variables(LIGHT)}--soft:{_SOFT[0]};"
    dark = f"{variables(DARK)}--soft:{_SOFT[1]};"
    return f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"


def _head(view: RunView, end: RunFinished) -> str:
    said = verdict(end)
    remark = f"<span>{isolated(said.remark)}</span>" if said.remark else ""
    return (
        f'<p class="quiet">Self-RAG: an answer that can be checked{_asked_on(view)}</p>'
        f"<h1>{isolated(view.question)}</h1>"
        f'<p class="verdict {said.tone}"><strong>{sign(said.tone)}{text(said.title)}</strong>'
        f"{remark}</p>{_weighed(end)}"
    )


def _weighed(end: RunFinished) -> str:
    """The sentences that a verdict on a statement rests on."""
    lines = (
        f"<p>{sign(tone)}<strong>{side}:</strong> <q>{isolated(' '.join(item.quote.split()))}</q> "
        f"{isolated(item.document)}, page {item.page}</p>"
        for item in end.evidence
        for tone, side in [side_of(item)]
    )
    return "".join(lines)


def _asked_on(view: RunView) -> str:
    when = _when(view)
    return f", asked on {text(when)}" if when else ""


def _when(view: RunView) -> str:
    began = view.started.started_at if view.started else None
    if not began:
        return ""
    then = datetime.fromtimestamp(began, UTC)
    return f"{then.day} {then:%B %Y, %H:%M} UTC"


def _answer(view: RunView, end: RunFinished) -> str:
    quoted = bool(view.started and not view.started.language_model)
    body = answer_html(end, quoted=quoted) if end.answer else "<p>There is no answer.</p>"
    told = notice([view.started]) if view.started and end.status != "abstained" else None
    said = f'<p class="quiet">{capitalised(told)}.</p>' if told else ""
    return (
        f"<h2>Answer</h2>{body}{said}"
        f"<h2>How was this answered?</h2><p>{isolated(how_answered(view))}</p>"
    )


def _evidence(view: RunView, page_image: PageImage) -> str:
    found = sources(view)
    if not found:
        return ""
    cited = bool(view.finished and view.finished.citations)
    title = "Evidence" if cited else "The nearest passages"
    return f"<h2>{title}</h2>{''.join(_figure(source, page_image) for source in found)}"


def _figure(source: Source, page_image: PageImage) -> str:
    quotes = "".join(f"<q>{isolated(' '.join(quote.split()))}</q>" for quote in source.quotes)
    try:
        image = _as_data(page_image(source.document_id, source.page, source.quotes))
        alt = f"Page {source.page} of {source.document}, the quote highlighted"
        picture = f'<img src="{image}" alt="{text(alt)}">'
    except UserError as error:
        picture = f'<p class="quiet">The page can’t be shown. {isolated(error)}</p>'
    return (
        f'<figure id="source-{source.number}"><figcaption><strong>{source.number}. '
        f"{isolated(source.document)}, {isolated(source.page_name)}</strong>{quotes}</figcaption>"
        f"{picture}</figure>"
    )


def _as_data(png: bytes) -> str:
    """An image as a data URI; a scan, which PNG makes large, as JPEG."""
    kind = "png"
    if len(png) > _LARGE:
        smaller = io.BytesIO()
        Image.open(io.BytesIO(png)).convert("RGB").save(smaller, "JPEG", quality=85)
        png, kind = smaller.getvalue(), "jpeg"
    return f"data:image/{kind};base64,{base64.b64encode(png).decode('ascii')}"


def _facts(view: RunView, end: RunFinished) -> str:
    started = view.started
    assert started is not None
    chosen = started.documents
    rows = [
        ("Asked", _when(view)),
        ("Writer", started.writer),
        ("Judge", started.judge),
        ("Strategy", started.strategy),
        ("Search mode", started.mode),
        ("Documents searched", count(len(chosen), "chosen document") if chosen else "all"),
        ("Passages for the writer", str(started.keep) if started.keep else ""),
        ("Retries", f"{end.retries} made, {started.max_retries} of each kind allowed"),
        ("Budget", ", ".join(f"{value:g} {name}" for name, value in started.budget.items())),
        ("Language model", spent(end.usage) if end.usage else "not asked"),
        ("Time", duration(end.elapsed_s)),
        (
            "Citations to nothing, removed",
            str(end.removed_citations) if end.removed_citations else "",
        ),
        ("Run", started.run_id),
    ]
    body = "".join(
        f'<tr><th scope="row">{text(name)}</th><td>{isolated(value)}</td></tr>'
        for name, value in rows
        if value
    )
    return f'<table class="facts"><tbody>{body}</tbody></table>'
