"""BM25 as sparse vectors, made by the engine: no model, no download.

A document's vector holds each word's saturated frequency; the collection weighs it by
the inverse document frequency when it searches (Robertson and Zaragoza, 2009, "The
Probabilistic Relevance Framework: BM25 and Beyond"; k = 1.2, b = 0.75). A word's index is
the absolute value of the murmur3 hash of its stem, as in fastembed's ``Qdrant/bm25``.
"""

from collections.abc import Sequence

from langchain_qdrant import SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector

from selfrag.index.languages import LANGUAGES, encoder, spaced
from selfrag.index.question import understood

#: Characters per word, stop words counted: about 6 in English, Portuguese and Spanish texts.
_CHARACTERS_PER_WORD = 6
#: How full a child chunk is on average, cut where paragraphs and sentences end.
FILLED = 0.75
#: Weight of a stem that a query has in a language not its own, in a library that holds its own
#: too. Such a stem is rarer than the word is, in a few passages of another language, so that its
#: inverse document frequency is too high. In ten searches of mixed libraries (sets in English,
#: Portuguese and Spanish) nDCG@10 is higher by 0.001 to 0.008 than with 1, equally so at 0.4
#: and 0.6; with 0 it is lower again, for names are inflected too.
FOREIGN_STEM = 0.5


def average_words(chunk_size: int) -> int:
    """The average length in words of chunks of at most ``chunk_size`` characters.

    BM25 weighs lengths against it, and the vectors are made with it: one index has one value.
    Taken from the setting rather than from the first documents, so that the same files give
    the same index in whatever order. It matters little: with lengths counted without stop
    words, as the engine counts a text's own (10 characters a word), hybrid nDCG@10 is lower by
    0.005 on SciFact (p 0.18) and higher by 0.004 on FaQuAD and Pira-pt (p 0.07, 0.10).
    """
    return max(1, round(chunk_size * FILLED / _CHARACTERS_PER_WORD))


class Bm25Embeddings(SparseEmbeddings):
    """LangChain's sparse embeddings over the engine's BM25.

    Args:
        language: ISO 639-1 code or English name; taken where a call names none. Unknown
            languages get neither stop words nor stemming.
        avg_len: average length of a chunk, in words.
    """

    def __init__(self, language: str = "english", avg_len: float = 256.0) -> None:
        self.language = language
        self.avg_len = avg_len

    def embed_documents(self, texts: list[str]) -> list[SparseVector]:
        """One vector per text, in the default language."""
        return self.embed_documents_in(texts, self.language)

    def embed_documents_in(self, texts: Sequence[str], language: str | None) -> list[SparseVector]:
        """One vector per text, in ``language`` (None: the default)."""
        bm25 = encoder(language or self.language, self.avg_len)
        made = [bm25.embed_document(spaced(text, singles=True)) for text in texts]
        return [SparseVector(indices=each.indices, values=each.values) for each in made]

    def embed_query(self, text: str) -> SparseVector:
        """The query's words; empty where it has only stop words."""
        return self.embed_query_in(text, [self.language])

    def embed_query_in(self, text: str, languages: Sequence[str]) -> SparseVector:
        """The query's words as each of the languages stems them.

        A stop word of the language that the query itself is in counts in none of them (see
        `selfrag.index.question`). A word has weight 1; a stem that it has only in languages
        other than the query's own has ``FOREIGN_STEM``.
        """
        question = understood(spaced(text, singles=False))
        asked = [LANGUAGES.get(language, language) for language in languages or [self.language]]
        own = LANGUAGES.get(question.language or "", question.language)
        weights: dict[int, float] = {}
        for language in asked:
            weight = 1.0 if own not in asked or language == own else FOREIGN_STEM
            for index in encoder(language, self.avg_len).embed_query(question.text).indices:
                weights[index] = max(weight, weights.get(index, 0.0))
        indices = sorted(weights)
        return SparseVector(indices=indices, values=[weights[index] for index in indices])
