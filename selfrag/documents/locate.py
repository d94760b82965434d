"""Finds a quotation in a page's text although quotes, dashes, case or spaces differ."""

import unicodedata

_SAME = {
    **dict.fromkeys("“”„‟«»″‶", '"'),
    **dict.fromkeys("‘’‚‛′‵`´", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
}


def locate(page_text: str, quote: str) -> tuple[int, int] | None:
    """The range of ``page_text`` that says ``quote``, or None.

    Equal means equal after white space, case, kinds of quotes and dashes and compatibility
    forms are made the same; if that finds nothing, white space is left out altogether. Never
    a near match: a highlight on the wrong words is worse than none.
    """
    for spaced in (True, False):
        wanted, _ = _plain(quote, spaced)
        wanted = wanted.strip()
        if not wanted:
            return None
        text, origin = _plain(page_text, spaced)
        at = text.find(wanted)
        if at >= 0:
            return origin[at], origin[at + len(wanted) - 1] + 1
    return None


def _plain(text: str, spaced: bool) -> tuple[str, list[int]]:
    """``text`` in its plain form, and for each of its characters the index it came from."""
    result: list[str] = []
    origin: list[int] = []
    for index, char in enumerate(text):
        if char.isspace():
            if spaced and result and result[-1] != " ":
                result.append(" ")
                origin.append(index)
            continue
        if char == "\u00ad" or unicodedata.category(char) == "Cf":
            continue
        for plain in _SAME.get(char) or unicodedata.normalize("NFKC", char).casefold():
            result.append(plain)
            origin.append(index)
    return "".join(result), origin
