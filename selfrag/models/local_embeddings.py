"""Embedding models that run in this process, as LangChain embeddings."""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray
from tokenizers import Tokenizer

from selfrag.models.prefixes import Prefixes
from selfrag.models.query_cache import QUERIES, QueryCache

_CHARACTERS = 4  # of English to a token, about

#: Tokens squared times texts in one inference: attention grows with the square of the longest
#: text. Passages of 2,000 characters go eight at a time, of 6,000 alone.
_BATCH_SQUARES = 8 * (2_000 // _CHARACTERS) ** 2
_COUNTED = 64  # texts of which the tokens are counted at once


class TextModel(Protocol):
    """What is used of FastEmbed's ``TextEmbedding``: one vector per text, in order."""

    def query_embed(self, query: list[str]) -> Iterable[Any]: ...

    def passage_embed(self, texts: list[str]) -> Iterable[Any]: ...


class LocalEmbeddings(Embeddings):
    """A model in this process as LangChain embeddings. May be shared by threads.

    Texts are embedded sorted by length in small batches, because a batch is padded to its
    longest text: over twice as fast as FastEmbed's default of 256 in the order given.

    Args:
        model: the loaded model.
        name, dimension: of the model.
        languages: ISO 639-1 codes that the model knows, elsewhere keyword search weighs more;
            None where it knows many.
        prefixes: what is written before queries and passages.
        batch_size: most texts in one inference; fewer where they are long.
        workers: inferences at once.
        cached_queries: query vectors that are remembered.
    """

    def __init__(
        self,
        model: TextModel,
        name: str,
        dimension: int,
        languages: frozenset[str] | None = None,
        *,
        prefixes: Prefixes | None = None,
        batch_size: int = 8,
        workers: int = 1,
        cached_queries: int = QUERIES,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.languages = languages
        self._model = model
        tokenizer = getattr(getattr(model, "model", None), "tokenizer", None)
        truncation = tokenizer.truncation if tokenizer is not None else None
        self.reads: int | None = truncation["max_length"] if truncation else None
        self._counter = _counter(tokenizer) if tokenizer is not None else None
        self._prefixes = prefixes or Prefixes()
        self._batch_size = batch_size
        self._workers = workers
        self._queries = QueryCache(cached_queries)

    def vectors(
        self,
        texts: Sequence[str],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float32]:
        """Unit vectors of passages, shape ``(len(texts), dimension)``, in the order of ``texts``.

        Args:
            progress: called after each batch with texts done and texts in all.
            cancel: looked at before each batch.

        Raises:
            CancelledError: ``cancel`` was set.
        """
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        done = 0

        def embed(rows: list[int]) -> list[int]:
            if cancel is not None and cancel.is_set():
                raise CancelledError
            made = self._model.passage_embed([self._prefixes.passage + texts[i] for i in rows])
            result[rows] = _unit(np.array(list(made), dtype=np.float32))
            return rows

        batches = self._batches(texts)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="embed") as pool:
            made = pool.map(embed, batches) if self._workers > 1 else map(embed, batches)
            for rows in made:
                done += len(rows)
                if progress is not None:
                    progress(done, len(texts))
        return result

    def cut_off(self, texts: Sequence[str]) -> int:
        """How many texts are longer than the model reads; 0 where that is not known."""
        if self.reads is None or self._counter is None:
            return 0
        # A token is hardly ever less than a character, so most texts need no look.
        long = [text for text in texts if len(text) > self.reads // 2]
        return sum(tokens > self.reads for tokens in self._tokens(long))

    def _tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each passage; estimated from its characters where they cannot be counted."""
        if self._counter is None:
            return [len(text) // _CHARACTERS for text in texts]
        counts: list[int] = []
        for start in range(0, len(texts), _COUNTED):
            some = [self._prefixes.passage + text for text in texts[start : start + _COUNTED]]
            counts += [len(one.ids) for one in self._counter.encode_batch_fast(some)]
        return counts

    def _batches(self, texts: Sequence[str]) -> list[list[int]]:
        """Rows of texts that go together, longest first.

        Longest in tokens: sorted by characters, pairs carry 7% of padding (15 pages of a
        gazette), by tokens under 1%.
        """
        tokens = self._tokens(texts)
        longest_first = sorted(range(len(texts)), key=lambda i: -tokens[i])
        size = self._batch_size
        if self._workers > 1:
            # Of a few sentences of a question the longest are embedded side by side, each by
            # itself: a tenth to a quarter less waiting than for pairs.
            size = min(size, max(1, len(texts) // (2 * self._workers)))
        batches = []
        start = 0
        while start < len(texts):
            most = _BATCH_SQUARES // max(1, tokens[longest_first[start]]) ** 2
            batches.append(longest_first[start : start + max(1, min(size, most))])
            start += len(batches[-1])
        return batches

    def embed_documents(
        self,
        texts: list[str],
        *,
        progress: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> list[list[float]]:
        """As ``vectors``, as LangChain wants it."""
        rows: list[list[float]] = self.vectors(texts, progress=progress, cancel=cancel).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        """The unit vector of one query; the last few hundred are remembered."""
        return self._queries.vector(text, self._embed_query)

    def _embed_query(self, text: str) -> list[float]:
        made = self._model.query_embed([self._prefixes.query + text])
        vector: list[float] = _unit(np.array(list(made), dtype=np.float32))[0].tolist()
        return vector


def _counter(tokenizer: Tokenizer) -> Tokenizer:
    """A tokenizer that counts: it neither cuts texts nor fills them up."""
    counter = Tokenizer.from_str(tokenizer.to_str())
    counter.no_truncation()
    counter.no_padding()
    return counter


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of length 1; a few of FastEmbed's models give others. A row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths == 0, 1, lengths)).astype(np.float32)
