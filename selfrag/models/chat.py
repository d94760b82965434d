"""Chat models over the OpenAI protocol: OpenAI, OpenRouter, Groq, Ollama, vLLM, llama.cpp.

One `ChatOpenAI` is made for each model and shared by all runs. What goes wrong is told by
`selfrag.models.chat_errors`.
"""

from dataclasses import dataclass
from typing import Any

import openai
from langchain.rate_limiters import InMemoryRateLimiter
from langchain_core.rate_limiters import BaseRateLimiter
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from selfrag.errors import UserError
from selfrag.models.chat_client import ChatClient
from selfrag.models.chat_errors import (
    CALL_ERRORS,
    NO_KEY,
    OWN_KEY,
    endpoint,
    explain,
    named_by,
)
from selfrag.models.named_by import NAMED_BY, RUNS, NamedBy
from selfrag.models.patience import LONGEST_PAUSE, PatientClient, limits
from selfrag.models.usage import UsageLedger

OPENAI_URL = "https://api.openai.com/v1"
_LISTED = 8  #: model names shown when the configured one is not among them


def make_chat_model(
    *,
    model: str,
    base_url: str | None = None,
    api_key: str | None = None,
    temperature: float = 0.0,
    timeout: float = 60.0,
    max_retries: int = 2,
    max_wait: float = LONGEST_PAUSE,
    requests_per_minute: float | None = None,
    own_key: bool = False,
    by: NamedBy = RUNS,
) -> ChatOpenAI:
    """A chat model, ready to be shared by all runs and threads.

    Args:
        model: as the endpoint names it.
        base_url: API address, usually ending with ``/v1``; None is OpenAI itself.
        api_key: None where the endpoint needs none.
        temperature: 0 to 2; dropped for models that take none.
        timeout: seconds to wait for a whole reply, over all its attempts; in a stream for its
            first text, and between two pieces of text.
        max_retries: further attempts after a broken connection, status 408, 409, 429 or 5xx.
        max_wait: seconds; an endpoint that asks to wait longer (``Retry-After``) is not waited
            for, so that a rate limit ends in a sentence rather than in silence.
        requests_per_minute: keeps below an endpoint's limit by waiting; None does not.
        own_key: a person entered key and endpoint for themselves: what goes wrong is told to
            them, not to whoever wrote the settings.
        by: the settings that the model comes from, for what goes wrong.

    Raises:
        UserError: the endpoint needs a key and has none, or the key can't be one.
    """
    where = (base_url or OPENAI_URL).strip().rstrip("/")
    of_openai = "api.openai.com" in where
    variable = by.key_for(where)
    key = (api_key or "").strip()
    if not key and (of_openai or "openrouter.ai" in where):
        cure = "Enter one" if own_key else f"Set {variable} in .env or in the environment"
        raise UserError(f"{where} needs a key. {cure}.")
    if not key.isascii() or len(key.split()) > 1:
        raise UserError(f"{variable} holds characters that no key has. Copy the key again.")

    return ChatClient(
        model=model,
        base_url=where,
        api_key=SecretStr(key or NO_KEY),
        temperature=temperature,
        timeout=limits(timeout),
        max_retries=max_retries,
        stream_usage=True,
        metadata={OWN_KEY: own_key, NAMED_BY: by},
        rate_limiter=_limiter(requests_per_minute),
        # Only OpenAI's own newest models need the Responses API; other servers lack it.
        use_responses_api=None if of_openai else False,
        # Refused by several servers, and one tool leaves nothing to run in parallel.
        disabled_params=None if of_openai else {"parallel_tool_calls": None},
        http_client=PatientClient(
            timeout, longest_pause=max_wait, event_hooks={"request": [_still_wanted]}
        ),
    )


def _still_wanted(_: Any) -> None:
    """The client tries again by itself; what a run that has ended asked for is not sent again.

    Raises:
        Exception: the run's own end.
    """
    ledger = UsageLedger.of_this_call()
    if ledger is not None:
        ledger.check()


def _limiter(per_minute: float | None) -> BaseRateLimiter | None:
    if per_minute is None:
        return None
    return InMemoryRateLimiter(requests_per_second=per_minute / 60, check_every_n_seconds=0.05)


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether an endpoint can be used.

    Attributes:
        ok: it answers, takes the key, and has the model, as far as it tells.
        sentence: what was found and, where it is not ok, what to do.
        models: the names it lists; empty where it lists none.
    """

    ok: bool
    sentence: str
    models: tuple[str, ...] = ()


def probe(model: ChatOpenAI, timeout: float = 5.0) -> Probe:
    """Ask the endpoint for its models: one request, no tokens, no retries.

    OpenRouter lists its models to anyone, so its key is asked after as well.
    """
    where, name = endpoint(model), model.model_name
    client = model.root_client.with_options(timeout=timeout, max_retries=0)
    try:
        if "openrouter.ai" in where:
            client.get("/key", cast_to=object)
        models = tuple(sorted(item.id for item in client.models.list()))
    except openai.NotFoundError:
        return Probe(True, f"{where} answers, but lists no models: {name} will be tried.")
    except CALL_ERRORS as error:
        return Probe(False, str(explain(error, model, entering=True)))
    if not models or name in models or f"{name}:latest" in models:
        return Probe(True, f"{where} answers and takes {name}.", models)
    if len(models) == 1:
        return Probe(
            True, f"{where} serves {models[0]}; it usually answers whatever the name.", models
        )
    some = ", ".join(models[:_LISTED]) + (", ..." if len(models) > _LISTED else "")
    return Probe(
        False,
        f"{where} answers, but has no model {name}. Set {named_by(model).model} to one of: {some}",
        models,
    )
