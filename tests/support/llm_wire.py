"""The scripted endpoint's answers as they go over the wire."""

import base64
import hashlib
import json
import struct
from collections.abc import Callable
from typing import Any

from tests.support.llm_answers import Answer, Request


def chat_body(request: Request, answer: Answer) -> dict[str, Any]:
    """A reply of ``/chat/completions`` that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    finish = answer.finish
    if answer.refusal is not None:
        message = {"role": "assistant", "content": None, "refusal": answer.refusal}
    elif answer.value is not None:
        if request.form == "function_calling":
            call = {
                "id": "call_1",
                "type": "function",
                "function": {"name": request.schema, "arguments": json.dumps(answer.value)},
            }
            message, finish = (
                {"role": "assistant", "content": None, "tool_calls": [call]},
                "tool_calls",
            )
        else:
            message["content"] = json.dumps(answer.value, ensure_ascii=False)
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    return {**body, "usage": usage_of(request, message)} if answer.usage else body


def usage_of(request: Request, reply: Any) -> dict[str, int]:
    """Counted in words, so that a test can tell these counts from estimates by length."""
    prompt = len(f"{request.system} {request.user}".split())
    completion = max(1, len(json.dumps(reply).split()))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def embedding_of(item: Any, dimension: int = 64) -> list[float]:
    """A unit vector in which texts that share words are near each other."""
    words = [str(item)] if not isinstance(item, str) else item.casefold().split()
    vector = [0.0] * dimension
    for word in words or [""]:
        vector[int(hashlib.sha256(word.encode()).hexdigest(), 16) % dimension] += 1.0
    norm = sum(value * value for value in vector) ** 0.5
    return [value / norm for value in vector]


def decisions_body(
    request: Request, probability: Callable[[dict[str, Any]], float]
) -> dict[str, Any]:
    """A reply of ``/decisions``: ``probability`` of yes, of the first choice, of the top level."""
    answers: list[dict[str, Any]] = []
    for question in request.body["questions"]:
        p = probability(question)
        answer: dict[str, Any] = {"name": question["name"], "type": question["type"]}
        if question["type"] == "predicate":
            answer["probability"] = p
        elif question["type"] == "choice":
            values = [choice["value"] for choice in question["choices"]]
            rest = (1 - p) / max(1, len(values) - 1)
            shares = [p, *[rest] * (len(values) - 1)]
            answer["choice"] = values[shares.index(max(shares))]
            answer["probabilities"] = [
                {"value": value, "probability": share}
                for value, share in zip(values, shares, strict=True)
            ]
            answer["confidence"] = max(shares)
        else:
            top = len(question["levels"]) - 1
            shares = [(1 - p) / top] * top + [p]
            answer["score"] = sum(level * share for level, share in enumerate(shares))
            answer["probabilities"] = [
                {"value": level, "label": item["label"], "probability": share}
                for level, (item, share) in enumerate(zip(question["levels"], shares, strict=True))
            ]
            answer["confidence"] = max(shares)
        answers.append(answer)
    words = len(json.dumps(request.body).split())
    usage = {"input_tokens": words, "output_tokens": len(answers)}
    return {"model": request.body["model"], "answers": answers, "usage": usage}


def embeddings_body(body: dict[str, Any]) -> dict[str, Any]:
    """A reply of ``/embeddings``, as floats or base64 as asked."""
    given = body["input"]
    items = given if isinstance(given, list) and not _is_tokens(given) else [given]
    data: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        vector: Any = embedding_of(item)
        if body.get("encoding_format") == "base64":
            vector = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
        data.append({"object": "embedding", "index": index, "embedding": vector})
    count = len(items)
    usage = {"prompt_tokens": count, "total_tokens": count}
    return {"object": "list", "model": body.get("model", ""), "data": data, "usage": usage}


def _is_tokens(given: list[Any]) -> bool:
    return bool(given) and isinstance(given[0], int)
