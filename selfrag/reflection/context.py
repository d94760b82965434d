"""What stands in a prompt besides its rules, and what comes back with marks ``[Doc n]``.

Passages stand in XML whose content can't close it; each names its source and its relevance
score. The writer marks what a passage backs with ``[Doc n]``; models vary the form, so the
marks are read leniently and written back in one form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from selfrag.reflection.cleaning import clean_line, clean_question, clean_text, escape
from selfrag.reflection.roles import Passage, Turn

__all__ = ["Citations", "clean_question", "format_context", "parse_citations", "source_line"]

_SOURCE_LIMIT = 120  #: characters of a file name: enough to know it, too few for a letter
_ASKED_LIMIT = 400  #: characters of a question of the conversation
_ANSWERED_LIMIT = 600  #: characters of an answer of it: what a follow-up points to stands early

_NUMBERS = r"\d{1,3}(?:\s*[-–]\s*\d{1,3})?"
_WORD = r"(?:docs?|documents?|documentos?|dokumente?)\.?\s*\#?"
_MARK = re.compile(
    rf"""(?P<space>[ \t]*)
    [\[【(](?:
        (?P<named>{_WORD}\s*{_NUMBERS}(?:\s*(?:[,;&]|and|e|y|und)\s*(?:{_WORD}\s*)?{_NUMBERS})*)[\]】)]
      | (?P<bare>\d{{1,2}}(?:\s*,\s*\d{{1,2}})*)[\]】]
    )
    (?P<link>\([^()\s]*\))?""",
    re.IGNORECASE | re.VERBOSE,
)
_JOINER = "\u2060"  #: seen by nobody; keeps a document's own [1] from being read as our mark
_RANGE = re.compile(r"(\d+)\s*[-–]\s*(\d+)|(\d+)")


@dataclass(frozen=True, slots=True)
class Citations:
    """An answer with its marks in one form.

    Attributes:
        answer: the text; every mark in it reads ``[Doc n]`` and names a passage that is there.
        numbers: the passages that are cited, in order of their first mark.
        removed: how many marks named a passage that is not there; they are taken out.
    """

    answer: str
    numbers: tuple[int, ...]
    removed: int


def source_line(passage: Passage) -> str:
    """Where a passage comes from: ``handbook.pdf, page 12`` or ``handbook.pdf, pages 12-13``."""
    pages = sorted({span.page for span in passage.hit.parent_spans}) or [passage.hit.page]
    where = f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]}-{pages[-1]}"
    name = clean_line(passage.hit.document.replace("|", "/"), _SOURCE_LIMIT)
    return f"{name}, {where}"


def format_context(passages: Sequence[Passage]) -> str:
    """The passages as XML, each with its number, source, and relevance score (0 to 1).

    Nothing in a passage or a file's name can close or open a tag, and nothing that a reader
    would not see is left in it.
    """
    lines = ["<context>"]
    for passage in passages:
        score = f"{passage.relevance:.2f}"
        lines += [
            f'<document index="{passage.number}">',
            f"<metadata>Source: {escape(source_line(passage))} | Relevance Score: {score}"
            "</metadata>",
            f"<content>{escape(clean_text(passage.text).strip())}</content>",
            "</document>",
        ]
    return "\n".join([*lines, "</context>"])


def format_history(history: Sequence[Turn]) -> str:
    """The conversation, oldest turn first; each part on one line and cut to a bound."""
    return "\n".join(
        f"<asked>{escape(clean_line(clean_question(turn.question), _ASKED_LIMIT))}</asked>\n"
        f"<answered>{escape(clean_line(turn.answer, _ANSWERED_LIMIT))}</answered>"
        for turn in history
    )


def parse_citations(answer: str, passages: Sequence[Passage]) -> Citations:
    """Read the marks of an answer: ``[Doc 1]``, ``[Doc 1, Doc 3]``, ``[doc 2]``, ``[1]``.

    A mark that names several passages becomes one mark for each. Numbers that are not among
    ``passages`` are taken out and counted. A bare ``[n]`` is a mark only where the answer has no
    ``[Doc n]``: beside those it is a reference of the document's own, and is kept as text that
    no later reader takes for a mark. One that no passage has is left alone where it is part of a
    word (``a[7]``). A link behind a mark is taken off, for it would lead the reader elsewhere
    than to the passage.
    """
    known = {passage.number for passage in passages}
    named = any(mark["named"] for mark in _MARK.finditer(answer))
    cited: list[int] = []
    removed = 0

    def replace(mark: re.Match[str]) -> str:
        nonlocal removed
        if named and mark["bare"]:
            return mark[0].replace("[", f"[{_JOINER}")
        numbers = _numbers(mark["named"] or mark["bare"])
        there = [number for number in numbers if number in known]
        before = answer[mark.start() - 1] if mark.start() else ""
        if mark["bare"] and not there and not mark["space"] and before.isalnum():
            return mark[0]
        removed += len(numbers) - len(there)
        cited.extend(there)
        if not there:
            return ""
        return mark["space"] + "".join(f"[Doc {number}]" for number in there)

    clean = _MARK.sub(replace, answer)
    return Citations(clean.strip(), tuple(dict.fromkeys(cited)), removed)


def without_marks(answer: str) -> str:
    """The answer without its marks ``[Doc n]``; a bare ``[n]`` may be the text's own and stays."""
    return _MARK.sub(lambda mark: "" if mark["named"] else mark[0], answer)


def _numbers(listed: str) -> list[int]:
    """Every number of a mark, ranges counted out (``1-3``), each once."""
    numbers: list[int] = []
    for low, high, single in _RANGE.findall(listed):
        if single:
            numbers.append(int(single))
        elif int(low) <= int(high) <= int(low) + 20:
            numbers.extend(range(int(low), int(high) + 1))
        else:
            numbers += [int(low), int(high)]
    return list(dict.fromkeys(numbers))
