"""Other people's text inside Markdown, shown as it stands.

File names and the text of documents are data: a name may hold Markdown, HTML, formulas, colours,
icons or a link, and none of it may take effect. What is shown, and copied, is the text to the
letter: nothing invisible is put into it.
"""

import re
from itertools import pairwise

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
#: Streamlit turns these into links, emoji and arrows after backslashes have been taken away.
_LATER = re.compile(r"(?<=[:@<>=~-])(?=[\w/<>=-])|(?<=www)(?=\.)", re.IGNORECASE)
_ACTIVE = re.compile(r"([\[\]<>!$:`|~\\&])")
#: An empty span: it parts the text for those who look for links, and holds no character.
_BREAK = ":gray[]"


def literal(text: str, most: int | None = None) -> str:
    """``text`` as Markdown that shows exactly it, on one line.

    Args:
        most: characters to show at most; the middle is left out of a longer text, since the
            end of a file name tells as much as its beginning.
    """
    text = " ".join(text.split())
    if most is not None and len(text) > most:
        text = f"{text[: most - most // 3 - 1]}…{text[len(text) - most // 3 :]}"
    parts = (_PUNCTUATION.sub(r"\\\1", part) for part in _broken(text))
    return _BREAK.join(parts)


def harmless(text: str) -> str:
    """A text that is being written, as Markdown: emphasis and lists take effect, nothing else.

    No link, image, HTML, formula or icon: an image would be fetched from wherever the text says.
    """
    return "\n".join(
        _BREAK.join(_ACTIVE.sub(r"\\\1", part) for part in _broken(line))
        for line in text.split("\n")
    )


def verbatim(text: str) -> str:
    """A text of several lines as Markdown that shows exactly it."""
    return "\\\n".join(literal(line) for line in text.splitlines() if line.strip())


def _broken(text: str) -> list[str]:
    cuts = [0, *(match.start() for match in _LATER.finditer(text)), len(text)]
    parts = [text[start:end] for start, end in pairwise(cuts)]
    # Nothing is made of a dash between letters.
    joined: list[str] = []
    for part in parts:
        if joined and joined[-1].endswith("-") and part[:1].isalnum():
            joined[-1] += part
        else:
            joined.append(part)
    return joined
