"""What an index was built with, kept in the collection itself.

Vectors of another model, or chunks of another size, do not compare; searching them anyway
gives plausible nonsense or a dimension error.
"""

from collections.abc import Mapping
from typing import Any

from selfrag.errors import UserError

KEY = "fingerprint"
_FOLLOWS = "bm25_average_words"  #: from the chunk size: nobody sets it
REBUILD = "run `python -m selfrag ingest --reset`, which rebuilds it from the library's own copies"


def check(collection: str, stored: Mapping[str, Any] | None, wanted: Mapping[str, Any]) -> None:
    """Compare a collection's record with the settings.

    Raises:
        UserError: they differ; the text names every difference with both sides.
    """
    recorded = (stored or {}).get(KEY)
    if not isinstance(recorded, Mapping):
        raise UserError(
            f"The collection {collection} was not built by this program. Choose another "
            f"name or server, or {REBUILD}."
        )
    named = sorted(name for name in {*recorded, *wanted} if recorded.get(name) != wanted.get(name))
    if len(named) > 1 and _FOLLOWS in named:
        named.remove(_FOLLOWS)
    differences = [
        f"{name.replace('_', ' ')} was {_shown(recorded.get(name))} and is now "
        f"{_shown(wanted.get(name))}"
        for name in named
    ]
    if differences:
        raise UserError(
            f"The index was built with other settings: {'; '.join(differences)}. "
            f"Set them back, or {REBUILD}."
        )


def check_dimension(collection: str, vectors: Any, wanted: Mapping[str, Any]) -> None:
    """Compare the dense vectors that a collection takes with those that are made.

    Raises:
        UserError: they have another dimension, whatever the record says.
    """
    dense = vectors.get("dense") if isinstance(vectors, Mapping) else None
    size = getattr(dense, "size", None)
    if size != wanted["dimension"]:
        raise UserError(
            f"The collection {collection} holds dense vectors of {_shown(size)} dimensions, and "
            f"the embedding model makes {wanted['dimension']}. Choose another collection, or "
            f"{REBUILD}."
        )


def _shown(value: Any) -> str:
    return "not set" if value is None else str(value)
