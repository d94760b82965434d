"""What an endpoint itself says went wrong: its words, never those of a library or of Python."""

import re
from typing import Any

import openai
from langchain_core.exceptions import ModelRefusalError

_SECRET = re.compile(r"\b(sk|gsk|pk|key|Bearer)[-_ ][A-Za-z0-9_*.-]{6,}")
_FIELDS = ("message", "detail", "error", "msg")  #: where servers put their sentence
_SHOWN = 200  #: characters of it that are shown


def in_brackets(error: Exception, key: str = "") -> str:
    """The endpoint's words as `` (words)``, short and without anything like a key.

    Args:
        key: that of the endpoint, which it may quote.

    Returns:
        empty where it said nothing, or a page instead of a sentence.
    """
    message = _message(error)
    if key:
        message = message.replace(key, "(key)")
    message = " ".join(_SECRET.sub("(key)", message).split())
    if message.startswith("<"):
        return ""
    if len(message) > _SHOWN:
        message = message[: _SHOWN - 1] + "…"
    return f" ({message.rstrip('.')})" if message else ""


def _message(error: Exception) -> str:
    if isinstance(error, openai.APIStatusError):
        return _sentence(error.body)
    if isinstance(error, openai.APIError):
        return _sentence(error.body) or error.message
    if isinstance(error, ModelRefusalError):
        return str(error)
    if type(error) is ValueError and error.args:
        # So langchain tells ``{"error": ...}`` in a reply with status 200; in the same way, and in
        # its own words, it tells that the reply is of another type.
        told = _sentence(error.args[0])
        return "" if told.startswith("Unexpected response type") else told
    return ""


def _sentence(body: Any) -> str:
    if isinstance(body, dict):
        return next((body[name] for name in _FIELDS if isinstance(body.get(name), str)), "")
    return body if isinstance(body, str) else ""
