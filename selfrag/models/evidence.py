"""A question seen against its passages: the sentences that could answer it, scored.

1. the passages are cut into sentences;
2. every sentence is scored by its words (no model, about a tenth of a millisecond each);
3. the best three are embedded and scored again by words and meaning together.

Embedding four, six, eight or all sentences moved the held-out ranking figures by 0.015 at most,
all of a long sentence rather than its beginning by 0.024, the third's beginning shorter than the
first's by 0.01, and embedding is most of the time that a
question takes. The writer and the judge of one run share a reader, so that it is done once.
"""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from selfrag.models.calibration import Calibration, shipped_calibration
from selfrag.models.features import (
    Asked,
    Candidate,
    Rarity,
    dense,
    language_of,
    lexical,
    take_apart,
)
from selfrag.models.packaged import Encoder
from selfrag.models.sentences import split_sentences
from selfrag.models.words import fold, words

KNOWN = "en"  #: the language that the packaged embeddings know
#: Characters of each sentence that are embedded, up to the blank before, the most promising first.
#: They are embedded two at a time: the third waits for one of the others, so it is the shortest.
READ = (190, 150, 100)
#: The same in other languages: there a word is three pieces to the model instead of one, takes as
#: much longer, and tells it less.
READ_OTHER = (90, 80, 60)
GRADED = 64  #: lists of passages that are known to what comes after their grades


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the passages have to say on a question.

    Attributes:
        asked: the question, taken apart.
        passages: their texts.
        candidates: every sentence once, in the order of the passages.
        by_words: features of every candidate, columns ``LEXICAL``.
        word_scores: of every candidate, from its words alone.
        chosen: positions in ``candidates`` of those that were embedded, in order.
        features: of those, columns ``LEXICAL`` and ``DENSE``.
        scores: of those; higher is better, comparable between questions.
    """

    asked: Asked
    passages: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    by_words: NDArray[np.float64]
    word_scores: NDArray[np.float64]
    chosen: tuple[int, ...]
    features: NDArray[np.float64]
    scores: NDArray[np.float64]

    def within(self, passages: Sequence[str]) -> "Evidence":
        """What of it stands in some of the passages, which are numbered anew.

        The scores stay those that the sentences have among all of them. No row is left where
        none of the sentences that were embedded stands there.

        Raises:
            KeyError: a passage is none of them.
        """
        at_of = {fold(c.sentence.text): at for at, c in enumerate(self.candidates)}
        row_of = {at: row for row, at in enumerate(self.chosen)}
        candidates = candidates_of(passages, self.asked.language)
        kept = [at_of[fold(c.sentence.text)] for c in candidates]
        chosen = tuple(at for at, known in enumerate(kept) if known in row_of)
        rows = [row_of[kept[at]] for at in chosen]
        return Evidence(
            self.asked,
            tuple(passages),
            candidates,
            self.by_words[kept],
            self.word_scores[kept],
            chosen,
            self.features[rows],
            self.scores[rows],
        )

    def best_first(self) -> list[int]:
        """Rows of ``chosen``, ``features`` and ``scores``, the best first."""
        order: list[int] = np.argsort(-self.scores, kind="stable").tolist()
        return order


class EvidenceReader:
    """Reads passages for a question. May be shared by threads.

    Args:
        encoder: the packaged embeddings; the coefficients are fitted for them.
        calibration: other coefficients than those shipped.
        rarity: how rare a word is in all documents, about 1 on average; where the index can
            tell, the weights of a question's words no longer rest on its passages alone.
        remembered: sentences whose vectors are kept (1.5 KB each).
    """

    def __init__(
        self,
        encoder: Encoder,
        *,
        calibration: Calibration | None = None,
        rarity: Rarity | None = None,
        remembered: int = 8192,
    ) -> None:
        self.calibration = calibration or shipped_calibration()
        self._encoder = encoder
        self._rarity = rarity
        self._remembered = remembered
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._read: OrderedDict[tuple[str, tuple[str, ...]], Evidence] = OrderedDict()
        self._graded: OrderedDict[tuple[str, tuple[str, ...]], None] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, question: str, passages: Sequence[str]) -> Evidence:
        """The evidence in ``passages``, best passage first as retrieval had them."""
        key = (question, tuple(passages))
        with self._lock:
            known = self._read.get(key)
        if known is None:
            self._take_query_vector(question)
            known = gather(question, key[1], self, self.calibration, self._rarity)
            with self._lock:
                self._read[key] = known
                if len(self._read) > 32:
                    self._read.popitem(last=False)
        return known

    def grade(self, question: str, passages: Sequence[str]) -> Evidence:
        """As `read`; the passages are remembered as those that were graded for the question."""
        key = (question, tuple(passages))
        with self._lock:
            self._graded[key] = None
            self._graded.move_to_end(key)
            if len(self._graded) > GRADED:
                self._graded.popitem(last=False)
        return self.read(question, passages)

    def read_among_graded(self, question: str, passages: Sequence[str]) -> Evidence:
        """The evidence in ``passages`` and those graded with them, in the order of the search.

        A sentence that answers stands out from those that don't, so that it is better judged
        among all of them, and these are known already. Of several lists that were graded for the
        question (another search, another run at the same time) the latest is meant that has most
        of the passages.
        """
        with self._lock:
            lists = [graded for asked, graded in reversed(self._graded) if asked == question]
        graded = max(lists, key=lambda it: len(set(it) & set(passages)), default=())
        return self.read(question, [*(text for text in passages if text not in graded), *graded])

    def _take_query_vector(self, question: str) -> None:
        """The search has embedded the question already, and the embeddings remember it."""
        if isinstance(self._encoder, Embeddings):
            vector = np.array(self._encoder.embed_query(question), dtype=np.float32)
            with self._lock:
                self._vectors[question] = vector

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, one row each; those of texts seen lately are not computed again."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, self._encoder.vectors(new), strict=True))
        with self._lock:
            for text in new:
                self._vectors[text] = known[text]
            while len(self._vectors) > self._remembered:
                self._vectors.popitem(last=False)
        return np.array([known[text] for text in texts], dtype=np.float32)


def candidates_of(passages: Sequence[str], language: str) -> tuple[Candidate, ...]:
    """Every sentence of the passages once, where it stands first."""
    found: dict[str, Candidate] = {}
    for number, passage in enumerate(passages):
        for sentence in split_sentences(passage):
            key = fold(sentence.text)
            if key not in found:
                found[key] = Candidate(number, sentence, words(sentence.text, language))
    return tuple(found.values())


def gather(
    question: str,
    passages: tuple[str, ...],
    encoder: Encoder,
    calibration: Calibration,
    rarity: Rarity | None = None,
) -> Evidence:
    """The evidence, computed anew."""
    language = language_of(question, passages)
    candidates = candidates_of(passages, language)
    asked = take_apart(question, candidates, language, rarity)
    by_words = lexical(asked, candidates)
    word_scores = calibration.preselect.score(by_words)
    chosen = preselect(word_scores)
    features = embed(asked, candidates, by_words, word_scores, chosen, encoder)
    scores = calibration.rank.score(features)
    return Evidence(asked, passages, candidates, by_words, word_scores, chosen, features, scores)


def preselect(word_scores: NDArray[np.float64]) -> tuple[int, ...]:
    """Positions of the sentences worth embedding, in order."""
    return tuple(sorted(np.argsort(-word_scores, kind="stable")[: len(READ)].tolist()))


def embed(
    asked: Asked,
    candidates: Sequence[Candidate],
    by_words: NDArray[np.float64],
    word_scores: NDArray[np.float64],
    chosen: Sequence[int],
    encoder: Encoder,
) -> NDArray[np.float64]:
    """Features of the chosen candidates, columns ``LEXICAL`` and ``DENSE``."""
    lengths = READ if asked.language == KNOWN else READ_OTHER
    most_of = dict(zip(sorted(chosen, key=lambda i: -word_scores[i]), lengths, strict=False))
    heads = [_head(candidates[i].sentence.text, most_of[i]) for i in chosen]
    vectors = encoder.vectors([asked.text, *heads])
    meaning = dense(vectors[0], vectors[1:], chosen, candidates)
    return np.hstack([by_words[list(chosen)], meaning])


def _head(sentence: str, most: int) -> str:
    return sentence if len(sentence) <= most else sentence[:most].rsplit(" ", 1)[0]


_READERS: "weakref.WeakKeyDictionary[Encoder, EvidenceReader]" = weakref.WeakKeyDictionary()
_READERS_LOCK = threading.Lock()


def reader_for(encoder: Encoder) -> EvidenceReader:
    """The reader of this encoder: one for all who ask, so that what was read is read once."""
    with _READERS_LOCK:
        if encoder not in _READERS:
            _READERS[encoder] = EvidenceReader(encoder)
        return _READERS[encoder]
