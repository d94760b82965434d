"""The writer that answers when no language model is configured: whole sentences, quoted.

1. The best sentences of the passages are ranked by the evidence (``selfrag.models.evidence``). A
   heading names what the sentences under it say: the first of them is quoted in its place.
2. One to three are taken: the best, and those nearly as likely to hold the answer.
3. A sentence that only makes sense after the one before it ("It ...") brings that one along.
4. They are put in the order of the document, each with the mark of its passage.

It adds no word of its own, so that every sentence of an answer stands in a document.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from selfrag.models.evidence import Evidence, EvidenceReader, reader_for
from selfrag.models.features import Candidate
from selfrag.models.overview import asks_for_overview, central_sentences
from selfrag.models.packaged import Encoder
from selfrag.models.words import fold
from selfrag.reflection.cleaning import clean_text
from selfrag.reflection.roles import Feedback, Passage

NAME = "sentences quoted from your documents"
NO_PASSAGES = (
    "No language model writes here, so only questions about your documents can be answered, "
    "with sentences quoted from them."
)
NOTHING_LEFT = "No other sentence of these documents answers the question."
MOST = 3  #: sentences
NEARLY = 0.3  #: of the best sentence's probability: the next one is quoted too
TOO_ALIKE = 0.8  #: share of the shorter sentence's words
_LEANS_BACK = re.compile(
    r"(?:he|she|it|they|this|these|those|that|such|his|her|its|their|however|therefore|thus|also"
    r"|ele|ela|eles|elas|isso|isto|esse|essa|esses|essas|este|esta|estes|estas|seu|sua|tal|porem"
    r"|el|ellos|ellas|ello|eso|esto|ese|esa|su|sus|il|elle|ils|elles|cela|ceci|cette|ces|son|sa"
    r"|er|sie|es|dies|diese[rs]?|sein|seine|ihr|ihre|egli|essa|questo|questa|questi|hij|zij|dit"
    r"|deze)\b"
)
#: A few words, numbered perhaps, without a figure or a colon that would say something.
_HEADING = re.compile(
    r"(?:(?:\d{1,2}(?:\.\d{1,2})*|[A-Z]|[IVX]{1,5})[.)]?\s+)?(?:[^\W\d][^\s\d:.;!?]*\s*){1,9}"
)
_MARK = re.compile(r"[\[(](\s*doc(?:ument)?s?\.?\s*[\d,\s]+)[\])]", re.IGNORECASE)


class ExtractiveWriter:
    """Implements ``selfrag.reflection.roles.Writer`` without a language model.

    Args:
        evidence: the reader that the judge of the same run uses, or the packaged embeddings,
            whose reader is then shared.
    """

    name = NAME
    is_language_model = False

    def __init__(self, evidence: EvidenceReader | Encoder) -> None:
        shared = evidence if isinstance(evidence, EvidenceReader) else reader_for(evidence)
        self._reader = shared

    def write(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> Iterator[str]:
        """Yield one sentence with its mark at a time; never one that was not backed before."""
        if not passages:
            yield NO_PASSAGES
            return
        texts = [p.text for p in passages]
        refused = {_bare(text) for text in feedback.unsupported} if feedback else set()
        if asks_for_overview(question):
            every = self._reader.read(question, texts).candidates
            central = central_sentences(every, self._reader)
            chosen = [c for c in central if _bare(c.sentence.text) not in refused]
        else:
            # Of the sentences that the judge has weighed; another one where it has none of these.
            weighed = self._reader.read_among_graded(question, texts).within(texts)
            chosen = select(weighed, refused) or select(self._reader.read(question, texts), refused)
        if not chosen:
            yield NOTHING_LEFT
            return
        for place, candidate in enumerate(in_reading_order(chosen, passages)):
            text = quotable(candidate.sentence.text)
            yield f"{' ' if place else ''}{text} [Doc {passages[candidate.passage].number}]"

    def prompt(
        self, question: str, passages: Sequence[Passage], feedback: Feedback | None = None
    ) -> str:
        """Nothing: no model is asked."""
        return ""


def select(evidence: Evidence, refused: set[str] = frozenset()) -> list[Candidate]:  # type: ignore[assignment]
    """The sentences to quote, the best first; empty where every one was refused."""
    ranked = [
        (float(evidence.scores[row]), evidence.candidates[evidence.chosen[row]])
        for row in evidence.best_first()
    ]
    under = sentences_under_headings(evidence.candidates)
    ranked = [(score, under.get(id(candidate), candidate)) for score, candidate in ranked]
    ranked = [(s, c) for s, c in ranked if _bare(c.sentence.text) not in refused]
    if not ranked:
        return []
    best = ranked[0][0]
    taken: list[Candidate] = []
    for score, candidate in ranked:
        if len(taken) >= MOST or (taken and np.exp(score - best) < NEARLY):
            break
        if taken and (not candidate.sentence.whole or any(_alike(candidate, t) for t in taken)):
            continue
        taken.append(candidate)
    before = _leans_on(evidence, taken[0])
    if before is not None and before not in taken and _bare(before.sentence.text) not in refused:
        taken = [taken[0], before, *taken[1:]][:MOST]
    return taken


def sentences_under_headings(candidates: Sequence[Candidate]) -> dict[int, Candidate]:
    """Identity of a heading -> the whole sentence that follows it in the same passage."""
    return {
        id(one): after
        for one, after in pairwise(candidates)
        if one.passage == after.passage
        and after.sentence.whole
        and not one.sentence.whole
        and _HEADING.fullmatch(one.sentence.text)
    }


def in_reading_order(chosen: Sequence[Candidate], passages: Sequence[Passage]) -> list[Candidate]:
    """Document by document, the best document first, each from its beginning to its end."""
    rank: dict[str, int] = {}
    for candidate in chosen:
        rank.setdefault(passages[candidate.passage].hit.document_id, len(rank))

    def place(candidate: Candidate) -> tuple[int, int, int, int, int]:
        hit = passages[candidate.passage].hit
        page, start = (
            (hit.parent_spans[0].page, hit.parent_spans[0].start)
            if hit.parent_spans
            else (hit.page, 0)
        )
        return rank[hit.document_id], page, start, candidate.passage, candidate.sentence.start

    return sorted(chosen, key=place)


def quotable(text: str) -> str:
    """The sentence as it is shown: nothing invisible, and no mark that looks like a citation."""
    return " ".join(_MARK.sub(r" \1 ", clean_text(text)).split())


def _bare(text: str) -> str:
    return fold(quotable(text)).strip(" .!?;:")


def _alike(one: Candidate, other: Candidate) -> bool:
    a, b = {w.key for w in one.words}, {w.key for w in other.words}
    return len(a & b) >= TOO_ALIKE * max(1, min(len(a), len(b)))


def _leans_on(evidence: Evidence, candidate: Candidate) -> Candidate | None:
    """The sentence before, in the same passage, where this one opens with a word that needs it."""
    if not _LEANS_BACK.match(fold(candidate.sentence.text)):
        return None
    place = evidence.candidates.index(candidate)
    if place == 0:
        return None
    before = evidence.candidates[place - 1]
    return before if before.passage == candidate.passage and before.sentence.whole else None
