"""A chat model's GGUF file, served inside this process and used like any endpoint.

The optional package xllamacpp (llama.cpp) opens an OpenAI-compatible server on a loopback port
with a key of its own, so that nothing else on the machine can use it. It constrains replies to
a JSON Schema, counts tokens and streams.
"""

import gc
import importlib
import logging
import secrets
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]

from selfrag.errors import UserError

PACKAGE = "xllamacpp"
_MAGIC = b"GGUF"
#: Memory beside the weights: the context's cache and work space of a small model.
_BESIDE_MB = 700
_CACHED_PROMPTS_MB = 256
_MEASURED_TOKENS = 16

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading took.

    Attributes:
        url: base URL of the endpoint, ending with ``/v1``.
        key: which it wants.
        seconds: until it answered.
        memory_mb: that this process grew by.
    """

    url: str
    key: str
    seconds: float
    memory_mb: float


class LocalModel:
    """A model file. Cheap to make; the weights are read by `load`, or when first needed.

    Args:
        context: tokens that it can read at once.

    Raises:
        UserError: the package is missing, there is no such file, it is not GGUF, or it does not
            fit in the memory that is free.
    """

    def __init__(self, path: Path, *, context: int = 8192) -> None:
        self.path = path.expanduser()
        self.name = self.path.stem
        self._context = context
        self._lock = threading.Lock()
        self._server: Any = None
        self._loaded: Loaded | None = None
        _check_file(self.path)
        self._package = _package()
        _check_memory(self.path)

    @property
    def loaded(self) -> Loaded | None:
        """What loading took; None where it is not loaded."""
        return self._loaded

    def load(self) -> Loaded:
        """Read the weights and serve them, once; seconds to minutes.

        Raises:
            UserError: llama.cpp can't read the file.
        """
        with self._lock:
            if self._loaded is not None:
                return self._loaded
            began, before = time.perf_counter(), _resident_mb()
            key = secrets.token_urlsafe(24)
            try:
                self._server = self._package.Server(self._params(key))
                address = str(self._server.listening_address)
            except RuntimeError as error:
                raise UserError(
                    f"{self.path.name} could not be loaded ({error}). Set LOCAL_MODEL to a chat "
                    "model in GGUF format, or lower LOCAL_CONTEXT."
                ) from error
            self._loaded = Loaded(
                f"{address}/v1",
                key,
                round(time.perf_counter() - began, 2),
                max(0.0, round(_resident_mb() - before)),
            )
            logger.info("%s: %s", self.path, self._loaded)
            return self._loaded

    def speed(self, timeout: float = 120.0) -> float:
        """Tokens that it writes in a second, measured by asking it for a few.

        Raises:
            UserError: it does not answer within ``timeout`` seconds.
        """
        loaded = self.load()
        question = {"role": "user", "content": "Count from one to ten."}
        try:
            reply = httpx.post(
                f"{loaded.url}/chat/completions",
                headers={"authorization": f"Bearer {loaded.key}"},
                json={"messages": [question], "max_tokens": _MEASURED_TOKENS},
                timeout=timeout,
            )
            return float(reply.raise_for_status().json()["timings"]["predicted_per_second"])
        except (httpx.HTTPError, KeyError, ValueError) as error:
            raise UserError(
                f"{self.path.name} did not answer ({type(error).__name__}). Choose a smaller "
                "LOCAL_MODEL, or unset it."
            ) from error

    def close(self) -> None:
        """Stop serving and give the memory back."""
        with self._lock:
            self._server, self._loaded = None, None
        # The server ends with its last reference.
        gc.collect()

    def _params(self, key: str) -> Any:
        params = self._package.CommonParams()
        params.model.path = str(self.path)
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [key]
        params.n_ctx = self._context
        # One at a time: a laptop's cores are busy with one, and its prompt stays cached.
        params.n_parallel = 1
        params.cache_ram_mib = _CACHED_PROMPTS_MB
        params.ui = False
        params.verbosity = 0
        return params


def _check_file(path: Path) -> None:
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except OSError as error:
        raise UserError(
            f"LOCAL_MODEL is {path}, which can't be read ({error.strerror}). Set it to a .gguf "
            "file."
        ) from None
    if head != _MAGIC:
        raise UserError(
            f"LOCAL_MODEL is {path}, which is not a GGUF file. Set it to a chat model in GGUF "
            "format."
        )


def _package() -> Any:
    try:
        return importlib.import_module(PACKAGE)
    except ImportError:
        raise UserError(
            f"LOCAL_MODEL needs the package {PACKAGE}: run `pip install {PACKAGE}`, or unset "
            "LOCAL_MODEL."
        ) from None


def _check_memory(path: Path) -> None:
    needed = path.stat().st_size / 1e6 + _BESIDE_MB
    free = psutil.virtual_memory().available / 1e6
    if needed > free:
        raise UserError(
            f"{path.name} needs about {needed / 1000:.1f} GB of memory, and {free / 1000:.1f} GB "
            "are free. Close other programs, or set LOCAL_MODEL to a smaller file."
        )


def _resident_mb() -> float:
    return float(psutil.Process().memory_info().rss) / 1e6
