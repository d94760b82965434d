"""Whether two documents of one name are two versions of one, or two that are called alike."""

from collections.abc import Iterable

from selfrag.pages import Page

WORDS = 4  #: words in a row that are compared
SHARED = 0.3  #: share of the shorter document's word runs from which on it is a version


def is_version(new: Iterable[Page], old: Iterable[Page]) -> bool:
    """Whether enough of the shorter text stands in the other, word for word.

    Broder 1997, "On the resemblance and containment of documents": containment of w-shingles.
    """
    first, second = _runs(new), _runs(old)
    shorter = min(len(first), len(second))
    return shorter > 0 and len(first & second) / shorter >= SHARED


def _runs(pages: Iterable[Page]) -> set[tuple[str, ...]]:
    words = [word.casefold() for page in pages for word in page.text.split()]
    return {tuple(words[start : start + WORDS]) for start in range(len(words) - WORDS + 1)}
