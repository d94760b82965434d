"""Words from a document: quotes inside their passage, and a text cut to what fits."""

from collections.abc import Sequence

from selfrag.quotes import find_quote
from selfrag.ui.literal import literal

_AROUND = 600  #: characters shown on each side


def in_context(passage: str, quotes: Sequence[str]) -> str:
    """The passage as Markdown with the quotes in bold, cut to what stands near them."""
    found = sorted(place for quote in quotes if (place := find_quote(quote, passage)) is not None)
    if not found:
        return literal(shortened(passage, 2 * _AROUND))
    begin = max(found[0][0] - _AROUND, 0)
    end = min(max(last for _, last in found) + _AROUND, len(passage))
    parts = ["…" if begin else ""]
    position = begin
    for first, last in found:
        if last <= position:
            continue
        parts.append(literal(passage[position : max(first, position)]))
        parts.append(f"**{literal(passage[max(first, position) : last])}**")
        position = last
    parts += [literal(passage[position:end]), "…" if end < len(passage) else ""]
    return " ".join(part for part in parts if part)


def shortened(text: str, most: int) -> str:
    """The text on one line, its end left out between two words past ``most`` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    cut = text[:most]
    head, space, _ = cut.rpartition(" ")
    return f"{head if space and len(head) > most // 2 else cut}…"
