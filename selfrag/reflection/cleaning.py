"""Text from documents and people, made safe to stand in a prompt.

Three things are taken away, none of which a reader would see: control characters, characters
that are invisible or turn the direction of writing (they hide instructions), and marks that
chat templates read as the start of another turn. What is left is data: tags in it are escaped
where it enters a prompt.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator

#: Not of a "format" category, and yet nothing is seen: fillers, joiners, variation selectors.
_UNSEEN = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0}
    | set(range(0xFE00, 0xFE10))
    | set(range(0xE0000, 0xE0200))
)
#: These join or part letters in Persian and the languages of India; between others they hide text.
_JOINERS = frozenset("\u200c\u200d")
_KEPT_CONTROLS = frozenset("\n\t")
_DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs"})

_TURN_AT_LINE_START = re.compile(
    r"^[ \t]*(?:[#>*\[<]+[ \t]*)*"
    r"(?:user|assistant|system|human|ai|developer|tool|instructions?|response"
    r"|usu[aá]rio|assistente|sistema)"
    r"[ \t]*[\]>*]*[ \t]*:[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
#: ``<|im_start|>`` and its kind are broken by escaping; these have no angle brackets to escape.
_BRACKET_TOKENS = re.compile(
    r"\[(/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS))\]"
)
_TEMPLATE_TOKENS = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]"
)


#: What a model's answer is shown without: control characters, and those that turn the direction.
_UNWRITTEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def as_written(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces of a text as a model writes it, fit to be shown, stored and sent.

    Some endpoints cut a character in two, which no file or answer can hold: the halves are put
    together again, and one that stays alone is left out.
    """
    half = ""
    for piece in pieces:
        text = half + piece
        half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        whole = text[: len(text) - len(half)]
        if not whole.isascii():
            whole = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
        whole = _UNWRITTEN.sub("", whole)
        if whole:
            yield whole


def clean_text(text: str) -> str:
    """``text`` without control, invisible and direction-turning characters; line ends are ``\\n``.

    Visible characters are kept as they are, so that a quote from the cleaned text is a quote
    from the source.
    """
    kept: list[str] = []
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    for character in text.replace("\u2029", "\n").replace("\u0085", "\n"):
        if character in _KEPT_CONTROLS:
            kept.append(character)
        elif character in _JOINERS:
            if kept and not kept[-1].isascii() and unicodedata.category(kept[-1])[0] in "LM":
                kept.append(character)
        elif (
            ord(character) not in _UNSEEN
            and unicodedata.category(character) not in _DROPPED_CATEGORIES
        ):
            kept.append(character)
    return "".join(kept)


def clean_line(text: str, limit: int | None = None) -> str:
    """``text`` cleaned and on one line, cut to ``limit`` characters with an ellipsis."""
    line = " ".join(clean_text(text).split())
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return line


def clean_question(question: str) -> str:
    """The question on one line, without forged turns ("\\n\\nUser: ...") and template tokens.

    Role names are taken away at the start of a line after the first only, where they could pass
    for a turn: "Who is the system: user or admin?" stays as it is.
    """
    text = _TEMPLATE_TOKENS.sub(" ", clean_text(question)).strip()
    first, newline, rest = text.partition("\n")
    return " ".join((first + newline + _TURN_AT_LINE_START.sub("", rest)).split())


def escape(text: str) -> str:
    """``text`` as it stands between tags: it can neither close nor open one, nor forge a turn."""
    return _BRACKET_TOKENS.sub(r"[ \1 ]", html.escape(text, quote=False))
