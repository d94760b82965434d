"""What went wrong with an endpoint, in a sentence for the person and without the key.

An error is fatal where no later call of the run can succeed: a refused key, an unknown model,
nobody listening. The others cost one grade or one answer.
"""

import email.utils
import math
import re
import time
from collections.abc import Mapping

import openai
from langchain_core.exceptions import ContextOverflowError, ModelRefusalError
from langchain_openai import ChatOpenAI

from selfrag.errors import ModelError
from selfrag.models.named_by import NAMED_BY, RUNS, NamedBy
from selfrag.models.own_words import in_brackets

_DAY = 86_400.0  # seconds

#: What calling a chat model can raise: the client's own errors, and langchain's plain ones for
#: replies that are not of the protocol (an HTML page, ``{"error": ...}`` with status 200).
CALL_ERRORS = (
    openai.OpenAIError,
    ModelRefusalError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    RecursionError,
)

#: Sent where an endpoint needs no key (Ollama, llama.cpp): the client insists on having one.
NO_KEY = "not-needed"

#: In a model's metadata: whether key and endpoint were entered by a person for themselves.
OWN_KEY = "own_key"

_OPENAI_URL = "https://api.openai.com/v1"
_UNKNOWN_MODEL = re.compile(
    r"model.{0,80}(not (found|exist)|does not exist)|(unknown|invalid|not a valid) model", re.I
)
_TOO_LONG = re.compile(r"context.{0,20}(length|window|size)|too many tokens|too long", re.I)
_NO_CONNECTION = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol", "ConnectionRefusedError")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that a reply asks to wait (RFC 9110, section 10.2.3, and OpenAI's milliseconds)."""
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) / divisor
        except ValueError:
            moment = email.utils.parsedate_tz(value)
            if moment is None:
                continue
            seconds = email.utils.mktime_tz(moment) - time.time()
        if math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def endpoint(model: ChatOpenAI) -> str:
    """Base URL that ``model`` talks to."""
    return str(model.openai_api_base or _OPENAI_URL)


def named_by(model: ChatOpenAI) -> NamedBy:
    """The settings that ``model`` comes from."""
    named: NamedBy = (model.metadata or {}).get(NAMED_BY, RUNS)
    return named


def explain(error: Exception, model: ChatOpenAI, *, entering: bool = False) -> ModelError:
    """The error of a call as a ModelError; fatal where asking again can't help.

    What the client has waited for already (no answer in time, a rate limit, a failing server) is
    fatal too: the run ends with the sentence instead of waiting at every step.

    Args:
        entering: whether it is read where key and endpoint of one's own are entered.
    """
    where, name, by = endpoint(model), model.model_name, named_by(model)
    said = in_brackets(error, _key(model))
    if (model.metadata or {}).get(OWN_KEY):
        told = _explain_own(error, name, where, entering=entering)
        if told is not None:
            return told
    match error:
        case ModelRefusalError() | openai.ContentFilterFinishReasonError():
            return ModelError(
                f"{name} refused to answer{said}. Ask in other words, or choose another model "
                f"({by.model})."
            )
        case openai.LengthFinishReasonError():
            return ModelError(
                f"The reply of {name} was cut off at its limit of tokens. Ask for less, or choose "
                f"another model ({by.model})."
            )
        case openai.APIConnectionError() if _nobody_there(error):
            return ModelError(
                f"Nothing answers at {where}. Start the server, or correct {by.address}; "
                f"{by.without}.",
                fatal=True,
            )
        case openai.APITimeoutError():
            return ModelError(
                f"{where} did not answer in {_seconds(model)}. Try again, or raise LLM_TIMEOUT.",
                fatal=True,  # five more steps would wait as long
            )
        case openai.APIConnectionError():
            return ModelError(f"The connection to {where} broke off. Try again.")
        case ContextOverflowError():
            return _too_long(name)
        case openai.APIStatusError():
            return _explain_status(error, name, where, by, said)
        case openai.APIError():
            return ModelError(f"{where} failed while answering{said}. Try again.")
    return ModelError(
        f"{where} did not answer as an OpenAI-compatible endpoint does{said}. Check that "
        f"{by.address} is its API address (it usually ends with /v1)."
    )


def _explain_own(error: Exception, name: str, where: str, *, entering: bool) -> ModelError | None:
    """The errors that are put right where key, address and model were entered, if it is one."""
    again = (
        "Enter {}."
        if entering
        else "In the settings, which a click on the model's name opens, choose “Forget the key” "
        "and enter {}."
    )
    if isinstance(error, openai.APIConnectionError) and _nobody_there(error):
        return ModelError(f"Nothing answers at {where}. {again.format('its address')}", fatal=True)
    if not isinstance(error, openai.APIStatusError):
        return None
    if error.status_code == 401:
        return ModelError(
            f"{where} refused the key that you entered. {again.format('another one')}", fatal=True
        )
    unknown = bool(_UNKNOWN_MODEL.search(error.message)) or error.code == "model_not_found"
    if unknown and error.status_code in (400, 404):
        return ModelError(
            f"{where} has no model {name}. {again.format('another name')}", fatal=True
        )
    if error.status_code == 404:
        return ModelError(
            f"There is no chat endpoint at {where}: its address usually ends with /v1. "
            f"{again.format('it')}",
            fatal=True,
        )
    return None


def _explain_status(
    error: openai.APIStatusError, name: str, where: str, by: NamedBy, said: str
) -> ModelError:
    """An error status as a sentence."""
    status, variable = error.status_code, by.key_for(where)
    if 300 <= status < 400:
        target = error.response.headers.get("location", "")
        return ModelError(
            f"{where} sends requests on to {target[:200] or 'another address'}, which is not "
            "followed: questions go only to the address that you set. Set that one if you trust "
            "it.",
            fatal=True,
        )
    if status == 401 and error.request.headers.get("authorization") == f"Bearer {NO_KEY}":
        return ModelError(
            f"{where} wants a key. Put it into {variable}, in .env or in the environment, and "
            "start again.",
            fatal=True,
        )
    if status == 401:
        return ModelError(
            f"{where} refused the key in {variable}. Put a valid key into {variable}, in .env or "
            "in the environment, and start again.",
            fatal=True,
        )
    if status == 402 or error.code == "insufficient_quota":
        return ModelError(
            f"The account at {where} has no credit left. Add credit, or use another key in "
            f"{variable}.",
            fatal=True,
        )
    if status == 403:
        return ModelError(
            f"{where} does not let the key in {variable} use {name}{said}. Choose another model "
            f"({by.model}), or use another key.",
            fatal=True,
        )
    unknown = bool(_UNKNOWN_MODEL.search(error.message)) or error.code == "model_not_found"
    if unknown and status in (400, 404):
        return ModelError(
            f"{where} has no model {name}. Choose another model ({by.model}); "
            "`python -m selfrag doctor` lists those that it has.",
            fatal=True,
        )
    if status == 404:
        return ModelError(
            f"There is no chat endpoint at {where}. Correct {by.address}: it usually ends with "
            "/v1.",
            fatal=True,
        )
    if status == 429:
        wait = retry_after(error.response.headers)
        when = "a minute" if wait is None else _duration(wait)
        return ModelError(
            f"{where} takes no more requests for now (rate limit). Wait {when} and ask again.",
            fatal=True,
        )
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(error.message)):
        return _too_long(name)
    if status in (400, 422) and "temperature" in error.message:
        return ModelError(
            f"{name} does not take this temperature{said}. Set LLM_TEMPERATURE=1.", fatal=True
        )
    if status >= 500:
        return ModelError(
            f"{where} failed (status {status}){said}. Try again in a while.", fatal=True
        )
    return ModelError(
        f"{where} refused the request (status {status}){said}. Choose another model "
        f"({by.model}) if this goes on."
    )


def _too_long(name: str) -> ModelError:
    return ModelError(
        f"The documents are too long for {name}. Lower RETRIEVAL_K_RERANK or PARENT_CHUNK_SIZE, "
        "or choose a model with a longer context."
    )


def _nobody_there(error: BaseException) -> bool:
    """Whether the connection could not be made, as opposed to breaking off."""
    seen: BaseException | None = error
    while seen is not None:
        if type(seen).__name__ in _NO_CONNECTION:
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _key(model: ChatOpenAI) -> str:
    key = model.openai_api_key
    return key.get_secret_value() if key is not None and hasattr(key, "get_secret_value") else ""


def _seconds(model: ChatOpenAI) -> str:
    timeout = model.request_timeout
    read = getattr(timeout, "read", timeout)
    return _duration(read) if isinstance(read, int | float) else "time"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{max(1, math.ceil(seconds))} s"
    if seconds > _DAY:
        return "more than a day"
    return f"{math.ceil(seconds / 60)} minutes"
