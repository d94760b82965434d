"""How well each sentence answers a question, as numbers; the order of the names is the contract
between the calibration and the models that read its coefficients.

A question's words weigh by how rare they are among the sentences at hand, ``log(1 + n / (1 +
df))``: the words that all retrieved passages share don't tell them apart, and a word that none
of them has weighs most, which is what an abstention needs. Weights from a background of all
documents may be multiplied in; those of the embedding model's vocabulary did not help.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from selfrag.models.cues import Kind, asked_kind, holds
from selfrag.models.sentences import Sentence
from selfrag.models.words import Word, fold, guess_language, words

Rarity = Callable[[str], float]
_TELLING = 300  # characters of a passage that tell its language, as a hundred do of 2,090 questions

LEXICAL = (
    "coverage",  # share of the question's weight in the sentence's words
    "near",  # further share covered by words with the same beginning
    "around",  # further share covered by the sentences beside it
    "passage",  # share covered by the whole passage
    "pairs",  # share of neighbouring question words that are neighbours here too
    "named",  # share of the question's names and numbers in the sentence
    "named_around",  # the same in the sentences beside it or the passage's first
    "rarest",  # 1 if the question's weightiest word is there
    "fits",  # holds the kind of answer asked for
    "misfits",  # the kind asked for is known and not there
    "new",  # log of the number of words that the question doesn't have
    "length",  # log of the number of words
    "whole",  # a whole sentence, not a heading, row or cut piece
    "asks",  # a question itself
    "first",  # first of its passage
    "rank",  # 1 / rank of its passage
)
DENSE = (
    "cosine",  # of question and sentence
    "cosine_around",  # the better of the sentences beside it, where known
    "cosine_passage",  # best of its passage
)


#: The stop words of the index leave these in; no passage has them, so they would weigh most.
_ASKING = frozenset(
    """
    who whom whose what which when where why how many much does did please tell explain describe
    quem qual quais quando onde quanto quanta quantos quantas como porque explique descreva
    quien quienes cual cuales cuando donde cuanto cuanta cuantos cuantas explica
    qui quel quelle quels quelles quand combien comment pourquoi
    wer wem wen was welche welcher welches welchen wann wo wie wieviel viele warum wieso
    chi quale quali dove quanti quante perche wie welk welke wanneer waar hoe hoeveel waarom
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart.

    Attributes:
        words: its words that carry meaning, each once.
        weights: of each word, summing to 1.
        kind: of the answer asked for, or None.
    """

    text: str
    language: str
    words: tuple[Word, ...]
    weights: NDArray[np.float64]
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, the 0-based position of its passage, and its words."""

    passage: int
    sentence: Sentence
    words: tuple[Word, ...]


def take_apart(
    question: str, candidates: Sequence[Candidate], language: str, rarity: Rarity | None = None
) -> Asked:
    """The question's words, weighed by their rarity among ``candidates`` and by ``rarity``."""
    asked = question_words(question, language)
    sets = [{w.key for w in c.words} for c in candidates]
    raw = []
    for word in asked:
        frequency = sum(word.key in keys for keys in sets)
        local = math.log(1 + len(sets) / (1 + frequency))
        raw.append(local * (rarity(word.text) if rarity else 1.0))
    weights = np.array(raw, dtype=np.float64)
    return Asked(
        question, language, asked, weights / max(weights.sum(), 1e-9), asked_kind(question)
    )


def question_words(question: str, language: str) -> tuple[Word, ...]:
    """Each word of the question once, without the words that only ask ("how many")."""
    seen: dict[str, Word] = {}
    for word in words(question, language):
        seen.setdefault(word.key, word)
    telling = tuple(word for word in seen.values() if fold(word.text) not in _ASKING)
    return telling or tuple(seen.values())


def language_of(question: str, passages: Sequence[str]) -> str:
    """The passages' language: stems must match there; the question's own where there are none."""
    return guess_language(" ".join(p[:_TELLING] for p in passages) or question)


def lexical(asked: Asked, candidates: Sequence[Candidate]) -> NDArray[np.float64]:
    """Shape ``(len(candidates), len(LEXICAL))``, columns in the order of ``LEXICAL``."""
    keys = [w.key for w in asked.words]
    here = np.array(
        [[k in found for k in keys] for found in ({w.key for w in c.words} for c in candidates)],
        dtype=bool,
    ).reshape(len(candidates), len(keys))
    passages = np.array([c.passage for c in candidates])
    whole = np.zeros_like(here)
    opens = np.zeros(len(candidates), dtype=int)
    for passage in dict.fromkeys(passages.tolist()):
        same = passages == passage
        whole[same] = here[same].any(axis=0)
        opens[same] = np.argmax(same)
    around = here.copy()
    beside = (passages[1:] == passages[:-1])[:, np.newaxis]
    around[1:] |= here[:-1] & beside
    around[:-1] |= here[1:] & beside
    weights = asked.weights
    named = np.array([w.named for w in asked.words], dtype=np.float64)
    named /= max(named.sum(), 1.0)
    covered = here @ weights
    heaviest = int(np.argmax(weights)) if len(weights) else 0
    rows = np.zeros((len(candidates), len(LEXICAL)))
    columns = (
        covered,
        (here | beginnings(asked.words, candidates)) @ weights - covered,
        around @ weights - covered,
        whole @ weights,
        [_pairs(keys, c.words) for c in candidates],
        here @ named,
        (around | here[opens]) @ named,
        here[:, heaviest] if keys else 0.0,
    )
    for column, values in enumerate(columns):
        rows[:, column] = values
    known = frozenset(keys)
    for i, candidate in enumerate(candidates):
        text = candidate.sentence.text
        fits = asked.kind is not None and holds(text, asked.kind, asked.text)
        rows[i, len(columns) :] = (
            fits,
            asked.kind is not None and not fits,
            math.log1p(sum(w.key not in known for w in candidate.words)),
            math.log1p(len(candidate.words)),
            candidate.sentence.whole,
            text.rstrip().endswith(("?", "？")),
            i == opens[i],
            1 / (1 + candidate.passage),
        )
    return rows


def dense(
    question: NDArray[np.float32],
    vectors: NDArray[np.float32],
    chosen: Sequence[int],
    candidates: Sequence[Candidate],
) -> NDArray[np.float64]:
    """Shape ``(len(chosen), len(DENSE))``; ``vectors`` are those of the chosen candidates."""
    cosines = vectors @ question
    at = {index: float(c) for index, c in zip(chosen, cosines, strict=True)}
    rows = np.zeros((len(chosen), len(DENSE)))
    for row, index in enumerate(chosen):
        passage = candidates[index].passage
        beside = [
            at[j] for j in (index - 1, index + 1) if j in at and candidates[j].passage == passage
        ]
        best = max(c for j, c in at.items() if candidates[j].passage == passage)
        rows[row] = (at[index], max(beside, default=0.0), best)
    return rows


def beginnings(asked: Sequence[Word], candidates: Sequence[Candidate]) -> NDArray[np.bool_]:
    """Which words occur up to their ending: inflections that the stemmer keeps apart.

    Shape ``(len(candidates), len(asked))``; words under four letters are left out.
    """
    heads = [w.text[: max(4, (3 * len(w.text)) // 4)].lower() for w in asked]
    rows = []
    for candidate in candidates:
        # One search of a joined line is several times faster than one for each word.
        line = " " + " ".join(w.text for w in candidate.words).lower()
        rows.append([len(head) >= 4 and f" {head}" in line for head in heads])
    return np.array(rows, dtype=bool).reshape(len(candidates), len(asked))


def _pairs(keys: Sequence[str], found: Sequence[Word]) -> float:
    if len(keys) < 2:
        return 0.0
    places: dict[str, list[int]] = {key: [] for key in keys}
    for place, word in enumerate(found):
        if word.key in places:
            places[word.key].append(place)
    met = sum(
        any(abs(a - b) <= 2 for a in places[first] for b in places[second])
        for first, second in pairwise(keys)
    )
    return met / (len(keys) - 1)
