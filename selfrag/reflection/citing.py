"""The marks of an answer and what each points to: one citation per quote, not per passage.

A passage may run over a page break and back several claims with different sentences. A number
that stood for the whole passage could only name one page and one sentence of it; so every mark is
given the quotes of the claims that it stands behind, and each of these is a citation of its own.

1. The marks that the writer made are read; where it made none, they are set behind the claims.
2. Each claim that a passage backs is found in the answer by its letters, and belongs to the marks
   that come next, or inside it. One told in other words goes to the marks of its passage behind
   the text that shares most words with it.
3. A fully backed claim whose passage is not named there is given a mark.
4. Marks are numbered in order of appearance. One that no claim's quote belongs to stands for its
   passage as a whole.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from selfrag.models.words import fold
from selfrag.quotes import find_quote
from selfrag.reflection.context import parse_citations
from selfrag.reflection.events import Citation
from selfrag.reflection.grades import Claim, Support
from selfrag.reflection.marks import squeeze
from selfrag.reflection.roles import Passage
from selfrag.reflection.state import Attempt
from selfrag.retrieval.result import Hit

#: (hit, quote) -> page of the quote and its printed label
Locate = Callable[[Hit, str], tuple[int, str | None]]

_MARK = re.compile(r"\[Doc (\d+)\]")
_GROUP = re.compile(r"\[Doc \d+\](?:\s*\[Doc \d+\])*")
_WORD = re.compile(r"\w+")

#: number of a passage and words of it; without words, the passage as a whole
_Place = tuple[int, str]


@dataclass(slots=True)
class _Group:
    """Marks beside each other: where they stand, the passages named, the quotes they stand for."""

    start: int
    end: int
    passages: list[int]
    before: frozenset[str] = frozenset()  #: the words since the marks before
    quotes: list[_Place] = field(default_factory=list)

    def places(self) -> list[_Place]:
        """What its marks point to, in the order in which they are shown."""
        found: list[_Place] = []
        for number in self.passages:
            found += [it for it in self.quotes if it[0] == number] or [(number, "")]
        return list(dict.fromkeys(found))


def cite(attempt: Attempt, locate: Locate) -> tuple[str, list[Citation], int]:
    """The answer with marks ``[1]``, ``[2]`` in order of appearance, what they point to, and how
    many marks named no passage and were removed."""
    claims = attempt.support.claims if attempt.support else ()
    parsed = parse_citations(attempt.answer, attempt.passages)
    if not parsed.numbers and claims:
        # Small models forget the marks; the claims were looked up, so they are known.
        marked = _mark_claims(parsed.answer, claims)
        parsed = replace(parse_citations(marked, attempt.passages), removed=parsed.removed)
    by_number = {passage.number: passage for passage in attempt.passages}
    groups = _groups(parsed.answer)
    _share_out(parsed.answer, [claim for claim in claims if claim.document in by_number], groups)
    shown_as: dict[_Place, int] = {}
    parts, position = [], 0
    for group in sorted(groups, key=lambda it: it.start):
        shown = [shown_as.setdefault(place, len(shown_as) + 1) for place in group.places()]
        space = "" if group.end > group.start else " "
        marks = "".join(f"[{number}]" for number in dict.fromkeys(shown))
        parts += [parsed.answer[position : group.start], space + marks]
        position = group.end
    answer = "".join([*parts, parsed.answer[position:]])
    citations = [
        _citation(shown, by_number[number], quote, locate)
        for (number, quote), shown in shown_as.items()
    ]
    return answer, citations, parsed.removed


def _citation(shown: int, passage: Passage, quote: str, locate: Locate) -> Citation:
    hit = passage.hit
    page, label = locate(hit, quote or hit.text)
    return Citation(
        number=shown,
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
        document=hit.document,
        page=page,
        label=label,
        quote=quote or hit.text,
    )


def _groups(answer: str) -> list[_Group]:
    groups: list[_Group] = []
    position = 0
    for found in _GROUP.finditer(answer):
        numbers = list(dict.fromkeys(int(mark[1]) for mark in _MARK.finditer(found[0])))
        before = _words(answer[position : found.start()])
        groups.append(_Group(found.start(), found.end(), numbers, before))
        position = found.end()
    return groups


def _share_out(answer: str, claims: Sequence[Claim], groups: list[_Group]) -> None:
    """Give every quote to the marks of its claim; marks that are missing are added."""
    written = list(groups)
    for claim, place in zip(claims, _places(answer, claims), strict=True):
        if claim.document is None or not claim.quote or claim.support is Support.NOT:
            continue
        group = (
            _told_otherwise(claim, written)
            if place is None
            else _behind(claim, place, written, groups)
        )
        if group is not None:
            group.quotes.append(_same((claim.document, claim.quote), groups))


def _behind(
    claim: Claim, place: tuple[int, int], written: Sequence[_Group], groups: list[_Group]
) -> _Group | None:
    """The marks of a claim that stands at ``place``; None where it has none and needs none."""
    assert claim.document is not None
    start, end = place
    inside = [group for group in written if start < group.start < end]
    after = next((group for group in written if group.start >= end), None)
    for group in reversed([*inside, *([after] if after else [])]):
        if claim.document in group.passages:
            return group
    if claim.support is not Support.FULLY:
        return None
    if after is not None:
        after.passages.append(claim.document)
        return after
    added = next((group for group in groups if group.start == group.end == end), None)
    if added is None:
        added = _Group(end, end, [])
        groups.append(added)
    added.passages.append(claim.document)
    return added


def _told_otherwise(claim: Claim, written: Sequence[_Group]) -> _Group | None:
    """The marks of its passage behind the text that says most of what the claim says."""
    naming = [group for group in written if claim.document in group.passages]
    said = _words(claim.text)
    return max(naming, key=lambda group: len(group.before & said), default=None)


def _places(answer: str, claims: Sequence[Claim]) -> list[tuple[int, int] | None]:
    """Where each claim stands in the answer, marks left out of account; in order if it can be."""
    letters: list[str] = []
    origins: list[int] = []
    position = 0
    for mark in [*_MARK.finditer(answer), None]:
        until = mark.start() if mark else len(answer)
        for origin in range(position, until):
            folded = squeeze(answer[origin])
            letters += folded
            origins += [origin] * len(folded)
        position = mark.end() if mark else until
    haystack = "".join(letters)
    found: list[tuple[int, int] | None] = []
    after = 0
    for claim in claims:
        needle = squeeze(_MARK.sub("", claim.text))
        start = haystack.find(needle, after)
        if start < 0:
            start = haystack.find(needle)
        if start < 0 or not needle:
            found.append(None)
            continue
        after = start + len(needle)
        found.append((origins[start], origins[after - 1] + 1))
    return found


def _same(place: _Place, groups: Sequence[_Group]) -> _Place:
    """A place that is known already, where the two quotes differ in white space or case alone."""
    letters = squeeze(place[1])
    known = (it for group in groups for it in group.quotes if it[0] == place[0])
    return next((it for it in known if squeeze(it[1]) == letters), place)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(fold(text)))


def _mark_claims(answer: str, claims: Sequence[Claim]) -> str:
    """A mark behind every claim that a passage backs; at the end where it is told otherwise."""
    at_end = ""
    for claim in claims:
        if claim.document is None or claim.support is Support.NOT:
            continue
        mark = f" [Doc {claim.document}]"
        found = find_quote(claim.text.rstrip(".!?… "), answer)
        if found is None:
            at_end += "" if mark in at_end else mark
        elif not answer.startswith(mark, found[1]):
            answer = answer[: found[1]] + mark + answer[found[1] :]
    return answer + at_end
