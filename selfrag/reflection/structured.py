"""Structured replies from endpoints that may or may not support them.

1. Ask in the best form the endpoint is known to take: ``json_schema``, then
   ``function_calling``, then JSON in text with the schema in the rules.
2. An endpoint that refuses the form (status 400 and its kind) is asked in the next one at once;
   no model was called for that.
3. A reply that can't be used (prose, a wrong word, nothing) is shown to the model with its
   error, once. The schema then has the bounds that replies have, where the endpoint takes them.
4. What was learned about the form is remembered for each endpoint and model. A reply without
   any JSON in it means that the form was ignored, so the next grade is asked in the next one.

So a grade takes at most `MAX_CALLS` calls of the model, whatever the endpoint does.
"""

import json
import logging
import threading
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar

import openai
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_openai import ChatOpenAI
from pydantic import ValidationError

from selfrag.errors import ModelError
from selfrag.models.chat_errors import CALL_ERRORS, endpoint, explain, named_by
from selfrag.models.json_text import find_object
from selfrag.models.reasoning import is_unannounced, remember_unannounced
from selfrag.models.usage import UsageLedger
from selfrag.reflection import prompts
from selfrag.reflection.prompts import Prompt
from selfrag.reflection.replies import Reply

MAX_CALLS = 2  #: calls of the model for one grade: the first, and one repair
_SHOWN = 2000  #: characters of an unusable reply that the model is shown again

logger = logging.getLogger(__name__)
ReplyT = TypeVar("ReplyT", bound=Reply)


class Form(StrEnum):
    """How the structure of a reply is asked for, best first."""

    JSON_SCHEMA = "json_schema"
    FUNCTION_CALLING = "function_calling"
    TEXT = "text"

    @property
    def next(self) -> "Form":
        """The next form down; text is the last."""
        forms = list(Form)
        return forms[min(forms.index(self) + 1, len(forms) - 1)]


class _Unusable(Exception):
    """A reply that does not fit; the text is shown to the model."""

    def __init__(self, problem: str, reply: AIMessage, *, form_ignored: bool = False) -> None:
        super().__init__(problem)
        self.reply = reply
        self.form_ignored = form_ignored


_known_forms: dict[tuple[str, str], Form] = {}
_lock = threading.Lock()


def known_form(model: ChatOpenAI) -> Form:
    """The form that the next grade of ``model`` will be asked in."""
    with _lock:
        return _known_forms.get((endpoint(model), model.model_name), Form.JSON_SCHEMA)


def forget_forms() -> None:
    """Forget what was learned about endpoints (the settings have changed)."""
    with _lock:
        _known_forms.clear()


def _step_down(model: ChatOpenAI, form: Form) -> None:
    """``form`` does not work here. Never steps up: grades run side by side."""
    if form is Form.TEXT:
        return
    with _lock:
        key = (endpoint(model), model.model_name)
        known = _known_forms.get(key, Form.JSON_SCHEMA)
        if list(Form).index(known) <= list(Form).index(form):
            logger.info("%s: %s does not work, trying %s from now on", key, form, form.next)
            _known_forms[key] = form.next


def ask(
    model: ChatOpenAI,
    prompt: Prompt,
    schema: type[ReplyT],
    *,
    step: str,
    ledger: UsageLedger,
) -> ReplyT:
    """A reply of ``model`` in the form of ``schema``.

    Args:
        step: under which the calls are recorded in ``ledger``.

    Raises:
        ModelError: no usable reply after one repair, a refusal, or the endpoint failed; fatal
            where no later call can succeed.
    """
    messages: list[BaseMessage] = [SystemMessage(prompt.system), HumanMessage(prompt.user)]
    try:
        return _in_best_form(model, messages, schema, step, ledger)
    except _Unusable as unusable:
        problem = unusable
    repair = prompts.load("repair", error=str(problem), schema=_text_of(_json_schema(schema)))
    shown = problem.reply.text[:_SHOWN] or json.dumps(_arguments(problem.reply)) or "(nothing)"
    again = [*messages, AIMessage(shown), HumanMessage(repair.user)]
    try:
        reply = _in_best_form(model, again, schema, step, ledger, bounds=bool(schema.BOUNDS))
    except _Unusable as unusable:
        raise ModelError(
            f"{model.model_name} did not give its grade in a usable form, twice ({unusable}). "
            f"Set {named_by(model).grader} to a larger model, which usually does."
        ) from None
    return reply


def _in_best_form(
    model: ChatOpenAI,
    messages: Sequence[BaseMessage],
    schema: type[ReplyT],
    step: str,
    ledger: UsageLedger,
    *,
    bounds: bool = False,
) -> ReplyT:
    """One reply, in the best form that the endpoint does not refuse."""
    form = known_form(model)
    while True:
        try:
            raw = _call(model, messages, _json_schema(schema, bounds), form, step, ledger)
            break
        except _FormRefused:
            # It may be the bounds that it does not take.
            form, bounds = (form if bounds else form.next), False
    try:
        reply = _read(raw, schema)
    except _Unusable as unusable:
        if unusable.form_ignored:
            _step_down(model, form)
        raise
    _remember(model, form)
    return reply


def _remember(model: ChatOpenAI, form: Form) -> None:
    """``form`` worked; the better ones that were refused on the way need not be tried again."""
    for better in list(Form)[: list(Form).index(form)]:
        _step_down(model, better)


class _FormRefused(Exception):
    """The endpoint does not take this form."""


def _call(
    model: ChatOpenAI,
    messages: Sequence[BaseMessage],
    schema: dict[str, Any],
    form: Form,
    step: str,
    ledger: UsageLedger,
) -> AIMessage:
    """The model's message, whatever is in it.

    Raises:
        _FormRefused: asking in another form may work.
        _Unusable: the endpoint itself says that the model's output did not fit.
        ModelError: it can't.
    """
    with ledger.call(step, model.model_name, messages) as call:
        try:
            if form is Form.TEXT:
                rules = prompts.load("json_reply", schema=_text_of(schema)).system
                first = SystemMessage(f"{messages[0].text}\n{rules}")
                raw = model.invoke([first, *messages[1:]])
                refusal = raw.additional_kwargs.get("refusal")
            else:
                structured = model.with_structured_output(
                    schema,
                    method="json_schema" if form is Form.JSON_SCHEMA else "function_calling",
                    include_raw=True,
                    strict=True if form is Form.JSON_SCHEMA else None,
                )
                result: Any = structured.invoke(list(messages))
                raw, refusal = result["raw"], result["raw"].additional_kwargs.get("refusal")
        except openai.LengthFinishReasonError as error:
            used = error.completion.usage
            counted = _counted(used.prompt_tokens, used.completion_tokens) if used else None
            call.answered("", counted)
            raise explain(error, model) from error
        except CALL_ERRORS as error:
            if _model_did_not_fit(error):
                raise _Unusable(
                    str(getattr(error, "message", error))[:200], AIMessage("")
                ) from None
            failure = explain(error, model)
            if form is not Form.TEXT and _refuses_form(error, failure):
                call.refused()
                raise _FormRefused from None
            raise failure from error
        call.answered(raw.text or json.dumps(_arguments(raw)), raw.usage_metadata)
    if is_unannounced(raw.text):
        remember_unannounced(endpoint(model), model.model_name)
    if refusal:
        raise ModelError(
            f"{model.model_name} refused to grade this ({' '.join(str(refusal).split())}). "
            f"{_another(model)}"
        )
    if raw.response_metadata.get("finish_reason") == "content_filter":
        raise ModelError(
            f"The content filter of {model.model_name} stopped this grade. {_another(model)}"
        )
    return raw


def _another(model: ChatOpenAI) -> str:
    return f"Set {named_by(model).grader} to another model if this goes on."


def _counted(prompt: int, reply: int) -> UsageMetadata:
    return {"input_tokens": prompt, "output_tokens": reply, "total_tokens": prompt + reply}


def _model_did_not_fit(error: Exception) -> bool:
    """Groq checks replies itself and answers 400 for a bad one: the form is supported."""
    return isinstance(error, openai.APIStatusError) and error.code in (
        "json_validate_failed",
        "tool_use_failed",
    )


def _refuses_form(error: Exception, failure: ModelError) -> bool:
    """Whether asking in another form may help: servers say so in many ways."""
    if not isinstance(error, openai.APIStatusError) or isinstance(error, ContextOverflowError):
        return False
    if error.status_code in (400, 415, 422):
        return not failure.fatal
    words = ("response_format", "schema", "grammar", "tool", "function")
    return error.status_code in (404, 500, 501) and any(
        word in error.message.lower() for word in words
    )


def _read(raw: AIMessage, schema: type[ReplyT]) -> ReplyT:
    """The reply as ``schema``.

    Raises:
        _Unusable: says what is wrong with it, in words for the model.
    """
    value = _arguments(raw) or find_object(raw.text)
    if value is None:
        if not raw.text.strip():
            raise _Unusable("it is empty", raw)
        one = "{" not in raw.text
        problem = "it is not JSON" if one else "it does not hold exactly one valid JSON object"
        raise _Unusable(problem, raw, form_ignored=one)
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, item['loc'])) or 'reply'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise _Unusable("; ".join(faults[:3]), raw) from None


def _arguments(raw: AIMessage) -> dict[str, Any] | None:
    """What the model called the function with, where it called one."""
    if raw.tool_calls:
        return raw.tool_calls[0]["args"]
    if raw.invalid_tool_calls:
        return find_object(raw.invalid_tool_calls[0]["args"] or "")
    return None


def _json_schema(schema: type[Reply], bounds: bool = False) -> dict[str, Any]:
    """JSON Schema with its name, in the dialect of OpenAI's strict mode."""
    described = schema.model_json_schema()
    for part in (described, *described.get("$defs", {}).values()):
        part["additionalProperties"] = False
    for field, bound in schema.BOUNDS.items() if bounds else ():
        described["properties"][field] |= bound
    return described


def _text_of(schema: dict[str, Any]) -> str:
    return json.dumps(schema, ensure_ascii=False)
