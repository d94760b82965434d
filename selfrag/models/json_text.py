"""One JSON object out of a model's text: bare, in a code fence, after reasoning, amid prose."""

import json
import re
from typing import Any

from selfrag.models.reasoning import without_reasoning

_FENCE = re.compile(r"```[ \t]*(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)


def find_object(text: str) -> dict[str, Any] | None:
    """The JSON object in ``text``, or None where there is none or it isn't clear which.

    Several different objects are ambiguous: one of them may be copied from a document. The
    text as a whole counts first, then a single fence, then a single object in prose.
    """
    text = without_reasoning(text)
    for candidate in (text, *_single(_FENCE.findall(text))):
        whole = _decode(candidate.strip())
        if whole is not None:
            return whole
    found: list[dict[str, Any]] = []
    position = text.find("{")
    while position >= 0:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):  # a model in a loop opens brackets without end
            position = text.find("{", position + 1)
            continue
        if isinstance(value, dict) and value not in found:
            found.append(value)
        position = text.find("{", end)
    return found[0] if len(found) == 1 else None


def _single(items: list[str]) -> list[str]:
    return items if len(items) == 1 else []


def _decode(text: str) -> dict[str, Any] | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
