"""Pieces of HTML for a file that anyone may open: every text is escaped, nothing is fetched.

Names and texts come from documents and models. They are text here and can't become anything else:
`text` is the only way in, and the policy of the file forbids scripts, frames and the network
should anything ever slip through.
"""

import re
from html import escape

from selfrag.palette import Palette
from selfrag.reflection.story import Tone

#: Stands in the file itself, for the browser to enforce.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)

#: tone -> sign and word, so that no meaning is in a colour alone
SIGNS: dict[Tone, str] = {"good": "✓", "fair": "!", "bad": "✕"}

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def text(value: object) -> str:
    """Any text as HTML that shows exactly it; what no file can hold is replaced."""
    clean = str(value).encode("utf-8", "replace").decode("utf-8")
    return escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", clean), quote=True)


def isolated(value: object) -> str:
    """A name or a quote whose writing direction ends where it ends."""
    return f"<bdi>{text(value)}</bdi>"


def sign(tone: Tone | None) -> str:
    """The sign of a tone, in its colour; the words beside it say the same."""
    return f'<span class="sign {tone}" aria-hidden="true">{SIGNS[tone]}</span>' if tone else ""


def variables(colours: Palette) -> str:
    """A palette as CSS variables."""
    return "".join(f"--{name}:{getattr(colours, name)};" for name in Palette.__dataclass_fields__)
