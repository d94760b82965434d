"""Is a quote really there? And where, in the text as it stands?

Both sides are normalised character by character, with a map back to the source: models change
white space, letter case, quotation marks and dashes when they copy, and nothing else is forgiven.
"""

import html
import re
import unicodedata

_SAME = {
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−﹣-", "-"),
    "…": "...",
}
_AROUND = " \t\n\"'“”‘’«»…"
_AFTER = ".,;:"


def _normalise(text: str) -> tuple[str, list[int]]:
    """Normalised text, and for each of its characters the position in ``text`` it came from."""
    characters: list[str] = []
    origins: list[int] = []
    for position, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                origins.append(position)
            continue
        if unicodedata.category(character) in ("Cf", "Cc"):
            continue
        plain = _SAME.get(character) or unicodedata.normalize("NFKD", character).casefold()
        for part in plain:
            characters.append(part)
            origins.append(position)
    return "".join(characters), origins


def _says_something(quote: str) -> bool:
    """Two words, a figure, or four characters of a script without spaces: less backs nothing."""
    words = re.findall(r"\w+", quote)
    return (
        len(words) >= 2
        or any(character.isdigit() for character in quote)
        or (len(quote) >= 4 and not quote.isascii() and not quote[0].islower())
    )


def _cuts_a_word(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` begins or ends inside a word written with spaces around it."""

    def inside(left: str, right: str) -> bool:
        return left.isalnum() and right.isalnum() and (left < "\u2e80" or right < "\u2e80")

    return (start > 0 and inside(text[start - 1], text[start])) or (
        end < len(text) and inside(text[end - 1], text[end])
    )


def find_quote(quote: str, text: str) -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``, as ``(start, end)`` characters of ``text``, or None.

    Equal up to white space, letter case, quotation marks, dashes, ligatures and the marks
    around the quote. A quote of one plain word backs nothing and is not looked for; one that
    begins or ends inside a word is not there.
    """
    bare = quote.strip(_AROUND)
    plain = html.unescape(bare).strip(_AROUND + _AFTER)
    whole, origins = _normalise(text)
    for variant in dict.fromkeys((bare, html.unescape(bare), plain)):
        wanted = _normalise(variant)[0].strip()
        if not wanted or not _says_something(variant):
            continue
        start = whole.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if not _cuts_a_word(whole, start, end):
                return origins[start], origins[end - 1] + 1
            start = whole.find(wanted, start + 1)
    return None
