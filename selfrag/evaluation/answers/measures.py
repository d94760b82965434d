"""What is measured of an answer: names, words for people, and which side is better."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure.

    Attributes:
        label: as people read it.
        meaning: one sentence.
        higher: whether more is better; None where that cannot be said.
        share: whether it runs from 0 to 1.
        decimals: shown behind the point.
    """

    label: str
    meaning: str
    higher: bool | None = True
    share: bool = True
    decimals: int = 3


RAGAS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
CLAIMS_BACKED = "claims_backed"
VERDICT = "verdict_correct"
DECIDED = "decided_rightly"
SPENT = ("seconds", "calls", "retries", "input_tokens", "output_tokens", "tokens", "cost_usd")

MEASURES = {
    "faithfulness": Measure(
        "faithfulness", "Share of the answer's statements that its passages back (RAGAS)."
    ),
    "answer_relevancy": Measure(
        "answer relevancy",
        "How near the question is to questions made from the answer; 0 for an answer that commits "
        "itself to nothing (RAGAS).",
    ),
    "context_precision": Measure(
        "context precision",
        "Whether the passages that help to arrive at the right answer stand first (RAGAS).",
    ),
    "context_recall": Measure(
        "context recall", "Share of the right answer's statements that the passages hold (RAGAS)."
    ),
    CLAIMS_BACKED: Measure(
        "claims backed (local judge)",
        "Share of the answer's sentences that the local judge finds in its passages by comparing "
        "words and meanings. It is not faithfulness: no language model reads the answer, and "
        "ground_truth is not looked at.",
    ),
    VERDICT: Measure(
        "correct verdict", "Share of statements whose verdict is that of the label column."
    ),
    DECIDED: Measure(
        "decided rightly",
        "Share of answers to what the documents answer, and of silence on what they do not, where "
        "it is known which of the two they do.",
    ),
    "seconds": Measure("seconds", "From the question to the answer.", False, False, 3),
    "calls": Measure("calls", "Of language models, for the answer.", False, False, 1),
    "retries": Measure("retries", "Of writing and of searching together.", None, False, 2),
    "input_tokens": Measure("input tokens", "Read by language models.", False, False, 0),
    "output_tokens": Measure("output tokens", "Written by language models.", False, False, 0),
    "tokens": Measure("tokens", "Read and written together.", False, False, 0),
    "cost_usd": Measure("cost, US dollars", "Of one answer.", False, False, 5),
}
