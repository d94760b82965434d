"""How far the passages back a claim that is not quoted from them, as numbers.

Words and meaning tell whether a sentence speaks of the same thing; figures, names, negations
and directions ("rose" against "fell") tell whether it says the same. None of this understands
a sentence: the fitted probabilities are modest, and the judge says "partially" where they are.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from selfrag.models.features import Candidate, beginnings, take_apart
from selfrag.models.packaged import Encoder
from selfrag.models.words import fold

EMBEDDED = 3  #: sentences for a claim
BACKED = (
    "best",  # share of the claim's weight in its best sentence
    "around",  # in that sentence and those beside it
    "three",  # in the best three sentences together
    "passages",  # in all passages
    "near",  # in the best sentence, counting words with the same beginning
    "heaviest",  # the claim's weightiest word is in the best three
    "figures",  # share of the claim's figures in the best three sentences, 1 if it has none
    "figures_passages",
    "names",  # the same for names
    "names_passages",
    "cosine",  # of the nearest sentence
    "cosine_two",  # mean of the two nearest
    "negated",  # one of claim and best sentence is negated, the other not
    "turned",  # one says more, the other less
    "length",  # log of the claim's words
)
_NEGATION = {
    "en": r"\b(?:not|no|never|without|cannot|neither|nor|none|fail(?:s|ed)?|lacks?"
    r"|un(?:able|likely)|absence)\b|n't\b",
    "pt": r"\b(?:nao|nunca|sem|nem|nenhum[a]?|jamais|tampouco)\b",
    "es": r"\b(?:no|nunca|sin|ni|ningun[oa]?|jamas|tampoco)\b",
    "fr": r"\b(?:ne|pas|jamais|sans|aucune?|ni)\b|\bn'",
    "de": r"\b(?:nicht|nie|niemals|ohne|kein(?:e[nmrs]?)?|weder)\b",
    "it": r"\b(?:non|mai|senza|ne|nessun[oa]?)\b",
    "nl": r"\b(?:niet|nooit|zonder|geen|noch)\b",
}
_MORE = re.compile(
    r"\b(?:increas|higher|more|rise|rose|rising|grow|grew|gain|improv|promot|enhanc|activat|induc"
    r"|upregulat|aument|maior|cresc|mayor|mejor|melhor|hoher|steig|augment|hausse)"
)
_LESS = re.compile(
    r"\b(?:decreas|lower|less|fewer|fall|fell|declin|drop|reduc|inhibit|suppress|impair|prevent"
    r"|downregulat|diminu|menor|redu[zc]|sink|niedriger|baisse|dimin)"
)


@dataclass(frozen=True, slots=True)
class Backing:
    """What the passages hold for a claim.

    Attributes:
        features: in the order of ``BACKED``.
        best: position of the best sentence among the candidates.
    """

    features: NDArray[np.float64]
    best: int


def back(
    claim: str, candidates: Sequence[Candidate], language: str, encoder: Encoder
) -> Backing | None:
    """What backs ``claim`` among the sentences; None where either has no word with meaning."""
    asked = take_apart(claim, candidates, language)
    if not candidates or not asked.words:
        return None
    keys = [w.key for w in asked.words]
    sets = [{w.key for w in c.words} for c in candidates]
    here = np.array([[k in found for k in keys] for found in sets], dtype=bool)
    weights = asked.weights
    # Of two sentences with the same words, the shorter says it more plainly.
    order = np.argsort(-(here @ weights - 0.002 * np.array([len(s) for s in sets])), kind="stable")
    vectors = encoder.vectors([claim, *(candidates[i].sentence.text for i in order[:EMBEDDED])])
    cosines = vectors[1:] @ vectors[0]
    top = int(order[int(np.argmax(0.5 * (here[order[:EMBEDDED]] @ weights) + 0.5 * cosines))])
    beside = [
        j
        for j in (top - 1, top + 1)
        if 0 <= j < len(candidates) and candidates[j].passage == candidates[top].passage
    ]
    three = np.logical_or.reduce(here[order[:3]], axis=0)
    everywhere = np.logical_or.reduce(here, axis=0)
    figures = np.array([w.text[0].isdigit() for w in asked.words])
    names = np.array([w.named for w in asked.words]) & ~figures
    nearest = np.sort(cosines)[::-1]
    return Backing(
        np.array(
            [
                here[top] @ weights,
                here[[top, *beside]].any(axis=0) @ weights,
                three @ weights,
                everywhere @ weights,
                (here[top] | beginnings(asked.words, [candidates[top]])[0]) @ weights,
                three[int(np.argmax(weights))],
                _share(figures, three),
                _share(figures, everywhere),
                _share(names, three),
                _share(names, everywhere),
                nearest[0],
                nearest[:2].mean(),
                _negated(claim, language) != _negated(candidates[top].sentence.text, language),
                _turned(claim, candidates[top].sentence.text),
                math.log1p(len(keys)),
            ],
            dtype=np.float64,
        ),
        top,
    )


def _share(wanted: NDArray[np.bool_], found: NDArray[np.bool_]) -> float:
    return float((wanted & found).sum() / wanted.sum()) if wanted.any() else 1.0


def _negated(text: str, language: str) -> bool:
    return bool(re.search(_NEGATION.get(language, _NEGATION["en"]), fold(text)))


def _turned(one: str, other: str) -> bool:
    a, b = fold(one), fold(other)
    more = bool(_MORE.search(a)), bool(_MORE.search(b))
    less = bool(_LESS.search(a)), bool(_LESS.search(b))
    return (more[0] and not less[0] and less[1] and not more[1]) or (
        less[0] and not more[0] and more[1] and not less[1]
    )
