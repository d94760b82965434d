"""Arguments of a tool that do not fit, told in a sentence that a model can act on.

The SDK passes over names that it does not know, and shows what does not fit as its validator
prints it.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

_KINDS = {
    "integer": "a whole number",
    "string": "text",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}


def unknown(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the names of the arguments; None where all of them are known."""
    names = list(schema.get("properties", {}))
    strange = sorted(set(arguments) - set(names))
    if not strange:
        return None
    takes = f"it takes {', '.join(names)}" if names else "it takes none"
    return f"There is no argument {', '.join(map(repr, strange))}: {takes}."


def misfit(error: ValidationError, schema: Mapping[str, Any]) -> str:
    """The first argument that does not fit, and what is allowed; its value is not repeated."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "the arguments"
    about = schema.get("properties", {}).get(name, {})
    said = f"{name} is missing" if first["type"] == "missing" else f"{name} does not fit"
    description = about.get("description", "")
    return f"{said}: it has to be {_allowed(about)}. {description}".strip()


def _allowed(about: Mapping[str, Any]) -> str:
    kinds = about.get("anyOf", [about])
    values = [str(value) for kind in kinds for value in kind.get("enum", [])]
    words = [_KINDS.get(kind.get("type", ""), "") for kind in kinds if "enum" not in kind]
    allowed = [*values, *filter(None, words)]
    return " or ".join(allowed) if allowed else "as its description says"
