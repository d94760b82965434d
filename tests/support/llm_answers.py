"""What the scripted endpoint can answer, and a script that answers our prompts sensibly."""

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Request:
    """One request as it arrived.

    ``schema`` is the name of the structure that is asked for, in whichever form: response
    format, function, or JSON Schema in the text. ``disconnected`` is set when the client
    closes the connection before the answer is complete.
    """

    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float
    disconnected: bool = False

    @property
    def system(self) -> str:
        return self._text("system", "developer")

    @property
    def user(self) -> str:
        return self._text("user")

    @property
    def stream(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def form(self) -> str | None:
        """``json_schema``, ``json_object``, ``function_calling``, or None for plain text."""
        if self.body.get("tools"):
            return "function_calling"
        return (self.body.get("response_format") or {}).get("type")

    @property
    def schema(self) -> str | None:
        if self.form == "function_calling":
            return str(self.body["tools"][0]["function"]["name"])
        if self.form == "json_schema":
            return str(self.body["response_format"]["json_schema"]["name"])
        _, in_words, schema = self.system.rpartition("JSON Schema:\n")
        return str(json.loads(schema)["title"]) if in_words else None

    def _text(self, *roles: str) -> str:
        return "\n".join(
            message["content"]
            for message in self.body.get("messages", [])
            if message["role"] in roles and isinstance(message["content"], str)
        )


@dataclass(frozen=True)
class Answer:
    """A reply of the model, or a failure of the endpoint. Made by the functions below."""

    text: str | None = None
    value: dict[str, Any] | None = None
    refusal: str | None = None
    status: int = 200
    error: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    usage: bool = True
    pieces: Sequence[str] | None = None
    piece_delay: float = 0.0
    thoughts: Sequence[str] = ()
    hang: bool = False
    drip: bool = False
    break_after: int | None = None
    body: str | None = None


Script = Callable[[Request], Answer]


def text(
    words: str, *, piece_delay: float = 0.0, usage: bool = True, finish: str = "stop"
) -> Answer:
    """``words``, streamed word by word with ``piece_delay`` seconds before each."""
    return Answer(text=words, piece_delay=piece_delay, usage=usage, finish=finish)


def pieces(*parts: str, piece_delay: float = 0.0) -> Answer:
    """A text streamed in exactly these parts."""
    return Answer(text="".join(parts), pieces=parts, piece_delay=piece_delay)


def structured(usage: bool = True, **value: Any) -> Answer:
    """An object, in the form that the request asks for: content or arguments of a function."""
    return Answer(value=value, usage=usage)


def refusal(words: str = "I can't help with that.") -> Answer:
    """The model declines."""
    return Answer(refusal=words)


def failure(status: int, message: str = "", *, code: str | None = None, **headers: str) -> Answer:
    """An error status; ``retry_after="2"`` becomes the header ``retry-after: 2``."""
    return Answer(
        status=status,
        error={"message": message, "type": "error", "param": None, "code": code},
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def hang() -> Answer:
    """Nothing, until the client gives up or the server is closed."""
    return Answer(hang=True)


def drip(*parts: str) -> Answer:
    """What keeps the connection alive and tells nothing, for as long as `hang`, after ``parts``
    where it is streamed."""
    return Answer(text="", pieces=parts, drip=True)


def thinking(*thoughts: str, then: str, piece_delay: float) -> Answer:
    """A text after thoughts that have a field of their own, each after ``piece_delay`` seconds."""
    return Answer(text=then, pieces=(then,), thoughts=thoughts, piece_delay=piece_delay)


def truncated(words: str, after: int) -> Answer:
    """A stream whose connection breaks after so many pieces."""
    return Answer(text=words, break_after=after)


def empty() -> Answer:
    """A reply with nothing in it."""
    return Answer(text="")


def raw(body: str) -> Answer:
    """Status 200 with a body that is not of the protocol."""
    return Answer(body=body)


def happy_path(request: Request) -> Answer:
    """A model that works: it quotes from the documents and grades by looking into them."""
    if request.path.endswith("/decisions"):
        return Answer()
    documents = {
        int(number): html.unescape(content)
        for number, content in re.findall(
            r'<document index="(\d+)">.*?<content>(.*?)</content>', request.user, re.DOTALL
        )
    }
    question = _block(request.user, "question")
    match request.schema:
        case "Decision":
            greeting = re.match(r"(hi|hello|thanks|thank you|olá|oi)\b", question, re.IGNORECASE)
            return structured(
                thought="A greeting." if greeting else "The documents may hold this.",
                answer="no" if greeting else "yes",
            )
        case "Relevance":
            return structured(thought="It holds a part of the answer.", answer="yes")
        case "RelevanceOfAll":
            grades = [
                {"document": number, "thought": "It holds a part.", "answer": "yes"}
                for number in documents
            ]
            return structured(grades=grades)
        case "SupportByClaim":
            claims = [
                _claim(sentence, documents)
                for sentence in _sentences(_block(request.user, "answer"))
            ]
            return structured(
                thought="Each statement was looked up.", declines=False, claims=claims
            )
        case "Usefulness":
            return structured(thought="It answers the question.", score=5, missing="")
        case "CritiqueOfAnswer":
            return structured(thought="There is none.", answer="yes")
        case "VerdictOnClaim":
            return structured(**_verdict(question, documents))
        case "StatementsOfAnswer":
            return structured(statements=_sentences(_block(request.user, "answer")))
        case "StatementVerdicts":
            statements = re.findall(r"^(\d+)\. (.*)$", _block(request.user, "statements"), re.M)
            verdicts = [
                {"number": int(number), "thought": "Looked up.", "answer": _stands(one, documents)}
                for number, one in statements
            ]
            return structured(verdicts=verdicts)
        case "QuestionsFromAnswer":
            said = _sentences(_block(request.user, "answer"))
            made = [
                f"{opening} {said[0].rstrip('.')}?" for opening in ("Is it so that", "Why", "How")
            ]
            return structured(noncommittal=not documents and "do not" in said[0], questions=made)
        case "UsefulContext":
            truth = _block(request.user, "answer")
            return structured(thought="Compared.", answer=_stands(truth, documents))
        case "AttributedStatements":
            attributed = [
                {"statement": one, "thought": "Looked up.", "answer": _stands(one, documents)}
                for one in _sentences(_block(request.user, "answer"))
            ]
            return structured(statements=attributed)
        case "CompleteQuestion":
            before = re.findall(r"<asked>(.*?)</asked>", request.user)
            return structured(thought="It points back.", question=f"{before[-1]} {question}")
        case "NewQuery":
            return structured(thought="Other words.", query=f"{question.rstrip('?')} details")
        case None if documents:
            number, best = max(
                ((number, one) for number, all_ in documents.items() for one in _sentences(all_)),
                key=lambda item: len(_words(item[1]) & _words(question)),
                default=(0, "The documents do not say."),
            )
            return text(f"{best} [Doc {number}]" if number else best)
        case None:
            return text("Hello! Ask me about your documents.")
    return text(f"(no script for {request.schema})")


def _stands(statement: str, documents: dict[int, str]) -> str:
    """Yes where every longer word of a statement is in one document."""
    wanted = _words(statement)
    return "yes" if any(wanted <= _words(one) for one in documents.values()) else "no"


def _claim(sentence: str, documents: dict[int, str]) -> dict[str, Any]:
    bare = re.sub(r"\s*\[Doc \d+\]", "", sentence).strip()
    for number, content in documents.items():
        if bare and bare in " ".join(content.split()):
            return {
                "claim": bare,
                "document": number,
                "quote": bare,
                "support": "fully_supported",
            }
    return {"claim": bare or sentence, "document": 0, "quote": "", "support": "not_supported"}


def _verdict(statement: str, documents: dict[int, str]) -> dict[str, Any]:
    """For where the statement stands word for word, against where only its figures differ."""
    plain = _words(re.sub(r"\d", "", statement))
    evidence = []
    for number, content in documents.items():
        for sentence in _sentences(content):
            if statement.strip(" .") in sentence:
                evidence.append({"document": number, "quote": sentence, "stance": "for"})
            elif plain and plain <= _words(sentence):
                evidence.append({"document": number, "quote": sentence, "stance": "against"})
    stances = {item["stance"] for item in evidence}
    verdict = "refuted" if "against" in stances else "supported" if stances else ""
    return {
        "thought": "The documents were compared with it.",
        "evidence": evidence[:4],
        "verdict": verdict or "not_enough_evidence",
    }


def _block(prompt: str, tag: str) -> str:
    found = re.findall(rf"<{tag}>(.*?)</{tag}>", prompt, re.DOTALL)
    return html.unescape(found[-1]) if found else ""


def _sentences(passage: str) -> list[str]:
    flat = " ".join(passage.split())
    return [one for one in re.split(r"(?<=[.!?])\s+(?!\[Doc)", flat) if one]


def _words(sentence: str) -> set[str]:
    return set(re.findall(r"\w{3,}", sentence.casefold()))
