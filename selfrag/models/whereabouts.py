"""Who writes and who judges, and whether that is on this computer, in one line."""

import ipaddress
from urllib.parse import urlsplit

from selfrag.models.chat import OPENAI_URL
from selfrag.settings import Settings

_QUOTES = "Quotes from your documents"


def host_of(settings: Settings) -> str | None:
    """Host (and port, where it is given) of the chat endpoint; None where it is this computer."""
    if settings.local_model is not None:
        return None
    address = settings.llm_endpoint or OPENAI_URL
    if is_here(address):
        return None
    parts = urlsplit(address)
    return f"{parts.hostname or ''}:{parts.port}" if parts.port else parts.hostname or ""


def is_here(address: str | None) -> bool:
    """Whether an endpoint is on this computer; None is OpenAI's."""
    host = urlsplit(address or OPENAI_URL).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False  # a name, not an address


def asks_models(settings: Settings) -> bool:
    """Whether a language or decision model is called at all."""
    return settings.writes == "chat" or settings.judges != "local"


def who_answers(settings: Settings) -> str:
    """``gpt-4.1-mini writes and judges · api.openai.com``; ``... · on this computer``."""
    writer = settings.writer_model if settings.writes == "chat" else _QUOTES
    judge = {
        "chat": settings.grading_model,
        "decisions": settings.judge_model or "a decision model",
        "local": "the local judge",
    }[settings.judges]
    if not asks_models(settings):
        return f"{_QUOTES}, checked by {judge} · on this computer"
    where = host_of(settings) or "on this computer"
    if writer == judge:
        return f"{writer} writes and judges · {where}"
    if settings.writes == "quotes":
        return f"{_QUOTES}, judged by {judge} · {where}"
    return f"{writer} writes, {judge} judges · {where}"


def who_answers_short(settings: Settings) -> str:
    """The same for a narrow place: ``gpt-4.1-mini at api.openai.com``."""
    names = [settings.writer_model] if settings.writes == "chat" else []
    if settings.judges == "chat":
        names.append(settings.grading_model)
    elif settings.judges == "decisions":
        names.append(settings.judge_model or "a decision model")
    if not names:
        return f"{_QUOTES} · local"
    host = host_of(settings)
    where = f"at {host}" if host else "· local"
    return f"{', '.join(dict.fromkeys(names))} {where}"
