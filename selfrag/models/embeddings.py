"""Which model makes the dense vectors: the packaged one, the multilingual one that can be
installed beside it, one of FastEmbed's, or an endpoint's.

All of them are LangChain embeddings with a name, a dimension and the languages they know, so
that the collection can remember what made it.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import openai
from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings
from numpy.typing import NDArray

from selfrag.errors import ModelError, UserError
from selfrag.models import multilingual
from selfrag.models.local_embeddings import LocalEmbeddings
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.models.patience import PatientClient, limits
from selfrag.models.prefixes import languages_of, prefixes_of
from selfrag.models.query_cache import QueryCache
from selfrag.settings import PACKAGED_EMBEDDING_MODEL, Settings

Progress = Callable[[int, int], None]

#: Dimensions that are known without asking the endpoint.
OPENAI_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


class EmbeddingModel(Protocol):
    """Embeddings as the library and the funnel use them.

    ``languages`` None means any; ``reads`` is how many tokens of a text are read, None where
    that is not known.
    """

    name: str
    dimension: int
    languages: frozenset[str] | None
    reads: int | None

    def vectors(
        self,
        texts: Sequence[str],
        *,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float32]: ...

    def cut_off(self, texts: Sequence[str]) -> int: ...

    def embed_documents(
        self,
        texts: list[str],
        *,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


class EndpointEmbeddings(Embeddings):
    """An OpenAI-compatible ``/embeddings`` endpoint.

    Raises:
        UserError: the dimension is not known and the endpoint cannot be asked for it.
    """

    languages: frozenset[str] | None = None
    reads: int | None = None
    batch = 64

    def __init__(
        self, name: str, base_url: str | None, api_key: str | None, timeout: float
    ) -> None:
        self.name = name
        # Texts are chunks of known size: no tokenizer file is fetched to measure them again.
        self._model = OpenAIEmbeddings(
            model=name,
            base_url=base_url,
            api_key=api_key or "none",  # type: ignore[arg-type]
            timeout=limits(timeout),
            check_embedding_ctx_length=False,
            http_client=PatientClient(timeout),
        )
        self._where = base_url or "OpenAI"
        self._queries = QueryCache()
        self.dimension = OPENAI_DIMENSIONS.get(name) or self._ask_dimension()

    def vectors(
        self,
        texts: Sequence[str],
        *,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> NDArray[np.float32]:
        """As `embed_documents`, shape ``(texts, dimension)``."""
        made = self.embed_documents(list(texts), progress=progress, cancel=cancel)
        return np.array(made, dtype=np.float32).reshape(len(made), self.dimension)

    def cut_off(self, texts: Sequence[str]) -> int:
        """How many texts are longer than the model reads: not known of an endpoint, so none."""
        return 0

    def embed_documents(
        self,
        texts: list[str],
        *,
        progress: Progress | None = None,
        cancel: threading.Event | None = None,
    ) -> list[list[float]]:
        """Vectors in the order of ``texts``; asked for in batches, between which it can stop."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self.batch):
            if cancel is not None and cancel.is_set():
                break
            vectors += self._ask(self._model.embed_documents, texts[start : start + self.batch])
            if progress is not None:
                progress(len(vectors), len(texts))
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The vector of one query; the last few hundred are remembered, and not paid again."""
        return self._queries.vector(text, lambda query: self._ask(self._model.embed_query, query))

    def _ask(self, call: Callable[[Any], Any], texts: Any) -> Any:
        try:
            return call(texts)
        except openai.AuthenticationError as error:
            raise ModelError(
                f"{self._where} refused the key for {self.name}: check OPENAI_API_KEY.",
                fatal=True,
            ) from error
        except openai.OpenAIError as error:
            raise ModelError(
                f"{self.name} at {self._where} could not be asked for vectors "
                f"({type(error).__name__}): check LLM_BASE_URL and the network, and try again."
            ) from error

    def _ask_dimension(self) -> int:
        try:
            return len(self.embed_query("dimension"))
        except ModelError as error:
            raise UserError(
                f"EMBEDDING_MODEL is {self.name!r}, neither the packaged model "
                f"({PACKAGED_EMBEDDING_MODEL}) nor one of fastembed's, and no endpoint answered "
                f"for it: {error}"
            ) from error


class FastembedEmbeddings(LocalEmbeddings):
    """A model that FastEmbed knows; its files are fetched on first use and kept.

    Raises:
        UserError: the files are not here and cannot be fetched.
    """

    def __init__(
        self,
        name: str,
        dimension: int,
        cache_dir: Path,
        languages: frozenset[str] | None = None,
    ) -> None:
        from fastembed import TextEmbedding

        try:
            model = TextEmbedding(name, cache_dir=str(cache_dir))
        except Exception as error:
            raise UserError(
                f"EMBEDDING_MODEL {name} is not on this machine and could not be fetched "
                f"({type(error).__name__}). Connect to the network once, or set EMBEDDING_MODEL="
                f"{PACKAGED_EMBEDDING_MODEL}, which needs none."
            ) from error
        super().__init__(model, name, dimension, languages, prefixes=prefixes_of(name))


def make_embeddings(settings: Settings, cache_dir: Path) -> EmbeddingModel:
    """The model that ``EMBEDDING_MODEL`` names.

    Raises:
        UserError: it cannot be had; says why and which needs nothing.
    """
    name = settings.embedding_model
    if name.split("/")[-1] == PACKAGED_EMBEDDING_MODEL:
        return PackagedEmbeddings(cache_dir)
    if name.split("/")[-1].lower() == multilingual.MODEL:
        return multilingual.MultilingualEmbeddings()
    from fastembed import TextEmbedding

    for known in TextEmbedding.list_supported_models():
        if known["model"].lower() == name.lower():
            languages = languages_of(known["description"])
            return FastembedEmbeddings(known["model"], known["dim"], cache_dir, languages)
    if not settings.llm_configured:
        raise UserError(
            f"EMBEDDING_MODEL is {name!r}: it must be {PACKAGED_EMBEDDING_MODEL}, "
            f"{multilingual.MODEL} (after: {multilingual.INSTALL}), a fastembed name "
            "such as BAAI/bge-small-en-v1.5, or, with a key or LLM_BASE_URL set, a model of "
            "that endpoint. Change it in .env or in the environment."
        )
    return EndpointEmbeddings(name, settings.llm_endpoint, settings.llm_key, settings.llm_timeout)
