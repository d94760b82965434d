"""Passages to sentences, whole ones where it can be seen where they end.

Text of PDFs mixes prose with headings, lists and table rows, so the text is cut twice: first
into blocks (blank lines, list items, rows, short lines that no sentence continues), then each
block after its sentence ends. A full stop ends no sentence behind an abbreviation, an initial
or an ordinal. Nothing here knows a language; the abbreviations are those of several.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

LONGEST = 600  #: characters; what is longer is cut at a semicolon or a line end if there is one
_ITEM = re.compile(
    r"\s*(?:[-•‣▪●○◦–*·]\s+|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]\s+|[A-Z]\)\s+|§\s*\d)"
)
_COLUMNS = re.compile(r"\S(?:\t| {3,}|\s*\|\s*)\S")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_END = re.compile(
    r"(?P<stop>[.!?…]+)[\"'”’»)\]]*(?:\s*\[\d+(?:[,–-]\s*\d+)*\])*(?=\s|$)"
    r"|(?P<wide>[。！？｡؟।]+[”’」』）]*)"
)
_OPENS = re.compile(r"\s+[\"'“‘«(\[¿¡—–-]*(?P<first>\S)")
_LAST_WORD = re.compile(r"(\S+)$")
_TERMINATED = re.compile(r"[.!?…。！？｡؟।:;][\"'”’»)\]]*\s*$")
_ABBREVIATIONS = frozenset(
    # English, then Portuguese, Spanish, French, Italian and German
    """
    mr mrs ms dr prof st jr sr v vs al figs eq eqs vols pp eds e.g i.e cf approx dept est inc ltd
    corp gov sen rep gen lt capt sgt rev hon mt jan feb mar apr jun jul aug sep sept oct nov dec
    u.s u.k a.k.a ca viz resp sra dra profa pág págs exmo exma ltda cia p.ex ee.uu dña mme mlle
    dott ecc z.b d.h bzw ggf inkl vgl u.a s.o s.u evtl
    """.split()  # noqa: SIM905 - a list of a hundred quoted words would not be readable
)
#: Words of their own too ("no", "art"): abbreviations only where a number follows.
_BEFORE_NUMBER = frozenset(
    "no nos nº nr art arts fig p pag cap caps núm vol ch chap sec séc ref refs ed abs str".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a passage.

    Attributes:
        text: on one line, blanks collapsed.
        start, end: its character range in the passage.
        whole: False where the passage seems to begin or end inside it, and for headings
            and rows, which are no sentences.
    """

    text: str
    start: int
    end: int
    whole: bool


@lru_cache(maxsize=1024)
def split_sentences(passage: str) -> tuple[Sentence, ...]:
    """The sentences of ``passage`` in order; together they hold every visible character."""
    found: list[Sentence] = []
    for block_start, block_end in _blocks(passage):
        for start, end in _ends(passage, block_start, block_end):
            visible = passage[start:end].strip()
            if visible:
                start += passage[start:end].index(visible[0])
                text = " ".join(visible.split())
                found.append(Sentence(text, start, start + len(visible), _is_whole(text)))
    return tuple(found)


def _blocks(passage: str) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    start = 0
    for blank in [*_BLANK.finditer(passage), None]:
        end = blank.start() if blank else len(passage)
        blocks.extend(_lines(passage, start, end))
        start = blank.end() if blank else end
    return [(a, b) for a, b in blocks if passage[a:b].strip()]


def _lines(passage: str, start: int, end: int) -> list[tuple[int, int]]:
    """A paragraph cut where a line is plainly not continued by the next."""
    bounds = []
    at = start
    for line in passage[start:end].split("\n"):
        bounds.append((at, at + len(line)))
        at += len(line) + 1
    longest = max(b - a for a, b in bounds)
    pieces: list[tuple[int, int]] = []
    piece_start = start
    for (a, b), (c, d) in pairwise(bounds):
        line, following = passage[a:b], passage[c:d]
        first = following.lstrip()[:1]
        short = (b - a) < 0.7 * longest or longest < 45
        ended = short and not _is_lower(first) and not line.rstrip().endswith((",", "-", "–"))
        row = bool(_COLUMNS.search(line)) or bool(_COLUMNS.search(following))
        if _ITEM.match(following) or row or (ended and (b - a) < 200):
            pieces.append((piece_start, b))
            piece_start = c
    pieces.append((piece_start, end))
    return pieces


def _ends(passage: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    item = _ITEM.match(passage, start, end)
    at, searched = start, item.end() if item else start
    for mark in _END.finditer(passage, searched, end):
        if mark["wide"] or _closes(passage, mark, at, end):
            spans.append((at, mark.end()))
            at = mark.end()
    spans.append((at, end))
    return [piece for span in spans for piece in _shortened(passage, *span)]


def _closes(passage: str, mark: re.Match[str], start: int, end: int) -> bool:
    following = _OPENS.match(passage, mark.end(), end)
    if following is None:
        return True
    first = following["first"]
    if _is_lower(first):
        return False
    if mark["stop"] != ".":
        return True
    word = _LAST_WORD.search(passage, max(start, mark.start() - 24), mark.start())
    if word is None:
        return True
    written = word[1].lstrip("(\"'“‘«[")
    bare = written.lower()
    initial = len(written) == 1 and written.isupper()
    ordinal = bare.isdigit() and len(bare) <= 2 and word.start() == start
    numbered = bare in _BEFORE_NUMBER and first.isdigit()
    return not (initial or ordinal or numbered or bare in _ABBREVIATIONS)


def _shortened(passage: str, start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= LONGEST:
        return [(start, end)]
    cut = max(passage.rfind(mark, start + 80, start + LONGEST) for mark in ("; ", "\n"))
    if cut < 0:
        return [(start, end)]
    return [(start, cut + 1), *_shortened(passage, cut + 1, end)]


def _is_whole(text: str) -> bool:
    return (
        bool(_TERMINATED.search(text))
        and not _is_lower(text[0])
        and (len(text.split()) >= 4 or not text.isascii())
    )


def _is_lower(character: str) -> bool:
    return character.islower()
