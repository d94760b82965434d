"""Which passages came near an answer, where nothing was found: the others are only noise.

A search always returns something. What is worth a look is a passage that the judge gave a chance,
or, where it gives none, one that shares a word with what was searched for.
"""

import re

from selfrag.reflection.events import FoundPassage
from selfrag.reflection.folding import RunView

#: Probability of being relevant, 0 to 1, from which on a passage is shown. The packaged judge
#: gives 0.003 to one that has nothing of the question, 0.01 and more to one that shares its topic.
CHANCE = 0.01
_SHORTEST = 4  #: letters of a word that says what a text is about, in scripts that use spaces
_COMMON = {
    "what",
    "when",
    "where",
    "which",
    "whose",
    "whom",
    "does",
    "have",
    "with",
    "from",
    "this",
}
_WORD = re.compile(r"\w+")


def near(view: RunView) -> list[FoundPassage]:
    """The passages found that came near, the nearest first; often none."""
    asked = set[str]().union(*(_words(search.query) for search in view.searches))
    return [hit for hit in view.nearest if _is_near(hit, view, asked)]


def _is_near(hit: FoundPassage, view: RunView, asked: set[str]) -> bool:
    grade = view.grades.get(hit.chunk_id)
    if grade is not None and grade.relevant is True:
        return True
    if grade is not None and grade.probability is not None:
        return grade.probability >= CHANCE
    return not asked.isdisjoint(_words(f"{hit.heading or ''} {hit.text}"))


def _words(text: str) -> set[str]:
    """Words that are long enough to mean something; character pairs where no spaces are used."""
    found: set[str] = set()
    for word in _WORD.findall(text.casefold()):
        if any(letter >= "\u2e80" for letter in word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= _SHORTEST and word not in _COMMON:
            found.add(word)
    return found
