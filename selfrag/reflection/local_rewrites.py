"""New queries without a language model.

1. The question's key words alone, so that nothing else weighs in the search by meaning.
2. The key words with words that the closest sentences add: pseudo relevance feedback in the
   manner of RM3 (Abdul-Jaleel et al., 2004), over sentences in place of whole passages.
3. The words that nothing found so far has, with the first of those additions.

Only sentences that share words with the question lend theirs.
"""

from collections.abc import Sequence

import numpy as np

from selfrag.models.answerability import COLUMN
from selfrag.models.evidence import Evidence
from selfrag.models.words import fold, guess_language, words
from selfrag.reflection.cleaning import clean_line
from selfrag.reflection.grades import Rewrite

ADDED = 4  #: words
LENDS_FROM = 0.3  #: share of the question's weight that a sentence has, to lend its words


def next_query(evidence: Evidence, question: str, tried: Sequence[str], missing: str) -> Rewrite:
    """The first of the new queries that has not been tried; None where all have been."""
    seen = {_plain(query) for query in (question, *tried)}
    for query, thought in _queries(evidence, question, missing):
        if query and _plain(query) not in seen:
            return Rewrite(query, thought)
    return Rewrite(None, "The key words and the words around them have all been tried.")


def _queries(evidence: Evidence, question: str, missing: str) -> list[tuple[str, str]]:
    # Stems are those of the passages' language; the question may be in another one, whose
    # function words say nothing either.
    telling = {word.text for word in words(question, guess_language(question))}
    asked_words = [word for word in evidence.asked.words if word.text in telling]
    asked = [clean_line(word.text) for word in asked_words]
    keys = {word.key for word in evidence.asked.words}
    wanted = [
        w.text for w in words(clean_line(missing), evidence.asked.language) if w.key not in keys
    ]
    key_words = list(dict.fromkeys([*asked, *wanted[:ADDED]]))
    added = _added(evidence)
    absent = [
        word.text
        for word in asked_words
        if not any(word.key == w.key for c in evidence.candidates for w in c.words)
    ]
    several = len(key_words) > 1  # one word alone asks for anything
    return [
        (
            " ".join(key_words) if several else "",
            "Only the key words, so that nothing else weighs.",
        ),
        (
            " ".join([*key_words, *added]) if added and key_words else "",
            "The key words, with words that the closest sentences use.",
        ),
        (
            " ".join([*absent, *added[:2]])
            if absent and len(absent) < len(asked) and len(absent) + len(added) > 1
            else "",
            "What nothing found so far speaks of.",
        ),
    ]


def _added(evidence: Evidence) -> list[str]:
    """Words of the closest sentences, weighted by how likely each sentence answers."""
    if not len(evidence.scores):
        return []
    known = {word.key for word in evidence.asked.words}
    likely = np.exp(evidence.scores - evidence.scores.max())
    weight: dict[str, float] = {}
    shown: dict[str, str] = {}
    everywhere = [{w.key for w in c.words} for c in evidence.candidates]
    for row, place in enumerate(evidence.chosen):
        if evidence.features[row, COLUMN["coverage"]] < LENDS_FROM:
            continue
        candidate = evidence.candidates[place]
        own = guess_language(evidence.passages[candidate.passage])
        telling = {word.text for word in words(candidate.sentence.text, own)}
        for word in {w.key: w for w in candidate.words}.values():
            short = len(word.text) < 3 or word.text[0].isdigit()
            if word.key in known or short or word.text not in telling:
                continue
            rare = np.log(1 + len(everywhere) / sum(word.key in keys for keys in everywhere))
            share = likely[row] / len(candidate.words)
            weight[word.key] = weight.get(word.key, 0.0) + float(share * rare)
            shown.setdefault(word.key, clean_line(word.text).lower())
    best = sorted(weight, key=lambda key: (-weight[key], shown[key]))
    return [shown[key] for key in best[:ADDED]]


def _plain(query: str) -> tuple[str, ...]:
    return tuple(fold(query).replace("?", " ").split())
