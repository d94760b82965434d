"""What the local judge says of the evidence: why a passage is relevant, which sentences an answer
rests on, which words of the question it leaves out."""

import re
from collections.abc import Sequence

import numpy as np

from selfrag.models.evidence import Evidence
from selfrag.models.features import Candidate
from selfrag.models.words import Word, fold, guess_language, listed, words
from selfrag.reflection.extractive_writer import quotable
from selfrag.reflection.grades import LIKELY, Claim
from selfrag.reflection.statements import is_statement

SHOWN = 160  #: characters of a sentence in a thought
_DECIDES = re.compile(
    r"\b(?:1[5-9]\d\d|20\d\d|before|after|antes|depois|despues|avant|apres|dopo)\b"
)
SHORTEST = 3  #: letters of a word that an answer is said to lack
RESTS_ON = 0.7  #: share of a sentence's words in the answer from which the answer rests on it
POSSIBLY = 0.35  #: probability of being the answer from which it is told as possible


def how_likely(p: float, asked: str) -> str:
    """A calibrated probability of being the answer, in words."""
    one, many = ("speaks", "speak") if is_statement(asked) else ("answers", "answer")
    what = f"of the {_kind(asked)}" if is_statement(asked) else f"the {_kind(asked)}"
    if p >= LIKELY:
        return f"What is quoted probably {one} {what}"
    if p >= POSSIBLY:
        return f"What is quoted may {many} {what}"
    return f"What is quoted probably does not {many} {what}"


def _kind(asked: str) -> str:
    return "statement" if is_statement(asked) else "question"


def why_relevant(evidence: Evidence, passage: int) -> str:
    mine = [
        (score, candidate)
        for score, candidate in zip(evidence.word_scores, evidence.candidates, strict=True)
        if candidate.passage == passage
    ]
    if not mine:
        return "it repeats what stands in a passage before it"
    found = {w.key for _, candidate in mine for w in candidate.words}
    heaviest = np.argsort(-evidence.asked.weights, kind="stable")
    asked = [evidence.asked.words[i] for i in heaviest]
    shared = [quotable(word.text) for word in asked if word.key in found][:3]
    what = listed(shared) if shared else "no word"
    said = f"shares {what} with the {_kind(evidence.asked.text)}"
    closest = _closest(evidence, passage) or max(mine, key=lambda pair: pair[0])[1]
    return f"{said}; closest sentence: '{_shortened(quotable(closest.sentence.text))}'"


def _closest(evidence: Evidence, passage: int) -> Candidate | None:
    for row in evidence.best_first():
        candidate = evidence.candidates[evidence.chosen[row]]
        if candidate.passage == passage:
            return candidate
    return None


def quoted_rows(evidence: Evidence, answer: str) -> list[int]:
    """Rows of the embedded sentences that the answer quotes, best first."""
    plain = fold(answer)
    return [
        row
        for row in evidence.best_first()
        if fold(quotable(evidence.candidates[evidence.chosen[row]].sentence.text)) in plain
    ]


def repeated_rows(evidence: Evidence, answer: str) -> list[int]:
    """Rows of the embedded sentences that the answer mostly repeats, best first."""
    said = {w.key for w in words(answer, evidence.asked.language)}
    rows: list[int] = []
    for row in evidence.best_first():
        keys = {w.key for w in evidence.candidates[evidence.chosen[row]].words}
        # A short answer in own words says a part of the sentence; a long one says more than it.
        if len(keys & said) / max(1, min(len(keys), len(said))) >= RESTS_ON:
            rows.append(row)
    return rows


def backing_rows(evidence: Evidence, claims: Sequence[Claim]) -> list[int]:
    """Rows of the embedded sentences that back a claim in other words, best first.

    A language model writes "it costs 10 euros" of "who wants it for 10 euros may write to me".
    """
    backing = [fold(claim.quote) for claim in claims if claim.quote]
    return [
        row
        for row in evidence.best_first()
        if any(
            fold(evidence.candidates[evidence.chosen[row]].sentence.text) in quote
            for quote in backing
        )
    ]


def share_left_out(evidence: Evidence, answer: str, rows: Sequence[int]) -> float:
    """Share of the question's weight, 0 to 1, that neither the answer nor the sentences behind it
    have: a short answer in own words need not repeat the question."""
    said = {w.key for w in words(answer, evidence.asked.language)}
    said |= {w.key for row in rows for w in evidence.candidates[evidence.chosen[row]].words}
    asked = zip(evidence.asked.weights, evidence.asked.words, strict=True)
    return float(sum(weight for weight, word in asked if word.key not in said))


def uncovered(evidence: Evidence, answer: str) -> list[str]:
    """The weightiest words of the question that the answer does not have, three at most."""
    said = {w.key for w in words(answer, evidence.asked.language)}
    heaviest = np.argsort(-evidence.asked.weights, kind="stable")
    asked = [evidence.asked.words[i] for i in heaviest]
    # "quê" is a function word that only its accent makes a rare one.
    language = guess_language(evidence.asked.text)
    telling = [word for word in asked if words(fold(word.text), language) and _tells(word)]
    return [word.text for word in telling if word.key not in said][:3]


def left_open(question: str, answer: str) -> list[str]:
    """What decides which answer is meant, and is not in this one: a year, "before" or "after".

    The answer may be of another year, or of whoever is there now.
    """
    said = fold(answer)
    return [
        word
        for word in dict.fromkeys(_DECIDES.findall(fold(question)))
        if not re.search(rf"\b{word}\b", said)
    ]


def _tells(word: Word) -> bool:
    """Whether a reader would miss it: not the "go" of "Why did she go?" or the "v" of a case."""
    return len(word.text) >= SHORTEST or word.text.isdigit() or word.text.isupper()


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rsplit(' ', 1)[0]} …"
