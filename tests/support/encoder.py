"""The packaged embedding model, laid out once for all tests of a session."""

import tempfile
from functools import cache
from pathlib import Path

from selfrag.models.packaged import PackagedEmbeddings

_FOLDER = tempfile.TemporaryDirectory(prefix="selfrag-models-", ignore_cleanup_errors=True)


@cache
def packaged_encoder() -> PackagedEmbeddings:
    """One encoder, whose reader and its memory are then shared too."""
    return PackagedEmbeddings(Path(_FOLDER.name))
