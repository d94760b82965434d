"""BM25 as sparse vectors, made by the engine: no model, no download.

A document's vector holds each word's saturated frequency; the collection weighs it by
the inverse document frequency when it searches (Robertson and Zaragoza, 2009, "The
Probabilistic Relevance Framework: BM25 and Beyond"; k = 1.2, b = 0.75). A word's index is
the absolute value of the murmur3 hash of its stem, as in fastembed's ``Qdrant/bm25``.
"""

from collections.abc import Sequence

from langchain_qdrant import SparseEmbeddings
from langchain_qdrant.sparse_embeddings import SparseVector

from selfrag.index.languages import encoder, spaced

#: Characters per word, stop words counted: about 6 in English, Portuguese and Spanish texts.
_CHARACTERS_PER_WORD = 6
#: How full a child chunk is on average, cut where paragraphs and sentences end.
FILLED = 0.75


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
        """The query's words, each with weight 1; empty where it has only stop words."""
        return self.embed_query_in(text, [self.language])

    def embed_query_in(self, text: str, languages: Sequence[str]) -> SparseVector:
        """The query's words as each of the languages stems them, each with weight 1.

        What is a stop word in one language counts where another keeps it.
        """
        query = spaced(text, singles=False)
        indices: set[int] = set()
        for language in languages or [self.language]:
            indices.update(encoder(language, self.avg_len).embed_query(query).indices)
        return SparseVector(indices=sorted(indices), values=[1.0] * len(indices))
