"""What a question will cost, before it is asked: model calls, tokens, money.

What is usual is the straight way: one search, one answer that passes. `most_calls` is the bound
that no run passes (`max_llm_calls`, or its budget where that is less). Tokens are worked out from
the prompts themselves, the size of the passages and the usual length of replies, 4 characters
each: an estimate, and called one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from selfrag.models.prices import Price, price_of
from selfrag.models.usage import CHARACTERS_PER_TOKEN
from selfrag.reflection import prompts
from selfrag.reflection.options import RunOptions
from selfrag.reflection.strategy import Shape, Strategy, max_llm_calls
from selfrag.settings import Settings

_QUESTION = 80  #: characters
_ANSWER = 600  #: characters: a short paragraph
_THOUGHT = 160  #: characters of a grade: a sentence of thought, and the answer
_CLAIMS = 900  #: characters of a support grade: three claims, each with its quote


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a question costs.

    Attributes:
        calls, tokens: on the straight way; 0 where no language model is asked.
        usd: US dollars for that; None where a model's price is not known.
        most_calls: no run makes more.
        tokens_before_last: those of ``tokens`` that are used before the last call is made.
    """

    calls: int
    tokens: int
    usd: float | None
    most_calls: int
    tokens_before_last: int


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls of the same kind: how many, characters read and written in each."""

    number: int
    read: int
    written: int


def estimate(
    settings: Settings, options: RunOptions, prices: Mapping[str, Price], *, follow_up: bool = False
) -> Estimate:
    """What a question asked with these options will cost."""
    writes, judges = settings.writes == "chat", settings.judges == "chat"
    shape = options.shape(follow_up=follow_up, claim=False, refines=writes)
    writing = _writing(settings, options, shape) if writes else []
    grading = _grading(settings, options, shape) if settings.judges != "local" else []
    parts = [(settings.writer_model, writing), (settings.grading_model, grading if judges else [])]
    priced = [_usd(price_of(model, prices), calls) for model, calls in parts if calls]
    if grading and not judges:
        # A decision model gives probabilities: it reads the same, writes nothing, and has no
        # price in the table.
        priced.append(None)
    known = [usd for usd in priced if usd is not None]
    every = [*writing, *grading]
    tokens = _tokens(every)
    # `plain` ends with the writing, whatever was decided before it; the others with a grade.
    ends_with = writing if options.strategy is Strategy.PLAIN and writing else grading or writing
    return Estimate(
        calls=sum(call.number for call in every),
        tokens=tokens,
        usd=sum(known) if len(known) == len(priced) else None,
        most_calls=options.budget.at_most(
            max_llm_calls(
                shape.retries(options.max_retries),
                options.k,
                shape,
                judge_asks=bool(grading),
                writer_asks=writes,
            )
        ),
        tokens_before_last=tokens - _tokens([replace(call, number=1) for call in ends_with[-1:]]),
    )


def _writing(settings: Settings, options: RunOptions, shape: Shape) -> list[_Calls]:
    context = _context(settings, options) if shape.searches else 0
    prompt = "generate" if shape.searches else "generate_alone"
    return [_Calls(1, _length(prompt) + context + _QUESTION, _ANSWER)]


def _grading(settings: Settings, options: RunOptions, shape: Shape) -> list[_Calls]:
    """The grades of the straight way; a decision model's replies are numbers."""
    thought, claims = (_THOUGHT, _CLAIMS) if settings.judges == "chat" else (0, 0)
    together = settings.judges == "decisions" or settings.grade_in_one_request
    context = _context(settings, options)
    calls = []
    if shape.follow_up:
        calls.append(_Calls(1, _length("follow_up") + _QUESTION + _ANSWER, _QUESTION))
    if shape.decides:
        calls.append(_Calls(1, _length("decide") + _QUESTION, thought))
    if options.strategy is Strategy.CRITIQUE:
        calls.append(_Calls(1, _length("critique") + context + _QUESTION + _ANSWER, thought))
    if options.strategy is not Strategy.SELFRAG:
        return calls
    if shape.searches:
        prompt = _length("relevance_all" if together else "relevance") + _QUESTION
        calls += [
            _Calls(1, prompt + context, options.k * thought)
            if together
            else _Calls(options.k, prompt + settings.parent_chunk_size, thought),
            _Calls(1, _length("support") + context + _QUESTION + _ANSWER, claims),
        ]
    calls.append(_Calls(1, _length("usefulness") + _QUESTION + _ANSWER, thought))
    return calls


def _context(settings: Settings, options: RunOptions) -> int:
    return options.k * settings.parent_chunk_size


def _tokens(calls: list[_Calls]) -> int:
    characters = sum(call.number * (call.read + call.written) for call in calls)
    return round(characters / CHARACTERS_PER_TOKEN)


def _length(prompt: str) -> int:
    """Characters of a prompt's own text."""
    return sum(len(part) for part in prompts.bare(prompt))


def _usd(price: Price | None, calls: list[_Calls]) -> float | None:
    if price is None:
        return None
    read = sum(call.number * call.read for call in calls) / CHARACTERS_PER_TOKEN
    written = sum(call.number * call.written for call in calls) / CHARACTERS_PER_TOKEN
    return (read * price.input + written * price.output) / 1_000_000
