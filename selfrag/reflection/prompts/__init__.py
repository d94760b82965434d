"""Prompts, each in a file of its own beside this one.

A file has a part ``## System`` (the rules) and a part ``## User`` (the data). The reason for
each rule stands beside it in an HTML comment, which is taken out on loading. Placeholders look
like ``{{question}}``; what fills them is never read again, so braces, comments and placeholders
in a document stay what they are.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent
_COMMENT = re.compile(r"<!--.*?-->[ \t]*\n?", re.DOTALL)
_PART = re.compile(r"^## (System|User)[ \t]*\n", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


class Prompt(NamedTuple):
    """The two messages of a request: the rules, and the data that they are applied to."""

    system: str
    user: str


def load(name: str, **values: str) -> Prompt:
    """The prompt of ``name`` with its placeholders filled.

    Raises:
        KeyError: a placeholder has no value, or a value no placeholder; that is a bug.
    """
    system, user = _parts(name)
    wanted = set(_PLACEHOLDER.findall(system + user))
    if wanted != values.keys():
        raise KeyError(f"{name}.md wants {sorted(wanted)} and was given {sorted(values)}")
    return Prompt(_fill(system, values), _fill(user, values))


def bare(name: str) -> Prompt:
    """The prompt of ``name`` as it is before anything is filled in."""
    return Prompt(*_parts(name))


def names() -> list[str]:
    """Every prompt there is."""
    return sorted(path.stem for path in _FOLDER.glob("*.md"))


def _fill(template: str, values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)


@cache
def _parts(name: str) -> tuple[str, str]:
    text = (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    pieces = _PART.split(_COMMENT.sub("", text))
    parts = {title: body.strip() for title, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    return parts.get("System", ""), parts.get("User", "")
