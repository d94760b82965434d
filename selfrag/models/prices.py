"""What tokens cost. A model without a price makes the cost unknown, not nothing."""

from collections.abc import Mapping
from dataclasses import dataclass

from selfrag.models.usage import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float


#: OpenAI's list prices when this was written; the person's own table goes before it.
LIST_PRICES: Mapping[str, Price] = {
    "gpt-4.1": Price(2.00, 8.00),
    "gpt-4.1-mini": Price(0.40, 1.60),
    "gpt-4.1-nano": Price(0.10, 0.40),
    "gpt-4o": Price(2.50, 10.00),
    "gpt-4o-mini": Price(0.15, 0.60),
}


def price_of(model: str, prices: Mapping[str, Price] = LIST_PRICES) -> Price | None:
    """The price of ``model``; ``openai/gpt-4.1-mini`` is found under either name."""
    return prices.get(model) or prices.get(model.rpartition("/")[2])


def cost(by_model: Mapping[str, Usage], prices: Mapping[str, Price] = LIST_PRICES) -> float | None:
    """US dollars of a run, or None where a model that was used has no price."""
    total = 0.0
    for model, usage in by_model.items():
        price = price_of(model, prices)
        if price is None:
            return None
        total += usage.input_tokens * price.input + usage.output_tokens * price.output
    return total / 1_000_000
