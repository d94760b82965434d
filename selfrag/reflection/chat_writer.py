"""A chat model as writer: the answer comes piece by piece and can be stopped between two."""

import contextlib
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import openai
from langchain_core.messages import AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_openai import ChatOpenAI

from selfrag.errors import ModelError
from selfrag.models.chat_errors import CALL_ERRORS, endpoint, explain
from selfrag.models.reasoning import ThoughtFilter, remember_unannounced, thinks_unannounced
from selfrag.models.usage import Call, UsageLedger
from selfrag.reflection import prompts
from selfrag.reflection.cleaning import clean_line, clean_question, clean_text, escape
from selfrag.reflection.context import format_context
from selfrag.reflection.roles import Feedback, Passage

_STEP = "generator"

#: Endpoints that refused ``stream_options``: they give no count of tokens while streaming.
_without_stream_usage: set[str] = set()


class ChatWriter:
    """Writes with a chat model. Cheap to make: one for each run, around a shared model.

    Args:
        model: from `selfrag.models.chat.make_chat_model`.
        name: as shown to the person.
        ledger: of the run.
    """

    is_language_model = True

    def __init__(self, model: ChatOpenAI, name: str, ledger: UsageLedger) -> None:
        self.name = name
        self._model = model
        self._ledger = ledger

    def write(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> Iterator[str]:
        """Yield the answer piece by piece; closing the iterator closes the connection at once.

        With ``feedback`` the model is told which statements were not backed, or what is wrong.
        An answer that reaches the model's limit of tokens ends with an ellipsis.

        Raises:
            ModelError: the model answered nothing, refused, or broke off; fatal where no later
                call can succeed.
        """
        messages = _messages(question, passages, feedback)
        with self._ledger.call(_STEP, self._model.model_name, messages) as call:
            yield from self._stream(messages, call)

    def prompt(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> str:
        """The messages that `write` sends, one after the other."""
        return "\n\n".join(message.text for message in _messages(question, passages, feedback))

    def _stream(self, messages: Sequence[BaseMessage], call: Call) -> Iterator[str]:
        where, model = endpoint(self._model), self._model.model_name
        seen = _Seen()
        thoughts = ThoughtFilter(unannounced=thinks_unannounced(where, model))
        shown = False
        with contextlib.closing(self._chunks(messages)) as chunks:
            for chunk in chunks:
                seen.add(chunk)
                # Here, not at the end: the person may stop between any two pieces.
                call.answered(seen.text, seen.usage)
                piece = thoughts.feed(chunk.text)
                if thoughts.too_late:
                    remember_unannounced(where, model)
                    raise ModelError(
                        f"What {self.name} wrote turned out to be its thinking, not the answer. "
                        "Ask again: from now on the two are told apart."
                    )
                if not shown:
                    piece = piece.lstrip()
                if piece:
                    shown = True
                    yield piece
        rest = thoughts.end()
        if rest:
            shown = True
            yield rest
        if seen.finish == "content_filter" or (seen.refusal and not shown):
            reason = f" ({clean_line(seen.refusal, 200).rstrip('.')})" if seen.refusal else ""
            raise ModelError(
                f"{self.name} refused to answer{reason}. Ask in other words, or choose another "
                "CHAT_MODEL."
            )
        if not shown:
            raise ModelError(
                f"{self.name} answered nothing. Ask again, or choose another CHAT_MODEL."
            )
        if seen.finish is None:
            raise ModelError(f"The answer of {self.name} broke off. Ask again.")
        if seen.finish == "length":
            yield " …"

    def _chunks(self, messages: Sequence[BaseMessage]) -> Generator[AIMessageChunk]:
        """The model's stream; its errors are told as ModelError."""
        model, where = self._model, endpoint(self._model)
        try:
            if where not in _without_stream_usage:
                try:
                    yield from model.stream(list(messages))
                    return
                except openai.APIStatusError as error:
                    if error.status_code not in (400, 422) or "stream_options" not in error.message:
                        raise
                _without_stream_usage.add(where)
            yield from model.stream(list(messages), stream_usage=False)
        except CALL_ERRORS as error:
            raise explain(error, model) from error


class _Seen:
    """What a stream has told so far."""

    def __init__(self) -> None:
        self.text = ""
        self.refusal = ""
        self.finish: str | None = None
        self.usage: UsageMetadata | None = None

    def add(self, chunk: AIMessageChunk) -> None:
        self.text += chunk.text
        self.refusal += chunk.additional_kwargs.get("refusal") or ""
        metadata: dict[str, Any] = chunk.response_metadata
        # The Responses API tells the end by a status instead.
        self.finish = metadata.get("finish_reason") or metadata.get("status") or self.finish
        self.usage = chunk.usage_metadata or self.usage


def _messages(
    question: str, passages: Sequence[Passage], feedback: Feedback | None
) -> list[BaseMessage]:
    """Rules in the system message, data in the user message."""
    asked = escape(clean_question(question))
    if not passages:
        prompt = prompts.load("generate_alone", question=asked)
    elif feedback is None:
        prompt = prompts.load("generate", context=format_context(passages), question=asked)
    elif feedback.critique:
        prompt = prompts.load(
            "generate_refined",
            context=format_context(passages),
            question=asked,
            answer=escape(clean_text(feedback.answer).strip()),
            critique=escape(clean_line(feedback.critique)),
        )
    else:
        prompt = prompts.load(
            "generate_again",
            context=format_context(passages),
            question=asked,
            answer=escape(clean_text(feedback.answer).strip()),
            unsupported="\n".join(f"- {escape(clean_line(one))}" for one in feedback.unsupported),
        )
    return [SystemMessage(prompt.system), HumanMessage(prompt.user)]
