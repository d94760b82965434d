"""langchain-openai's chat model, which here also carries what a model says when it refuses.

Streams of the Chat Completions API tell a refusal in ``delta.refusal``, piece by piece, with no
content beside it; langchain-openai 1.7 drops it, so that a refusal looks like no answer at all.
Here it is in ``additional_kwargs["refusal"]``, where a reply that is not streamed has it as well.
"""

from typing import Any

from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI


class ChatClient(ChatOpenAI):
    """`ChatOpenAI` with refusals in its streams."""

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: Any
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        choices = chunk.get("choices")
        refusal = (choices[0].get("delta") or {}).get("refusal") if choices else None
        if made is not None and isinstance(refusal, str):
            made.message.additional_kwargs["refusal"] = refusal
        return made
