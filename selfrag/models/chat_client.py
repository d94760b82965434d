"""langchain-openai's chat model, which here also carries what a model says when it refuses.

Streams of the Chat Completions API tell a refusal in ``delta.refusal``, piece by piece, with no
content beside it; langchain-openai 1.7 drops it, so that a refusal looks like no answer at all.
Here it is in ``additional_kwargs["refusal"]``, where a reply that is not streamed has it as well.

Counts of tokens that are none ("many", -5) are left out, so that they are estimated:
langchain-openai fails a whole answer for them.

What a stream tells is counted as heard (`PatientClient`), thoughts that nobody is shown as well.
"""

import contextlib
from collections.abc import Iterator
from typing import Any, cast

from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from selfrag.models.patience import PatientClient


class ChatClient(ChatOpenAI):
    """`ChatOpenAI` with refusals in its streams; its ``http_client`` is a `PatientClient`."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: Any
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            _counted(chunk), default_chunk_class, base_generation_info
        )
        choices = chunk.get("choices")
        delta = (choices[0].get("delta") or {}) if choices else {}
        # Thoughts come in fields of many names, which langchain-openai drops.
        if any(told for field, told in delta.items() if field != "role"):
            self._heard()
        refusal = delta.get("refusal")
        if made is not None and isinstance(refusal, str):
            made.message.additional_kwargs["refusal"] = refusal
        return made

    def _create_chat_result(
        self, response: Any, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        if isinstance(response, dict):
            response = _counted(response)
        elif isinstance(response, BaseModel) and not _counts(_as_dict(response).get("usage")):
            response = response.model_copy(update={"usage": None})
        return super()._create_chat_result(response, generation_info)

    def _stream(self, *args: Any, **options: Any) -> Iterator[ChatGenerationChunk]:
        with contextlib.closing(cast(Any, super()._stream(*args, **options))) as chunks:
            for chunk in chunks:
                if chunk.message.content:  # of the Responses API, which is not converted above
                    self._heard()
                yield chunk

    def _heard(self) -> None:
        assert isinstance(self.http_client, PatientClient)
        self.http_client.heard()


def _counted(reply: dict[str, Any]) -> dict[str, Any]:
    """The reply, without its usage where that counts nothing."""
    return reply if _counts(reply.get("usage")) else {**reply, "usage": None}


def _as_dict(response: BaseModel) -> dict[str, Any]:
    return response.model_dump(include={"usage"}, warnings=False)


def _counts(usage: Any) -> bool:
    """Whether each count of a usage, and of its details, is a number of tokens."""
    if usage is None:
        return True
    if not isinstance(usage, dict):
        return False
    details = [value for value in usage.values() if isinstance(value, dict)]
    counts = [usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")]
    counts += [count for each in details for count in each.values()]
    return all(count is None or (type(count) is int and count >= 0) for count in counts)
