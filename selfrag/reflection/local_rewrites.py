"""New queries without a language model.

1. The question's key words alone, so that nothing else weighs in the search by meaning.
2. The key words with words that the closest sentences add: pseudo relevance feedback in the
   manner of RM3 (Abdul-Jaleel et al., 2004), over sentences in place of whole passages.
   A word is added only where several sentences use it beside the question's words.
3. The words that nothing found so far has, where a name is among them.

There may be none but the first, or none at all: words taken at random would find anything.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from selfrag.models.answerability import COLUMN
from selfrag.models.evidence import Evidence
from selfrag.models.words import fold, guess_language, words
from selfrag.reflection.cleaning import clean_line
from selfrag.reflection.grades import Rewrite

ADDED = 4  #: words
LENDS_FROM = 0.3  #: share of the question's weight that a sentence has, to lend its words
TOGETHER = 2  #: sentences that must have a word beside the question's
MOSTLY = 0.5  #: share of the sentences with a word that must have the question's too
SHORTEST = 4  #: letters
_ADDRESS = re.compile(r"\S*(?:://|www\.|@|\.(?:com|org|net|io|edu|gov)\b)\S*")


def next_query(evidence: Evidence, question: str, tried: Sequence[str], missing: str) -> Rewrite:
    """The first of the new queries that has not been tried; None where all have been."""
    # In another order the same words find the same passages.
    seen = {_plain(query) for query in (question, *tried)}
    for query, thought in _queries(evidence, question, missing):
        if query and _plain(query) not in seen:
            return Rewrite(query, thought)
    return Rewrite(
        None, "The key words, and those that stand beside them in what was found, have been tried."
    )


def _queries(evidence: Evidence, question: str, missing: str) -> list[tuple[str, str]]:
    # Stems are those of the passages' language; the question may be in another one, whose
    # function words say nothing either.
    language = guess_language(question)
    telling = {word.text for word in words(question, language) if words(fold(word.text), language)}
    asked_words = [word for word in evidence.asked.words if word.text in telling]
    asked = [clean_line(word.text) for word in asked_words]
    keys = {word.key for word in evidence.asked.words}
    wanted = [
        w.text for w in words(clean_line(missing), evidence.asked.language) if w.key not in keys
    ]
    key_words = list(dict.fromkeys([*asked, *wanted[:ADDED]]))
    added = _added(evidence)
    found = {word.key for candidate in evidence.candidates for word in candidate.words}
    unseen = [word for word in asked_words if word.key not in found]
    absent = [clean_line(word.text) for word in unseen]
    tells = any(word.named for word in unseen) and 1 < len(absent) < len(asked)
    several = len(key_words) > 1  # one word alone asks for anything
    return [
        (
            " ".join(key_words) if several else "",
            "Only the key words, so that nothing else weighs.",
        ),
        (
            " ".join([*key_words, *added]) if added and key_words else "",
            "The key words, with words that stand beside them in several sentences.",
        ),
        (
            " ".join(absent) if tells else "",
            "What nothing found so far speaks of.",
        ),
    ]


def _added(evidence: Evidence) -> list[str]:
    """Words that the passages use together with the question's own, the most bound to them first.

    A word counts where at least two sentences have it beside a good part of the question, and most
    of the sentences that have it do: what stands there once stands there by chance (a name in a
    list, a part of an address) and leads the search away. So do words of another language, unless
    that passage has a name that was asked for: "length" is a word of many style sheets.
    """
    known = {word.key for word in evidence.asked.words}
    covered = evidence.by_words[:, COLUMN["coverage"]]
    beside: dict[str, float] = {}
    beside_times: Counter[str] = Counter()
    times: Counter[str] = Counter()
    shown: dict[str, str] = {}
    language = guess_language(evidence.asked.text)
    names = {word.key for word in evidence.asked.words if word.named}
    foreign = {
        number
        for number, text in enumerate(evidence.passages)
        if guess_language(text) != language
        and not any(w.key in names for w in words(text, evidence.asked.language))
    }
    for place, candidate in enumerate(evidence.candidates):
        if candidate.passage in foreign:
            continue
        telling = _telling(candidate.sentence.text)
        for word in {w.key: w for w in candidate.words}.values():
            if word.key in known or word.text not in telling:
                continue
            times[word.key] += 1
            shown.setdefault(word.key, clean_line(word.text).lower())
            if covered[place] >= LENDS_FROM:
                beside_times[word.key] += 1
                beside[word.key] = beside.get(word.key, 0.0) + float(covered[place])
    bound = {
        key: weight / (1 + times[key])
        for key, weight in beside.items()
        if beside_times[key] >= TOGETHER and beside_times[key] >= MOSTLY * times[key]
    }
    best = sorted(bound, key=lambda key: (-bound[key], shown[key]))
    return [shown[key] for key in best[:ADDED]]


@lru_cache(maxsize=2048)
def _telling(sentence: str) -> frozenset[str]:
    """The words of a sentence that mean something by themselves: no function words of its own
    language, no figures, no scraps, no parts of addresses."""
    prose = _ADDRESS.sub(" ", sentence)
    return frozenset(
        word.text
        for word in words(prose, guess_language(prose))
        if len(word.text) >= SHORTEST and word.text.isalpha()
    )


def _plain(query: str) -> frozenset[str]:
    return frozenset(fold(query).replace("?", " ").split())
